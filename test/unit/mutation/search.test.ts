import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { lineAt, lineEnd, lineStart, newlines, scan } from "../../../src/mutation/search.ts";

/** Texts in which there is much to find. */
const repetitive = (most: number) =>
  fc.array(fc.constantFrom("a", "b", "ab", "\n", "aa\n"), { maxLength: most }).map((parts) => parts.join(""));

describe("scan", () => {
  test("agrees with looking at every place", () => {
    fc.assert(
      fc.property(repetitive(60), repetitive(4), (text, needle) => {
        if (needle === "") return;
        const starts = Array.from(text, (_, at) => at).filter((at) => text.startsWith(needle, at));
        const lines = starts.map((at) => text.slice(0, at).split("\n").length);
        let longest = needle.length;
        while (!text.includes(needle.slice(0, longest))) longest--;
        expect(scan(Buffer.from(text), Buffer.from(needle), 3)).toEqual({
          count: starts.length,
          first: starts[0] ?? -1,
          lines: [...new Set(lines)].slice(0, 3),
          longest,
          longestEnd: longest === 0 ? 0 : text.indexOf(needle.slice(0, longest)) + longest,
        });
      }),
      { numRuns: 5_000 },
    );
  });

  test("occurrences that overlap count", () => {
    expect(scan(Buffer.from("aaaa"), Buffer.from("aa"), 10)).toMatchObject({ count: 3, lines: [1] });
    expect(scan(Buffer.from("a\na\na"), Buffer.from("a\na"), 10)).toMatchObject({ count: 2, lines: [1, 2] });
  });
});

test("lines are found by offset and by number", () => {
  const text = Buffer.from("one\ntwo\n\nfour");
  expect([0, 3, 4, 8, 9, 12].map((at) => lineAt(text, at))).toEqual([1, 1, 2, 3, 4, 4]);
  expect([1, 2, 3, 4, 5, 9].map((line) => lineStart(text, line))).toEqual([0, 4, 8, 9, 13, 13]);
  expect([0, 4, 8, 9].map((start) => lineEnd(text, start))).toEqual([3, 7, 8, 13]);
  expect(newlines(text)).toBe(3);
});
