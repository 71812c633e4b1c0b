/** What this repository itself holds. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { git } from "../support/repository.ts";

const root = join(import.meta.dir, "../..");

test("nothing that is committed is too large to be source", () => {
  if (!existsSync(join(root, ".git"))) return console.log("skipped: what is committed: this is no clone");
  const entries = git(root, "ls-tree", "-r", "-l", "HEAD").split("\n");
  const large = entries.filter((entry) => Number(entry.split(/\s+/)[3]) > 200_000);
  expect(entries.length).toBeGreaterThan(100);
  expect(large).toEqual([]);
});
