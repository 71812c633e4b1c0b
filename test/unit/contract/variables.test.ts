import { expect, test } from "bun:test";
import { contractVariables } from "../../../src/contract/variables.ts";

const of = (id: string, task: string) => contractVariables({ id, task }, "/copy.yaml");

test("a command finds the contract's copy, its id and its task", () => {
  expect(of("fix-1", "Fix it")).toEqual({
    SATYRN_CONTRACT: "/copy.yaml",
    SATYRN_CONTRACT_ID: "fix-1",
    SATYRN_TASK: "Fix it",
  });
});

test.each([
  ["holds a NUL", "a\0b"],
  ["is one byte too long, counted in UTF-8", `\u00fc${"x".repeat(128 * 1024 - "SATYRN_TASK=".length - 2)}`],
])("a task that %s is left out, and nothing else", (_, task) => {
  expect(of("fix-1", task)).toEqual({ SATYRN_CONTRACT: "/copy.yaml", SATYRN_CONTRACT_ID: "fix-1" });
});

test("the longest task there can be is handed on", () => {
  const task = "x".repeat(128 * 1024 - "SATYRN_TASK=".length - 1);
  expect(of("fix-1", task)).toHaveProperty("SATYRN_TASK", task);
});

test("an id that no variable can hold is left out", () => {
  expect(of("a\0b", "t")).toEqual({ SATYRN_CONTRACT: "/copy.yaml", SATYRN_TASK: "t" });
});
