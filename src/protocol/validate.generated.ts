// Made from schema.ts by `bun run generate`. Do not edit.
import { isFields } from "../fields.ts";
import { missing, wrong, type Path, type Problem } from "../problems.ts";
import type { CheckRequest, Envelope, ReplaceRequest, SingleReplaceRequest, TestRequest } from "./schema.ts";

/** Whether `value` is a CheckRequest; adds to `problems` what it lacks. */
export function isCheckRequest(value: unknown, problems: Problem[]): value is CheckRequest {
  const before = problems.length;
  checkRequest(value, [], problems);
  return problems.length === before;
}

/** Whether `value` is a Envelope; adds to `problems` what it lacks. */
export function isEnvelope(value: unknown, problems: Problem[]): value is Envelope {
  const before = problems.length;
  envelope(value, [], problems);
  return problems.length === before;
}

/** Whether `value` is a ReplaceRequest; adds to `problems` what it lacks. */
export function isReplaceRequest(value: unknown, problems: Problem[]): value is ReplaceRequest {
  const before = problems.length;
  replaceRequest(value, [], problems);
  return problems.length === before;
}

/** Whether `value` is a SingleReplaceRequest; adds to `problems` what it lacks. */
export function isSingleReplaceRequest(value: unknown, problems: Problem[]): value is SingleReplaceRequest {
  const before = problems.length;
  singleReplaceRequest(value, [], problems);
  return problems.length === before;
}

/** Whether `value` is a TestRequest; adds to `problems` what it lacks. */
export function isTestRequest(value: unknown, problems: Problem[]): value is TestRequest {
  const before = problems.length;
  testRequest(value, [], problems);
  return problems.length === before;
}

function checkRequest(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "contract")) nonEmptyString(value["contract"], [...path, "contract"], problems);
  else missing(problems, [...path, "contract"], "a non-empty string");
  if (Object.hasOwn(value, "operation")) check(value["operation"], [...path, "operation"], problems);
  else missing(problems, [...path, "operation"], "\"check\"");
  if (Object.hasOwn(value, "repo")) nonEmptyString(value["repo"], [...path, "repo"], problems);
  else missing(problems, [...path, "repo"], "a non-empty string");
  if (Object.hasOwn(value, "version")) number1(value["version"], [...path, "version"], problems);
  else missing(problems, [...path, "version"], "the number 1");
}

function nonEmptyString(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "string" && value.length >= 1)) wrong(problems, path, "a non-empty string", value);
}

function check(value: unknown, path: Path, problems: Problem[]): void {
  if (!(value === "check")) wrong(problems, path, "\"check\"", value);
}

function number1(value: unknown, path: Path, problems: Problem[]): void {
  if (!(value === 1)) wrong(problems, path, "the number 1", value);
}

function envelope(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "operation")) checkReplaceOrTest(value["operation"], [...path, "operation"], problems);
  else missing(problems, [...path, "operation"], "\"check\", \"replace\" or \"test\"");
  if (Object.hasOwn(value, "version")) number1(value["version"], [...path, "version"], problems);
  else missing(problems, [...path, "version"], "the number 1");
}

function checkReplaceOrTest(value: unknown, path: Path, problems: Problem[]): void {
  if (!(value === "check" || value === "replace" || value === "test")) wrong(problems, path, "\"check\", \"replace\" or \"test\"", value);
}

function replaceRequest(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "contract")) nonEmptyString(value["contract"], [...path, "contract"], problems);
  else missing(problems, [...path, "contract"], "a non-empty string");
  if (Object.hasOwn(value, "edits")) listOf1To16Edits(value["edits"], [...path, "edits"], problems);
  else missing(problems, [...path, "edits"], "a list of 1 to 16 edits");
  if (Object.hasOwn(value, "expected_sha256")) value64LowercaseHexDigitsOrNull(value["expected_sha256"], [...path, "expected_sha256"], problems);
  else missing(problems, [...path, "expected_sha256"], "64 lowercase hex digits or null");
  if (Object.hasOwn(value, "operation")) replace(value["operation"], [...path, "operation"], problems);
  else missing(problems, [...path, "operation"], "\"replace\"");
  if (Object.hasOwn(value, "path")) nonEmptyString(value["path"], [...path, "path"], problems);
  else missing(problems, [...path, "path"], "a non-empty string");
  if (Object.hasOwn(value, "repo")) nonEmptyString(value["repo"], [...path, "repo"], problems);
  else missing(problems, [...path, "repo"], "a non-empty string");
  if (Object.hasOwn(value, "version")) number1(value["version"], [...path, "version"], problems);
  else missing(problems, [...path, "version"], "the number 1");
}

