import { expect, test } from "bun:test";
import { candidateIdProblem } from "../../../src/repository/candidate-ref.ts";

test("a dot at the end of an id is one on Windows alone, where it would be lost", () => {
  expect(candidateIdProblem("v1.", "linux")).toBeUndefined();
  expect(candidateIdProblem("v1.", "win32")).toBe("ends with '.', which Windows drops");
  expect(candidateIdProblem("v1.0", "win32")).toBeUndefined();
});
