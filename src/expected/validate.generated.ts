// Made from schema.ts by `bun run generate`. Do not edit.
import { isFields } from "../fields.ts";
import { missing, undeclared, wrong, type Path, type Problem } from "../problems.ts";
import type { Expected } from "./schema.ts";

/** Whether `value` is a Expected; adds to `problems` what it lacks. */
export function isExpected(value: unknown, problems: Problem[]): value is Expected {
  const before = problems.length;
  expected(value, [], problems);
  return problems.length === before;
}

function expected(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "forbidden_files")) listOfNonEmptyStrings(value["forbidden_files"], [...path, "forbidden_files"], problems);
  if (Object.hasOwn(value, "forbidden_patterns")) listOfForbiddenPatterns(value["forbidden_patterns"], [...path, "forbidden_patterns"], problems);
  if (Object.hasOwn(value, "max_deps_added")) int0NotBool(value["max_deps_added"], [...path, "max_deps_added"], problems);
  if (Object.hasOwn(value, "pure_design")) trueOrFalse(value["pure_design"], [...path, "pure_design"], problems);
  if (Object.hasOwn(value, "required_files")) listOfNonEmptyStrings(value["required_files"], [...path, "required_files"], problems);
  if (Object.hasOwn(value, "verification_commands")) listOfCommands(value["verification_commands"], [...path, "verification_commands"], problems);
  for (const key of Object.keys(value)) {
    if (!["forbidden_files","forbidden_patterns","max_deps_added","pure_design","required_files","verification_commands"].includes(key)) undeclared(problems, [...path, key], value[key]);
  }
}

function listOfNonEmptyStrings(value: unknown, path: Path, problems: Problem[]): void {
  if (!Array.isArray(value)) return wrong(problems, path, "a list of non-empty strings", value);
  for (const [index, item] of value.entries()) nonEmptyString(item, [...path, index], problems);
}

function nonEmptyString(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "string" && value.length >= 1)) wrong(problems, path, "a non-empty string", value);
}

function listOfForbiddenPatterns(value: unknown, path: Path, problems: Problem[]): void {
  if (!Array.isArray(value)) return wrong(problems, path, "a list of forbidden patterns", value);
  for (const [index, item] of value.entries()) forbiddenPatternsItem(item, [...path, index], problems);
}

function forbiddenPatternsItem(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "description")) nonEmptyString(value["description"], [...path, "description"], problems);
  else missing(problems, [...path, "description"], "a non-empty string");
  if (Object.hasOwn(value, "pattern")) nonEmptyString(value["pattern"], [...path, "pattern"], problems);
  else missing(problems, [...path, "pattern"], "a non-empty string");
  if (Object.hasOwn(value, "severity")) disqualifierOrWarning(value["severity"], [...path, "severity"], problems);
  else missing(problems, [...path, "severity"], "\"disqualifier\" or \"warning\"");
  if (Object.hasOwn(value, "files")) listOfNonEmptyStrings(value["files"], [...path, "files"], problems);
  for (const key of Object.keys(value)) {
    if (!["description","pattern","severity","files"].includes(key)) undeclared(problems, [...path, key], value[key]);
  }
}

function disqualifierOrWarning(value: unknown, path: Path, problems: Problem[]): void {
  if (!(value === "disqualifier" || value === "warning")) wrong(problems, path, "\"disqualifier\" or \"warning\"", value);
}

function int0NotBool(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "number" && !Number.isNaN(value) && value % 1 === 0 && value >= 0)) wrong(problems, path, "int >= 0 (not bool)", value);
}

function trueOrFalse(value: unknown, path: Path, problems: Problem[]): void {
  if (!(value === false || value === true)) wrong(problems, path, "true or false", value);
}

function listOfCommands(value: unknown, path: Path, problems: Problem[]): void {
  if (!Array.isArray(value)) return wrong(problems, path, "a list of commands", value);
  for (const [index, item] of value.entries()) verificationCommandsItem(item, [...path, index], problems);
}

function verificationCommandsItem(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "argv")) nonEmptyListOfStrings(value["argv"], [...path, "argv"], problems);
  if (Object.hasOwn(value, "cmd")) stringThatIsNotBlank(value["cmd"], [...path, "cmd"], problems);
  if (Object.hasOwn(value, "contract_refs")) listOfNonEmptyStrings(value["contract_refs"], [...path, "contract_refs"], problems);
  if (Object.hasOwn(value, "exit_code")) intNotBool(value["exit_code"], [...path, "exit_code"], problems);
  if (Object.hasOwn(value, "stdout_contains")) listOfNonEmptyStrings(value["stdout_contains"], [...path, "stdout_contains"], problems);
  if (Object.hasOwn(value, "stdout_not_contains")) listOfNonEmptyStrings(value["stdout_not_contains"], [...path, "stdout_not_contains"], problems);
  if (Object.hasOwn(value, "timeout_sec")) intFrom1To600NotBool(value["timeout_sec"], [...path, "timeout_sec"], problems);
  for (const key of Object.keys(value)) {
    if (!["argv","cmd","contract_refs","exit_code","stdout_contains","stdout_not_contains","timeout_sec"].includes(key)) undeclared(problems, [...path, key], value[key]);
  }
}

function nonEmptyListOfStrings(value: unknown, path: Path, problems: Problem[]): void {
  if (!Array.isArray(value) || value.length < 1) return wrong(problems, path, "a non-empty list of strings", value);
  for (const [index, item] of value.entries()) string(item, [...path, index], problems);
}

function string(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "string")) wrong(problems, path, "a string", value);
}

function stringThatIsNotBlank(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "string" && /\S/.test(value))) wrong(problems, path, "a string that is not blank", value);
}

function intNotBool(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "number" && !Number.isNaN(value) && value % 1 === 0)) wrong(problems, path, "int (not bool)", value);
}

function intFrom1To600NotBool(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "number" && !Number.isNaN(value) && value % 1 === 0 && value >= 1 && value <= 600)) wrong(problems, path, "int from 1 to 600 (not bool)", value);
}
