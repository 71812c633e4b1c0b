import { describe, expect, test } from "bun:test";
import { describe as describeValue, mismatch, type Problem, placeOf } from "../../src/problems.ts";

describe("what a value is, for a message", () => {
  test.each([
    [null, "null"],
    [undefined, "nothing"],
    ["", "an empty string"],
    ["seven", 'a string ("seven")'],
    ["a\nb", 'a string ("a\\nb")'],
    ["x".repeat(78), `a string ("${"x".repeat(78)}")`],
    ["x".repeat(79), "a string of 79 characters"],
    ["\n".repeat(40), "a string of 40 characters"],
    [7, "a number (7)"],
    [Object(1.5), "a number (1.5)"],
    [Number.NaN, "a number (NaN)"],
    [Number.POSITIVE_INFINITY, "a number (Infinity)"],
    [false, "a boolean (false)"],
    [[], "an empty list"],
    [[0], "a list"],
    [{}, "an object"],
  ])("%p", (value, words) => {
    expect(describeValue(value)).toBe(words);
  });

  test("an object is what its format calls it", () => {
    expect(describeValue({}, "a mapping")).toBe("a mapping");
  });
});

test.each([
  [[], ""],
  [["edits"], "edits"],
  [["edits", 2, "old_text"], "edits[2].old_text"],
  [[0, "a"], "[0].a"],
  [["a", 1, 2], "a[1][2]"],
  [["a", "k".repeat(80)], `a.${"k".repeat(80)}`],
  [["a", "k".repeat(81), "b"], `a.${"k".repeat(80)}....b`],
])("the place %j is written %p", (path, place) => {
  expect(placeOf(path)).toBe(place);
});

describe("what is wrong", () => {
  const problem = (some: Partial<Problem>): Problem => ({
    kind: "wrong",
    path: ["x"],
    expected: "a string",
    found: 7,
    ...some,
  });
  test.each([
    ["a wrong value", problem({}), "must be a string, not a number (7)"],
    ["a missing one", problem({ kind: "missing", found: undefined }), "is missing: it must be a string"],
    ["a key nobody knows", problem({ kind: "undeclared", expected: "" }), "is not known"],
    [
      "a size",
      problem({ kind: "size", expected: "at most 9 bytes", found: 10 }),
      "must be at most 9 bytes, not 10",
    ],
    [
      "the length of a list, where a list belongs",
      problem({ expected: "a list of 1 to 16 edits", found: Array(17).fill(0) }),
      "must be a list of 1 to 16 edits, not a list of 17",
    ],
    [
      "the same, of a list that may not be empty",
      problem({ expected: "a non-empty list of strings", found: [] }),
      "must be a non-empty list of strings, not an empty list",
    ],
    ["a list where none belongs", problem({ found: [1, 2] }), "must be a string, not a list"],
    [
      "an object where a list belongs",
      problem({ expected: "a list", found: {} }),
      "must be a list, not an object",
    ],
    ["no object", problem({ expected: "an object" }), "must be an object, not a number (7)"],
  ])("%s", (_, found, words) => {
    expect(mismatch(found)).toBe(words);
  });

  test("in a format that has mappings, not objects", () => {
    expect(mismatch(problem({ expected: "an object" }), "a mapping")).toBe(
      "must be a mapping, not a number (7)",
    );
    expect(mismatch(problem({ kind: "missing", expected: "an object" }), "a mapping")).toBe(
      "is missing: it must be a mapping",
    );
    expect(mismatch(problem({ found: {} }), "a mapping")).toBe("must be a string, not a mapping");
  });
});
