/**
 * What a change is expected to satisfy: the file of that name in a task, and a contract's `acceptance`. The
 * one source: types are inferred from it, and `bun run generate` compiles it to `validate.generated.ts`.
 *
 * Closed everywhere: a misspelt check would be a check that never runs.
 */
import { type } from "arktype";

const text = type("string > 0").describe("a non-empty string");
const texts = text.array().readonly().describe("a list of non-empty strings");
const integer = type("number.integer").describe("int (not bool)");

const command = type({
  "+": "reject",
  /** A line for the system's shell. Exactly one of `cmd` and `argv` is there. */
  "cmd?": type(/\S/).describe("a string that is not blank"),
  /** An exact argument vector, program first. */
  "argv?": type("string").array().readonly().atLeastLength(1).describe("a non-empty list of strings"),
  /** Status that passes; 0 if it is left out. */
  "exit_code?": integer,
  /** Seconds; 60 if it is left out. */
  "timeout_sec?": type("1 <= number.integer <= 600").describe("int from 1 to 600 (not bool)"),
  "stdout_contains?": texts,
  "stdout_not_contains?": texts,
  /** What of a contract the command shows; named in its reason. */
  "contract_refs?": texts,
}).readonly();

const forbiddenPattern = type({
  "+": "reject",
  pattern: text,
  description: text,
  /** A warning is recorded and does not block. */
  severity: type("'disqualifier' | 'warning'").describe('"disqualifier" or "warning"'),
  /** Restricts the search to files whose `diff --git` line contains one of these; an empty list restricts nothing. */
  "files?": texts,
}).readonly();

export const Expected = type({
  "+": "reject",
  "verification_commands?": command.array().readonly().describe("a list of commands"),
  "forbidden_patterns?": forbiddenPattern.array().readonly().describe("a list of forbidden patterns"),
  "required_files?": texts,
  "forbidden_files?": texts,
  "max_deps_added?": type("number.integer >= 0").describe("int >= 0 (not bool)"),
  "pure_design?": type("boolean").describe("true or false"),
}).readonly();

export type VerificationCommand = typeof command.infer;
export type ForbiddenPattern = typeof forbiddenPattern.infer;
export type Expected = typeof Expected.infer;
