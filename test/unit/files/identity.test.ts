import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderAround, mayBeThere } from "../../../src/files/identity.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "satyrn-identity-")));
const at = (name: string) => join(root, name);
beforeAll(() => {
  mkdirSync(at("repo/src/deep"), { recursive: true });
  mkdirSync(at("repository"));
  symlinkSync("repo/src", at("alias"));
  symlinkSync("../repository", at("repo/out"));
});
afterAll(() => rmSync(root, { recursive: true }));

test("a folder is, or lies in, another under whatever name", () => {
  expect(folderAround(at("repo"), [at("repo")])).toBe(at("repo"));
  expect(folderAround(at("repo/src/deep"), [at("none"), at("repo")])).toBe(at("repo"));
  expect(folderAround(at("alias/deep"), [at("repo")])).toBe(at("repo"));
  expect(folderAround(at("repo/src/deep"), [at("alias")])).toBe(at("alias"));
});

test("a name that begins the same is another folder, and a link out of it leads out", () => {
  expect(folderAround(at("repository"), [at("repo")])).toBeNull();
  expect(folderAround(at("repo/out"), [at("repo")])).toBeNull();
  expect(folderAround(at("repo"), [at("repo/src")])).toBeNull();
  expect(folderAround(at("repo"), [at("none")])).toBeNull();
});

test("what cannot be seen may be there", () => {
  // Also root meets a loop of links.
  symlinkSync("loop", at("loop"));
  symlinkSync("nowhere", at("dangling"));
  const names = ["repo", "loop", "dangling", "loop/x", "nowhere", "nowhere/x"];
  expect(names.map((name) => mayBeThere(at(name)))).toEqual([true, true, true, true, false, false]);
});

test("below a file nothing is there", () => {
  writeFileSync(at("file"), "");
  expect([mayBeThere(at("file")), mayBeThere(at("file/x"))]).toEqual([true, false]);
});
