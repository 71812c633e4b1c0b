import { expect, test } from "bun:test";
import { exitStatus, internalError, oneLine } from "../../src/outcome.ts";

test("names and numbers of the exit statuses never change", () => {
  expect<unknown>(exitStatus).toEqual({
    OK: 0,
    USAGE: 2,
    CONTRACT_UNREADABLE: 3,
    CONTRACT_INVALID_YAML: 4,
    CONTRACT_MISSING_FIELD: 5,
    REPO_UNAVAILABLE: 6,
    INVALID_REQUEST: 7,
    NO_CANDIDATE: 8,
    MUTATION_REFUSED: 9,
    ATTEMPT_FAILED: 10,
    TEST_COMMAND_UNAVAILABLE: 11,
    TEST_COMMAND_NOT_ALLOWED: 12,
    TESTS_FAILED: 13,
    BUDGET_EXHAUSTED: 14,
    ACCEPTANCE_BLOCKED: 20,
    ACCEPTANCE_FAILED: 21,
  });
  expect(internalError).toBe(1);
});

test("a name from outside stays on one line", () => {
  expect(oneLine("a\nb\r\t\u0000\u001b[31m\u0085\u2028é😀")).toBe(
    "a\\nb\\r\\t\\u0000\\u001b[31m\\u0085\\u2028é😀",
  );
});

test("every control character and line separator is escaped, and nothing else", () => {
  const escaped: number[] = [];
  for (let unit = 0; unit <= 0xffff; unit++) {
    const character = String.fromCharCode(unit);
    if (oneLine(character) !== character) escaped.push(unit);
  }
  const range = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, at) => first + at);
  expect(escaped).toEqual([...range(0, 0x1f), ...range(0x7f, 0x9f), 0x2028, 0x2029]);
});
