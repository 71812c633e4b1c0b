import { expect, test } from "bun:test";
import { parsePattern } from "../../../src/expected/pattern/parse.ts";
import { searchPattern } from "../../../src/expected/pattern/search.ts";

test("a pattern that backtracks without end is out of time at its limit", () => {
  const begun = performance.now();
  expect(search("(a+)+$", `${"a".repeat(40)}!`, 200)).toBe("out of time");
  expect(performance.now() - begun).toBeLessThan(2000);
});

test("the limit holds inside lookaheads, atomic groups and conditions", () => {
  for (const pattern of [
    "(?=(a+)+$)",
    "(?!(a+)+$)a",
    "(?>(a+)+$)",
    "(a)?(?(1)(a+)+$)",
    "(?:(a+)+$)++",
    "(?<=(?=(a+)+$)a)a",
  ]) {
    expect(search(pattern, `${"a".repeat(40)}!`, 100)).toBe("out of time");
  }
});

test("a match over a megabyte needs no call stack", () => {
  expect(search("^(?:ab|cd)*$", "abcd".repeat(250_000))).toBe("found");
});

test("attempts that would fill the memory end the search", () => {
  expect(search("^(?:a|ab)*?$", `${"a".repeat(12_000_000)}b!`, 60_000)).toBe("out of memory");
});

test("a search of a large text takes no longer than it should", () => {
  const text = "+  const value = compute(alpha, 'beta gamma', [1, 2, 3]);\n".repeat(100_000);
  const begun = performance.now();
  for (const pattern of ["(?m)^\\+.*\\bdebugger\\b", ".*foo.*", "(?i)password\\s*=", "\\w+@\\w+"]) {
    expect(search(pattern, text)).toBe("absent");
  }
  expect(performance.now() - begun).toBeLessThan(5000);
});

function search(pattern: string, text: string, limitMs = 5000): string {
  const parsed = parsePattern(pattern);
  if ("problem" in parsed) throw new Error(`${JSON.stringify(pattern)} is refused: ${parsed.problem}`);
  const searched = searchPattern(parsed, text, limitMs);
  return typeof searched === "number" ? "found" : searched;
}
