import { expect, test } from "bun:test";
import { diffOf } from "../../../src/pi/diff.ts";

const rows: readonly (readonly [string, string, readonly (readonly [string, string])[], string, number])[] = [
  ["a part of a line", "one\ntwo\nthree\n", [["wo", "WO"]], "-2 two\n+2 tWO", 2],
  ["the first line", "one\ntwo\n", [["one", "1"]], "-1 one\n+1 1", 1],
  ["a last line without an end", "one\ntwo", [["two", "2"]], "-2 two\n+2 2", 2],
  ["a deleted line", "one\ntwo\nthree\n", [["two\n", ""]], "-2 two", 2],
  ["an inserted line", "one\ntwo\n", [["one\n", "one\nnew\n"]], "+2 new", 2],
  ["everything", "one\n", [["one\n", ""]], "-1 one", 1],
  ["CRLF", "one\r\ntwo\r\n", [["one\ntwo", "one\n2"]], "-2 two\n+2 2", 2],
  [
    "edits in order",
    "one\ntwo\nthree\n",
    [
      ["three", "3"],
      ["one", "1"],
    ],
    "-3 three\n+3 3\n-1 one\n+1 1",
    1,
  ],
  [
    "an edit of an edit",
    "one\n",
    [
      ["one", "two"],
      ["two", "three"],
    ],
    "-1 one\n+1 two\n-1 two\n+1 three",
    1,
  ],
];
for (const [name, before, edits, diff, firstChangedLine] of rows) {
  test(name, () => {
    const list = edits.map(([oldText, newText]) => ({ oldText, newText }));
    expect(diffOf(before, list)).toEqual({ diff, firstChangedLine });
  });
}

test("no diff where the text is not there", () => {
  expect(diffOf("one\n", [{ oldText: "two", newText: "2" }])).toBeUndefined();
});

test("a long diff is cut", () => {
  const long = "line\n".repeat(1000);
  const lines = diffOf(long, [{ oldText: long, newText: "x\n" }])?.diff.split("\n");
  expect(lines?.length).toBe(202);
  expect(lines?.[200]).toBe(" ... 800 more lines");
});
