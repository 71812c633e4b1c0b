/** What a change is expected to satisfy, checked as a whole. */
import { describe, type Problem, placeOf } from "../problems.ts";
import type { Expected, ForbiddenPattern, VerificationCommand } from "./schema.ts";
import { isExpected } from "./validate.generated.ts";

export type { Expected, ForbiddenPattern, VerificationCommand } from "./schema.ts";

/** Whether `value` states what is expected; adds to `problems` everything it gets wrong. */
export function checkExpected(value: unknown, problems: Problem[]): value is Expected {
  if (!isExpected(value, problems)) return false;
  problems.push(...beyondShape(value));
  return problems.length === 0;
}

/** What a schema cannot say; asked only of a value that fits it. */
export function beyondShape(expected: Expected): readonly Problem[] {
  return [
    ...(expected.verification_commands ?? []).flatMap(commandProblems),
    ...(expected.forbidden_patterns ?? []).flatMap(patternProblems),
  ];
}

function commandProblems(command: VerificationCommand, index: number): readonly Problem[] {
  const path = ["verification_commands", index];
  if ((command.cmd === undefined) === (command.argv === undefined)) {
    const expected = "a command with exactly one of cmd and argv";
    return [{ kind: "wrong", path, expected, found: command }];
  }
  if (command.argv?.[0] !== "") return [];
  return [{ kind: "wrong", path: [...path, "argv", 0], expected: "a non-empty string", found: "" }];
}

function patternProblems({ pattern }: ForbiddenPattern, index: number): readonly Problem[] {
  const { parsePattern } = patterns();
  const parsed = parsePattern(pattern);
  if (!("problem" in parsed)) return [];
  const expected = `a pattern of Python's re (${parsed.problem})`;
  return [{ kind: "wrong", path: ["forbidden_patterns", index, "pattern"], expected, found: pattern }];
}

/** One problem in words: `verification_commands[2].timeout_sec must be int from 1 to 600 (not bool)`. */
export function explainProblem({ kind, path, expected, found }: Problem): string {
  const place = placeOf(path) || "the top level";
  if (kind === "missing") return `${place} is missing`;
  if (kind === "undeclared") return `${place} is unknown`;
  const said = typeof found === "boolean" && expected.endsWith("(not bool)");
  return `${place} must be ${expected}${said ? "" : `, not ${describe(found)}`}`;
}

/** Loaded late: most contracts have no patterns. */
function patterns(): typeof import("./pattern/parse.ts") {
  return require("./pattern/parse.ts");
}
