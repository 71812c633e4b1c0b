import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publishFile } from "../../../src/files/publish.ts";
import { temporaryFolder } from "../../support/repository.ts";

test("the new text takes the old one's place, and a link's place, whole", () => {
  const { path, dispose } = temporaryFolder();
  const target = join(path, "result.json");
  expect(publishFile(target, "ä\n").ok).toBe(true);
  expect(publishFile(target, "ö\n").ok).toBe(true);
  expect(readFileSync(target, "utf8")).toBe("ö\n");
  writeFileSync(join(path, "other"), "kept");
  symlinkSync("other", join(path, "link"));
  expect(publishFile(join(path, "link"), "x").ok).toBe(true);
  expect(readFileSync(join(path, "other"), "utf8")).toBe("kept");
  expect(readdirSync(path).sort()).toEqual(["link", "other", "result.json"]);
  dispose();
});

test("what cannot be written leaves nothing behind", () => {
  const { path, dispose } = temporaryFolder();
  mkdirSync(join(path, "taken/within"), { recursive: true });
  expect(publishFile(join(path, "taken"), "x")).toMatchObject({ ok: false, code: "NOT_WRITTEN" });
  expect(publishFile(join(path, "none/x"), "x")).toMatchObject({ ok: false, code: "NOT_WRITTEN" });
  expect(readdirSync(path)).toEqual(["taken"]);
  dispose();
});
