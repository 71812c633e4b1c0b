import { expect, test } from "bun:test";
import fc from "fast-check";
import { candidateIdProblem, candidateRef } from "../../../src/repository/candidate-ref.ts";

/** What `git check-ref-format` says of the whole ref. */
function gitAccepts(id: string): boolean {
  return Bun.spawnSync(["git", "check-ref-format", candidateRef(id)]).exitCode === 0;
}

// NUL cannot be an argument, '/' makes more than one component, and the length is the engine's own bound.
const one = fc
  .oneof(
    fc.string({
      unit: fc.constantFrom(..."a.@{}~^:?*[]\\ -/lock\u007f\u0001ü\n"),
      minLength: 1,
      maxLength: 6,
    }),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
    fc.constantFrom(
      "@",
      "a.lock",
      ".lock",
      "a.lock.b",
      "..",
      ".",
      "a..b",
      "@{",
      "a@{b",
      "-",
      "--",
      "HEAD",
      "a.",
      ".a",
    ),
  )
  .filter((id) => !/[/\0]/.test(id));

test("an id is accepted exactly if Git accepts its ref", () => {
  fc.assert(
    fc.property(one, (id) => {
      expect([id, candidateIdProblem(id) === undefined]).toEqual([id, gitAccepts(id)]);
    }),
    { numRuns: 400 },
  );
});

test("what Git accepts but is not one component, or too long, is refused", () => {
  expect(candidateIdProblem("a/b")).toBe("contains '/'");
  expect(candidateIdProblem("a\0b")).toBe("contains a NUL");
  expect(candidateIdProblem("")).toBe("is empty");
  expect(candidateIdProblem("ü".repeat(100))).toBeUndefined();
  expect(candidateIdProblem(`${"ü".repeat(100)}x`)).toBe("is longer than 200 UTF-8 bytes");
  expect(candidateIdProblem("a\ud800")).toBe("holds a lone surrogate");
});
