import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parsePattern } from "../../../src/expected/pattern/parse.ts";
import { searchPattern } from "../../../src/expected/pattern/search.ts";

interface Case {
  readonly pattern: string;
  readonly text?: string;
  readonly found?: boolean;
  /** Refused, for any reason or for this one. */
  readonly refused?: true | string;
}

const folder = join(import.meta.dir, "../../../fixtures/expected/patterns");

for (const file of readdirSync(folder)) {
  const cases: readonly Case[] = JSON.parse(readFileSync(join(folder, file), "utf8"));
  for (const { pattern, text, found, refused } of cases) {
    const title = `${file.replace(".json", "")}: ${JSON.stringify(pattern)}`;
    if (refused !== undefined) {
      test(`${title} is refused`, () =>
        expect(problemOf(pattern)).toContain(refused === true ? "" : refused));
    } else {
      test(`${title} in ${JSON.stringify(text)}`, () =>
        expect(search(pattern, text ?? "")).toBe(found ? "found" : "absent"));
    }
  }
}

test("a problem says what is wrong and where", () => {
  expect(problemOf("ab[c")).toBe("unterminated character set at position 2");
  expect(problemOf("(a")).toBe("missing ), unterminated subpattern at position 0");
  expect(problemOf("😀*+?")).toBe("multiple repeat at position 3");
  expect(problemOf("(".repeat(251))).toBe("nested more than 250 deep at position 250");
});

test("nesting at the limit is matched", () => {
  expect(search(`${"(".repeat(250)}a${")".repeat(250)}`, "a")).toBe("found");
});

function problemOf(pattern: string): string {
  const parsed = parsePattern(pattern);
  if (!("problem" in parsed)) throw new Error(`${JSON.stringify(pattern)} is accepted`);
  return parsed.problem;
}

function search(pattern: string, text: string, limitMs = 5000): string {
  const parsed = parsePattern(pattern);
  if ("problem" in parsed) throw new Error(`${JSON.stringify(pattern)} is refused: ${parsed.problem}`);
  const searched = searchPattern(parsed, text, limitMs);
  return typeof searched === "number" ? "found" : searched;
}
