import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { trustedProgram } from "../../../src/process/trusted-program.ts";

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
  mkdirSync(at("repo/links"));
  symlinkSync("../repo/bin/tool", at("links/tool"));
  symlinkSync("../opt/bin/tool", at("links/other"));
  symlinkSync(at("opt/bin/tool"), at("repo/links/tool"));
  symlinkSync("repo/bin", at("alias"));
});
afterAll(() => rmSync(root, { recursive: true }));

const find = (name: string, ...folders: readonly string[]) =>
  trustedProgram(name, folders.join(":"), [at("repo")]);

test("the first in an absolute folder outside of the repository, by the name it has there", () => {
  const planted = ["", ".", "bin", at("none"), at("repo/bin"), at("alias"), at("links"), at("repo/links")];
  expect(find("tool", ...planted, at("opt/bin"))).toBe(at("opt/bin/tool"));
  expect(find("other", at("links"))).toBe(at("links/other"));
});

test("none", () => {
  expect(find("tool", at("repo/bin"), at("alias"), at("links"), at("repo/links"))).toBeUndefined();
  expect(find("tool", relative(process.cwd(), at("opt/bin")))).toBeUndefined();
  expect(trustedProgram("tool", undefined, [])).toBeUndefined();
});
