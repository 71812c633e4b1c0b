import { describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { findProgramOnWindows } from "../../../src/process/program.windows.ts";

const files = new Set([
  String.raw`C:\Windows\System32\find.exe`,
  String.raw`C:\tools\find.exe`,
  String.raw`C:\tools\old.com`,
  String.raw`C:\tools\npm.cmd`,
  String.raw`C:\tools\both.cmd`,
  String.raw`C:\tools\both.exe`,
  String.raw`C:\tools\script`,
  String.raw`relative\only.exe`,
]);

function find(
  name: string,
  environment: Readonly<Record<string, string>> = { Path: String.raw`C:\tools;C:\Windows\System32` },
) {
  return findProgramOnWindows([name], tmpdir(), environment, (path) => files.has(path));
}

describe("on Windows a command word is found", () => {
  test.each([
    ["find", String.raw`C:\tools\find.exe`],
    ["find.exe", String.raw`C:\tools\find.exe`],
    ["old", String.raw`C:\tools\old.com`],
    ["both", String.raw`C:\tools\both.exe`],
    [String.raw`C:\Windows\System32\find.exe`, String.raw`C:\Windows\System32\find.exe`],
    ["C:/Windows/System32/find", String.raw`C:\Windows\System32\find.exe`],
  ])("%s", (name, path) => {
    expect(find(name)).toEqual({ ok: true, path });
  });

  test("in a quoted folder of PATH", () => {
    expect(find("old", { PATH: String.raw`"C:\tools"` })).toEqual({
      ok: true,
      path: String.raw`C:\tools\old.com`,
    });
  });
});

describe("on Windows a command word is refused", () => {
  test.each([
    ["nothing", "program 'nothing' was not found on PATH"],
    ["script", "program 'script' was not found on PATH"],
    ["only", "program 'only' was not found on PATH"],
    [String.raw`.\find`, String.raw`program '.\find' does not exist`],
    ["npm", "program 'npm' is a batch file: name its interpreter and script instead"],
    ["npm.cmd", "program 'npm.cmd' is a batch file: name its interpreter and script instead"],
    ["", "the program's name is empty"],
  ])("%p", (name, reason) => {
    expect(find(name, { PATH: String.raw`relative;;.;C:\tools` })).toEqual({ ok: false, reason });
  });

  test("without a PATH", () => {
    expect(find("find", {})).toEqual({ ok: false, reason: "program 'find' was not found on PATH" });
  });
});
