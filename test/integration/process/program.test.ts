import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../support/repository.ts";
import { runProgram } from "../../support/tree.ts";

const folder = temporaryFolder();
const cwd = folder.path;
afterAll(() => folder.dispose());

beforeAll(() => {
  program("here", "#!/bin/sh\necho here");
  program("bin/tool", "#!/bin/sh\necho bin/tool");
  program("other/tool", "#!/bin/sh\necho other/tool");
  program("locked/tool", "#!/bin/sh\necho locked/tool", 0o644);
  program("deep/er/tool", "#!/bin/sh\necho deep/er/tool");
  program("deep/tool", "#!/bin/sh\necho deep/tool");
  program("no-shebang", "echo no");
  program("no-interpreter", "#!/no/such/interpreter\n");
  program("half-elf", "\u007fELFjunk");
  mkdirSync(join(cwd, "directories/tool"), { recursive: true });
  symlinkSync("deep/er", join(cwd, "link"));
  symlinkSync("loop", join(cwd, "loop"));
});

function program(path: string, text: string, mode = 0o755): void {
  mkdirSync(join(cwd, path, ".."), { recursive: true });
  writeFileSync(join(cwd, path), text);
  chmodSync(join(cwd, path), mode);
}

function run(argv: readonly string[], PATH?: string, from = cwd) {
  return runProgram(argv, { cwd: from, environment: PATH === undefined ? {} : { PATH } });
}

describe("a program is found", () => {
  test.each([
    ["by its absolute path", join(cwd, "here"), "/bin", "here"],
    ["relative to where it starts", "./here", "/bin", "here"],
    ["relative to where it starts, without a dot", "bin/tool", "/bin", "bin/tool"],
    ["behind a link and its parent, as the system resolves them", "link/../tool", "/bin", "deep/tool"],
    ["on PATH", "tool", `/bin:${join(cwd, "bin")}`, "bin/tool"],
    ["on the first of two places on PATH", "tool", `${join(cwd, "other")}:${join(cwd, "bin")}`, "other/tool"],
    ["on a relative element of PATH, relative to where it starts", "tool", "/bin:bin", "bin/tool"],
    ["on an empty element of PATH, which is where it starts", "here", "/bin:", "here"],
    ["on an empty PATH, which is where it starts", "here", "", "here"],
    ["past one that may not be executed", "tool", "locked:bin", "bin/tool"],
    ["past a directory of its name", "tool", "directories:bin", "bin/tool"],
    ["past an element that does not exist", "tool", "/no/such/place:here:bin", "bin/tool"],
  ])("%s", async (_, name, path, said) => {
    expect(await run([name], path)).toMatchObject({ ending: { kind: "exit", status: 0 }, text: `${said}\n` });
  });

  test("in the system's own places without a PATH", async () => {
    expect((await run(["true"])).ending).toEqual({ kind: "exit", status: 0 });
  });
});

describe("a program that cannot be started is told:", () => {
  test.each([
    ["an empty name", [""], "the program's name is empty"],
    ["a name not on PATH", ["no-such-tool"], "program 'no-such-tool' was not found on PATH"],
    ["a path to nothing", ["./nothing"], "program './nothing' does not exist"],
    ["a name with a line break", ["a\nb"], "program 'a\\nb' was not found on PATH"],
    [
      "a file that may not be executed",
      ["locked/tool"],
      "program 'locked/tool' is not a file that may be executed",
    ],
    ["a directory", ["./directories"], "program './directories' is not a file that may be executed"],
    [
      "a script without an interpreter line",
      ["./no-shebang"],
      "program './no-shebang' is not in an executable format",
    ],
    ["a broken binary", ["./half-elf"], "program './half-elf' is not in an executable format"],
    [
      "a script whose interpreter is missing",
      ["./no-interpreter"],
      "program './no-interpreter' names an interpreter or loader that does not exist",
    ],
    ["a link to itself", ["./loop"], "program './loop' does not exist"],
    ["an argument with a NUL", ["/bin/echo", "a\0b"], "argument 1 of the command holds a NUL character"],
    ["an argument that is no text", ["/bin/echo", "\ud800"], "argument 1 of the command is not Unicode text"],
    [
      "an argument too long for the system",
      ["/bin/echo", "x".repeat(4_000_000)],
      "program '/bin/echo' was given more arguments and environment than the system allows",
    ],
  ])("%s", async (_, argv, error) => {
    expect(await run(argv, "/bin")).toMatchObject({
      ending: { kind: "spawn_error", error },
      gone: true,
      text: "",
    });
  });

  test("a name on PATH that may not be executed", async () => {
    const error = "program 'tool' is on PATH, but may not be executed";
    expect((await run(["tool"], "locked")).ending).toEqual({ kind: "spawn_error", error });
  });

  test.each([
    ["that does not exist", "nowhere", "cannot be entered: no such file or directory (ENOENT)"],
    ["that is a file", "here", "is not a directory"],
  ])("a working directory %s", async (_, name, found) => {
    const from = join(cwd, name);
    const error = `working directory '${from}' ${found}`;
    expect((await run(["/bin/true"], "/bin", from)).ending).toEqual({ kind: "spawn_error", error });
  });
});
