import { expect, test } from "bun:test";
import fc from "fast-check";
import { outputNames, outputsOf, outputsText } from "../../../src/action/outputs.ts";
import { reportOf } from "../../../src/action/report.ts";
import { readAssignments } from "../../support/runner.ts";

test("what is written is what the runner reads", () => {
  const line = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("EOF", "a<<EOF", "a=b", "", "<<", "\r", "::x::y"),
  );
  const value = fc.array(line, { maxLength: 5 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...outputNames), value), (outputs) => {
      expect(readAssignments(outputsText(outputs))).toEqual({ ...outputs });
    }),
  );
});

test("a delimiter is never used twice", () => {
  const delimiters = [...outputsText({ a: "1", b: "2" }).matchAll(/<<(.*)$/gm)].map((match) => match[1]);
  expect(new Set(delimiters).size).toBe(2);
});

test("every output is there, empty where it does not apply", () => {
  const report = reportOf({ outcome: "refused", code: "REPO_DIRTY", status: 8, message: "" });
  const outputs = outputsOf(report, null);
  expect(Object.keys(outputs)).toEqual([...outputNames]);
  expect(outputs).toEqual({
    ...{ outcome: "refused", code: "REPO_DIRTY", "exit-status": "8" },
    ...{ "candidate-ref": "", "candidate-commit": "", receipt: "", verdict: "" },
  });
});
