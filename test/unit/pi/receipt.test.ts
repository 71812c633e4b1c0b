import { describe, expect, test } from "bun:test";
import { deliveryCodes } from "../../../src/outcome.ts";
import { readReceipt } from "../../../src/pi/receipt.ts";
import { createdReceipt, refusedReceipt } from "./receipts.ts";

test("a created candidate", () => {
  expect(readReceipt(createdReceipt)).toEqual({
    code: "OK",
    message: "",
    ref: "refs/satyrn/candidates/fix-1/head",
    commit: "c".repeat(40),
    changed: 2,
  });
});

for (const [code, [outcome]] of Object.entries(deliveryCodes)) {
  if (code === "OK") continue;
  test(`the engine's ${code} is known, as ${outcome}`, () => {
    expect(readReceipt({ ...refusedReceipt, code, outcome })).toEqual({ code, message: "it did not" });
  });
}

describe("what is no receipt", () => {
  const rows: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ["another version", { ...refusedReceipt, version: 2 }, "version is 2, not 1"],
    ["an unknown code", { ...refusedReceipt, code: "NO_IDEA" }, 'unknown code "NO_IDEA"'],
    ["an inherited code", { ...refusedReceipt, code: "toString" }, 'unknown code "toString"'],
    [
      "a contradicting outcome",
      { ...refusedReceipt, outcome: "refused" },
      'outcome is "refused" but code is NO_CHANGES',
    ],
    ["no message", { ...refusedReceipt, message: undefined }, "message is not a string"],
    ["a missing field", { ...refusedReceipt, source_drift: undefined }, "source_drift is missing"],
    ["a field of the wrong type", { ...refusedReceipt, command_exit: "0" }, 'command_exit is wrong: "0"'],
    ["a commit that is none", { ...refusedReceipt, base_commit: "main" }, 'base_commit is wrong: "main"'],
    ["OK without a ref", { ...createdReceipt, candidate_ref: null }, "OK comes without candidate_ref"],
    [
      "OK without a commit",
      { ...createdReceipt, candidate_commit: null },
      "OK comes without candidate_commit",
    ],
    ["OK without changes", { ...createdReceipt, changed_paths: [] }, "OK comes without changed_paths"],
  ];
  for (const [name, object, problem] of rows)
    test(name, () => expect(readReceipt(object)).toEqual({ problem }));
});