function listOf1To16Edits(value: unknown, path: Path, problems: Problem[]): void {
  if (!Array.isArray(value) || value.length < 1 || value.length > 16) return wrong(problems, path, "a list of 1 to 16 edits", value);
  for (const [index, item] of value.entries()) editsItem(item, [...path, index], problems);
}

function editsItem(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "new_text")) string(value["new_text"], [...path, "new_text"], problems);
  else missing(problems, [...path, "new_text"], "a string");
  if (Object.hasOwn(value, "old_text")) nonEmptyString(value["old_text"], [...path, "old_text"], problems);
  else missing(problems, [...path, "old_text"], "a non-empty string");
}

function string(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "string")) wrong(problems, path, "a string", value);
}

function value64LowercaseHexDigitsOrNull(value: unknown, path: Path, problems: Problem[]): void {
  if (!((typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) || value === null)) wrong(problems, path, "64 lowercase hex digits or null", value);
}

function replace(value: unknown, path: Path, problems: Problem[]): void {
  if (!(value === "replace")) wrong(problems, path, "\"replace\"", value);
}

function singleReplaceRequest(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "contract")) nonEmptyString(value["contract"], [...path, "contract"], problems);
  else missing(problems, [...path, "contract"], "a non-empty string");
  if (Object.hasOwn(value, "expected_sha256")) value64LowercaseHexDigitsOrNull(value["expected_sha256"], [...path, "expected_sha256"], problems);
  else missing(problems, [...path, "expected_sha256"], "64 lowercase hex digits or null");
  if (Object.hasOwn(value, "new_text")) string(value["new_text"], [...path, "new_text"], problems);
  else missing(problems, [...path, "new_text"], "a string");
  if (Object.hasOwn(value, "old_text")) nonEmptyString(value["old_text"], [...path, "old_text"], problems);
  else missing(problems, [...path, "old_text"], "a non-empty string");
  if (Object.hasOwn(value, "operation")) replace(value["operation"], [...path, "operation"], problems);
  else missing(problems, [...path, "operation"], "\"replace\"");
  if (Object.hasOwn(value, "path")) nonEmptyString(value["path"], [...path, "path"], problems);
  else missing(problems, [...path, "path"], "a non-empty string");
  if (Object.hasOwn(value, "repo")) nonEmptyString(value["repo"], [...path, "repo"], problems);
  else missing(problems, [...path, "repo"], "a non-empty string");
  if (Object.hasOwn(value, "version")) number1(value["version"], [...path, "version"], problems);
  else missing(problems, [...path, "version"], "the number 1");
}

function testRequest(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "contract")) nonEmptyString(value["contract"], [...path, "contract"], problems);
  else missing(problems, [...path, "contract"], "a non-empty string");
  if (Object.hasOwn(value, "operation")) test(value["operation"], [...path, "operation"], problems);
  else missing(problems, [...path, "operation"], "\"test\"");
  if (Object.hasOwn(value, "repo")) nonEmptyString(value["repo"], [...path, "repo"], problems);
  else missing(problems, [...path, "repo"], "a non-empty string");
  if (Object.hasOwn(value, "version")) number1(value["version"], [...path, "version"], problems);
  else missing(problems, [...path, "version"], "the number 1");
  if (Object.hasOwn(value, "command")) string(value["command"], [...path, "command"], problems);
}

function test(value: unknown, path: Path, problems: Problem[]): void {
  if (!(value === "test")) wrong(problems, path, "\"test\"", value);
}
