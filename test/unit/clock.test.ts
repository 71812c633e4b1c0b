/** No wait and no duration is measured by the time of day, which people and time servers set. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const source = join(import.meta.dir, "../../src");

test("the time of day is asked where it is written down or compared with a file's, and nowhere else", () => {
  const names = (readdirSync(source, { recursive: true }) as string[]).filter((name) => name.endsWith(".ts"));
  const asking = names.filter((name) =>
    /\bDate\.now\(|\bnew Date\(\)/.test(readFileSync(join(source, name), "utf8")),
  );
  expect(asking.sort()).toEqual([
    "acceptance/candidate.ts",
    "delivery/carry-out.ts",
    "delivery/verification.ts",
    "files/unfinished.ts",
    "recovery/folder.ts",
    "repository/commit.ts",
  ]);
});
