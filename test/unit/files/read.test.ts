import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { absolutePath, readRegularFile } from "../../../src/files/read.ts";

const folder = mkdtempSync(join(tmpdir(), "satyrn-read-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "file");
writeFileSync(file, "12345");

test("a file of as many bytes as may be is read, and none of one more", () => {
  expect(readRegularFile(file, 5)).toEqual({ ok: true, value: Buffer.from("12345") });
  expect(readRegularFile(file, 4)).toEqual({
    ok: false,
    code: "UNREADABLE",
    message: "larger than 4 bytes",
  });
});

test.skipIf(!existsSync("/proc/self/fd"))("nothing stays open, whether it is read or refused", () => {
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  for (let times = 0; times < 10; times++) {
    for (const [path, limit] of [
      [file, 5],
      [file, 4],
      [folder, 4],
      [`${file}/none`, 4],
    ] as const) {
      readRegularFile(path, limit);
    }
  }
  expect(open()).toBe(before);
});

test("a path from the root is one already, a relative one starts at the working directory", () => {
  expect(absolutePath(`${folder}/a/../b/`)).toBe(join(folder, "b"));
  expect(absolutePath("a/../b")).toBe(resolve("b"));
});
