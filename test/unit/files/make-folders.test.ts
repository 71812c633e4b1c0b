import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { datedName, makeFolders, makeNewFolder } from "../../../src/files/make-folders.ts";
import { temporaryFolder } from "../../support/repository.ts";

let root: string;
let dispose: () => void;
beforeEach(() => {
  ({ path: root, dispose } = temporaryFolder());
});
afterEach(() => dispose());

test("folders are made as far as they are missing", () => {
  mkdirSync(join(root, "a"));
  expect(makeFolders(root, ["a", "b", "c"])).toEqual({ ok: true, value: join(root, "a/b/c") });
  expect(existsSync(join(root, "a/b/c"))).toBe(true);
  expect(makeFolders(root, ["a", "b", "c"]).ok).toBe(true);
});

test("a link in a folder's place is not followed", () => {
  mkdirSync(join(root, "elsewhere"));
  symlinkSync(join(root, "elsewhere"), join(root, "a"));
  const made = makeFolders(root, ["a", "b"]);
  expect(made).toMatchObject({ ok: false, code: "NO_FOLDER", message: "a is not a folder" });
  expect(existsSync(join(root, "elsewhere/b"))).toBe(false);
});

test("a file in a folder's place is told", () => {
  writeFileSync(join(root, "a"), "");
  expect(makeFolders(root, ["a", "b"])).toMatchObject({ ok: false, message: "a is not a folder" });
});

test("a folder that cannot be made is told, with the system's reason", () => {
  expect(makeFolders(join(root, "absent"), ["a"])).toMatchObject({
    ok: false,
    code: "NO_FOLDER",
    message: "a cannot be made: no such file or directory (ENOENT)",
  });
});

test("a new folder is made once", () => {
  expect([makeNewFolder(join(root, "1")), makeNewFolder(join(root, "1"))]).toEqual([true, false]);
});

test("dated names hold the time in UTC, and differ", () => {
  const now = new Date("2026-01-31T23:59:59.999Z");
  expect(datedName(now)).toMatch(/^20260131T235959Z-[0-9a-f]{12}$/);
  expect(datedName(now)).not.toBe(datedName(now));
});
