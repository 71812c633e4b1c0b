// Made from schema.ts by `bun run validators`. Do not edit.
import { isFields } from "../fields.ts";
import { missing, wrong, type Path, type Problem } from "../problems.ts";
import type { Contract } from "./schema.ts";

/** Whether `value` is a Contract; adds to `problems` what it lacks. */
export function isContract(value: unknown, problems: Problem[]): value is Contract {
  const before = problems.length;
  contract(value, [], problems);
  return problems.length === before;
}

function contract(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "id")) stringThatIsNotBlank(value["id"], [...path, "id"], problems);
  else missing(problems, [...path, "id"], "a string that is not blank");
  if (Object.hasOwn(value, "task")) stringThatIsNotBlank(value["task"], [...path, "task"], problems);
  else missing(problems, [...path, "task"], "a string that is not blank");
  if (Object.hasOwn(value, "acceptance")) acceptance(value["acceptance"], [...path, "acceptance"], problems);
  if (Object.hasOwn(value, "test_command")) nonEmptyListOfNonEmptyStrings(value["test_command"], [...path, "test_command"], problems);
  if (Object.hasOwn(value, "writable_paths")) listOfNonEmptyStrings(value["writable_paths"], [...path, "writable_paths"], problems);
}

function stringThatIsNotBlank(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "string" && /[^\t\n\v\f\r ]/.test(value))) wrong(problems, path, "a string that is not blank", value);
}

function acceptance(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "a mapping", value);
}

function nonEmptyListOfNonEmptyStrings(value: unknown, path: Path, problems: Problem[]): void {
  if (!Array.isArray(value) || value.length < 1) return wrong(problems, path, "a non-empty list of non-empty strings", value);
  for (const [index, item] of value.entries()) nonEmptyString(item, [...path, index], problems);
}

function nonEmptyString(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "string" && value.length >= 1)) wrong(problems, path, "a non-empty string", value);
}

function listOfNonEmptyStrings(value: unknown, path: Path, problems: Problem[]): void {
  if (!Array.isArray(value)) return wrong(problems, path, "a list of non-empty strings", value);
  for (const [index, item] of value.entries()) nonEmptyString(item, [...path, index], problems);
}
