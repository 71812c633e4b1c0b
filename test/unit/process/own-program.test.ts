import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findOwnProgram } from "../../../src/process/own-program.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "satyrn-program-")));
const at = (name: string) => join(root, name);
const program = (path: string) => {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "");
  chmodSync(path, 0o755);
};
beforeAll(() => {
  program(at("repo/bin/tool"));
  program(at("opt/bin/tool"));
  mkdirSync(at("links"));
  symlinkSync("../repo/bin/tool", at("links/tool"));
  symlinkSync("../opt/bin/tool", at("links/other"));
  symlinkSync("repo/bin", at("alias"));
});
afterAll(() => rmSync(root, { recursive: true }));

const find = (name: string, ...folders: readonly string[]) =>
  findOwnProgram(name, { PATH: folders.join(":") }, [at("repo")]);

test("the first in an absolute folder outside of the repository", () => {
  expect(
    find("tool", "", ".", "bin", at("none"), at("repo/bin"), at("alias"), at("links"), at("opt/bin")),
  ).toEqual({
    ok: true,
    path: at("opt/bin/tool"),
  });
  expect(find("other", at("links"))).toEqual({ ok: true, path: at("links/other") });
});

test("none", () => {
  const reason = "program 'tool' was not found on PATH outside of the repository";
  expect(find("tool", at("repo/bin"), at("alias"), at("links"))).toEqual({ ok: false, reason });
  expect(findOwnProgram("tool", {}, [])).toEqual({ ok: false, reason });
});

test("an absolute path is taken as it is; a relative one is refused", () => {
  expect(find(at("repo/bin/tool"))).toEqual({ ok: true, path: at("repo/bin/tool") });
  expect(find(at("none"))).toMatchObject({ ok: false });
  expect(find("./tool", at("opt/bin"))).toEqual({
    ok: false,
    reason: "program './tool' must be an absolute path or a name on PATH",
  });
});
