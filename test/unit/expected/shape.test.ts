import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkExpected, explainProblem } from "../../../src/expected/shape.ts";
import { readJson } from "../../../src/files/json.ts";
import type { Problem } from "../../../src/problems.ts";

const folder = join(import.meta.dir, "../../../fixtures/expected/shapes");
const accepted: readonly unknown[] = JSON.parse(readFileSync(join(folder, "accepted.json"), "utf8"));
const refused: readonly { value: unknown; problems: readonly string[] }[] = JSON.parse(
  readFileSync(join(folder, "refused.json"), "utf8"),
);

test.each(accepted.map((value) => [JSON.stringify(value).slice(0, 60), value] as const))(
  "accepts %s",
  (_, value) => {
    expect(problemsOf(value)).toEqual([]);
  },
);

describe("refuses", () => {
  test.each(refused.map(({ value, problems }) => [JSON.stringify(value), value, problems] as const))(
    "%s",
    (_, value, problems) => expect(problemsOf(value)).toEqual([...problems]),
  );
});

test("an integer written as a fraction is not one", () => {
  const read = readJson(Buffer.from('{"max_deps_added":1.0}'), { maxBytes: 100, boxFractions: true });
  expect(read.ok && problemsOf(read.value)).toEqual([
    "max_deps_added must be int >= 0 (not bool), not a number (1)",
  ]);
});

function problemsOf(value: unknown): readonly string[] {
  const problems: Problem[] = [];
  expect(checkExpected(value, problems)).toBe(problems.length === 0);
  return problems.map(explainProblem);
}
