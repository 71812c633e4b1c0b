// Made from schema.ts by `bun run generate`. Do not edit.
import { isFields } from "../fields.ts";
import { missing, undeclared, wrong, type Path, type Problem } from "../problems.ts";
import type { Packet, ReviewRecord, Submission } from "./schema.ts";

/** Whether `value` is a Packet; adds to `problems` what it lacks. */
export function isPacket(value: unknown, problems: Problem[]): value is Packet {
  const before = problems.length;
  packet(value, [], problems);
  return problems.length === before;
}

/** Whether `value` is a ReviewRecord; adds to `problems` what it lacks. */
export function isReviewRecord(value: unknown, problems: Problem[]): value is ReviewRecord {
  const before = problems.length;
  reviewRecord(value, [], problems);
  return problems.length === before;
}

/** Whether `value` is a Submission; adds to `problems` what it lacks. */
export function isSubmission(value: unknown, problems: Problem[]): value is Submission {
  const before = problems.length;
  submission(value, [], problems);
  return problems.length === before;
}

function packet(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "allocation_base")) nonEmptyString(value["allocation_base"], [...path, "allocation_base"], problems);
  else missing(problems, [...path, "allocation_base"], "a non-empty string");
  if (Object.hasOwn(value, "branch")) nonEmptyString(value["branch"], [...path, "branch"], problems);
  else missing(problems, [...path, "branch"], "a non-empty string");
  if (Object.hasOwn(value, "contract")) contract(value["contract"], [...path, "contract"], problems);
  else missing(problems, [...path, "contract"], "an object");
  if (Object.hasOwn(value, "expected")) contract(value["expected"], [...path, "expected"], problems);
  else missing(problems, [...path, "expected"], "an object");
  if (Object.hasOwn(value, "inputs_sha")) value40Or64LowercaseHexDigits(value["inputs_sha"], [...path, "inputs_sha"], problems);
  else missing(problems, [...path, "inputs_sha"], "40 or 64 lowercase hex digits");
  if (Object.hasOwn(value, "meta")) contract(value["meta"], [...path, "meta"], problems);
  else missing(problems, [...path, "meta"], "an object");
  if (Object.hasOwn(value, "requirements")) listOfNonEmptyStrings(value["requirements"], [...path, "requirements"], problems);
  else missing(problems, [...path, "requirements"], "a list of non-empty strings");
  if (Object.hasOwn(value, "review_requirements")) listOfNonEmptyStrings(value["review_requirements"], [...path, "review_requirements"], problems);
  else missing(problems, [...path, "review_requirements"], "a list of non-empty strings");
  if (Object.hasOwn(value, "task")) stringThatIsNotBlank(value["task"], [...path, "task"], problems);
  else missing(problems, [...path, "task"], "a string that is not blank");
  if (Object.hasOwn(value, "worktree")) nonEmptyString(value["worktree"], [...path, "worktree"], problems);
  else missing(problems, [...path, "worktree"], "a non-empty string");
}

function nonEmptyString(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "string" && value.length >= 1)) wrong(problems, path, "a non-empty string", value);
}

function contract(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "path")) nonEmptyString(value["path"], [...path, "path"], problems);
  else missing(problems, [...path, "path"], "a non-empty string");
  if (Object.hasOwn(value, "sha256")) value64LowercaseHexDigits(value["sha256"], [...path, "sha256"], problems);
  else missing(problems, [...path, "sha256"], "64 lowercase hex digits");
}

function value64LowercaseHexDigits(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "string" && /^[0-9a-f]{64}$/.test(value))) wrong(problems, path, "64 lowercase hex digits", value);
}

function value40Or64LowercaseHexDigits(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value))) wrong(problems, path, "40 or 64 lowercase hex digits", value);
}

function listOfNonEmptyStrings(value: unknown, path: Path, problems: Problem[]): void {
  if (!Array.isArray(value)) return wrong(problems, path, "a list of non-empty strings", value);
  for (const [index, item] of value.entries()) nonEmptyString(item, [...path, index], problems);
}

function stringThatIsNotBlank(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "string" && /\S/.test(value))) wrong(problems, path, "a string that is not blank", value);
}

function reviewRecord(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "contract_sha256")) string(value["contract_sha256"], [...path, "contract_sha256"], problems);
  else missing(problems, [...path, "contract_sha256"], "a string");
  if (Object.hasOwn(value, "engine")) stringThatIsNotBlank(value["engine"], [...path, "engine"], problems);
  else missing(problems, [...path, "engine"], "a string that is not blank");
  if (Object.hasOwn(value, "expected_sha256")) string(value["expected_sha256"], [...path, "expected_sha256"], problems);
  else missing(problems, [...path, "expected_sha256"], "a string");
  if (Object.hasOwn(value, "findings")) listOfFindings(value["findings"], [...path, "findings"], problems);
  else missing(problems, [...path, "findings"], "a list of findings");
  if (Object.hasOwn(value, "kind")) devlynReview(value["kind"], [...path, "kind"], problems);
  else missing(problems, [...path, "kind"], "\"devlyn-review\"");
  if (Object.hasOwn(value, "model")) stringThatIsNotBlank(value["model"], [...path, "model"], problems);
  else missing(problems, [...path, "model"], "a string that is not blank");
  if (Object.hasOwn(value, "requirements")) listOfNonEmptyStrings(value["requirements"], [...path, "requirements"], problems);
  else missing(problems, [...path, "requirements"], "a list of non-empty strings");
  if (Object.hasOwn(value, "schema_version")) integer1(value["schema_version"], [...path, "schema_version"], problems);
  else missing(problems, [...path, "schema_version"], "the integer 1");
  if (Object.hasOwn(value, "source_sha")) string(value["source_sha"], [...path, "source_sha"], problems);
  else missing(problems, [...path, "source_sha"], "a string");
  if (Object.hasOwn(value, "task")) string(value["task"], [...path, "task"], problems);
  else missing(problems, [...path, "task"], "a string");
}

function string(value: unknown, path: Path, problems: Problem[]): void {
  if (!(typeof value === "string")) wrong(problems, path, "a string", value);
}

function listOfFindings(value: unknown, path: Path, problems: Problem[]): void {
  if (!Array.isArray(value)) return wrong(problems, path, "a list of findings", value);
  for (const [index, item] of value.entries()) findingsItem(item, [...path, index], problems);
}

function findingsItem(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "binding")) trueOrFalse(value["binding"], [...path, "binding"], problems);
  else missing(problems, [...path, "binding"], "true or false");
  if (Object.hasOwn(value, "disposition")) openResolvedOrRejected(value["disposition"], [...path, "disposition"], problems);
  else missing(problems, [...path, "disposition"], "\"open\", \"resolved\" or \"rejected\"");
  if (Object.hasOwn(value, "id")) string(value["id"], [...path, "id"], problems);
  else missing(problems, [...path, "id"], "a string");
  if (Object.hasOwn(value, "reason")) anything(value["reason"], [...path, "reason"], problems);
}

function trueOrFalse(value: unknown, path: Path, problems: Problem[]): void {
  if (!(value === false || value === true)) wrong(problems, path, "true or false", value);
}

function openResolvedOrRejected(value: unknown, path: Path, problems: Problem[]): void {
  if (!(value === "open" || value === "rejected" || value === "resolved")) wrong(problems, path, "\"open\", \"resolved\" or \"rejected\"", value);
}

function anything(value: unknown, path: Path, problems: Problem[]): void {
  if (!(true)) wrong(problems, path, "anything", value);
}

function devlynReview(value: unknown, path: Path, problems: Problem[]): void {
  if (!(value === "devlyn-review")) wrong(problems, path, "\"devlyn-review\"", value);
}

function integer1(value: unknown, path: Path, problems: Problem[]): void {
  if (!(value === 1)) wrong(problems, path, "the integer 1", value);
}

function submission(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "schema_version")) integer1(value["schema_version"], [...path, "schema_version"], problems);
  else missing(problems, [...path, "schema_version"], "the integer 1");
  if (Object.hasOwn(value, "source_sha")) string(value["source_sha"], [...path, "source_sha"], problems);
  else missing(problems, [...path, "source_sha"], "a string");
  if (Object.hasOwn(value, "task")) string(value["task"], [...path, "task"], problems);
  else missing(problems, [...path, "task"], "a string");
  if (Object.hasOwn(value, "assumptions")) listOfStrings(value["assumptions"], [...path, "assumptions"], problems);
  if (Object.hasOwn(value, "blockers")) listOfBlockers(value["blockers"], [...path, "blockers"], problems);
  if (Object.hasOwn(value, "cleanup")) anything(value["cleanup"], [...path, "cleanup"], problems);
  if (Object.hasOwn(value, "findings")) anything(value["findings"], [...path, "findings"], problems);
  if (Object.hasOwn(value, "handoff")) anything(value["handoff"], [...path, "handoff"], problems);
  if (Object.hasOwn(value, "reviews")) listOfNonEmptyStrings(value["reviews"], [...path, "reviews"], problems);
  if (Object.hasOwn(value, "runner_results")) listOfNonEmptyStrings(value["runner_results"], [...path, "runner_results"], problems);
  if (Object.hasOwn(value, "summary")) anything(value["summary"], [...path, "summary"], problems);
  for (const key of Object.keys(value)) {
    if (!["schema_version","source_sha","task","assumptions","blockers","cleanup","findings","handoff","reviews","runner_results","summary"].includes(key)) undeclared(problems, [...path, key], value[key]);
  }
}

function listOfStrings(value: unknown, path: Path, problems: Problem[]): void {
  if (!Array.isArray(value)) return wrong(problems, path, "a list of strings", value);
  for (const [index, item] of value.entries()) string(item, [...path, index], problems);
}

function listOfBlockers(value: unknown, path: Path, problems: Problem[]): void {
  if (!Array.isArray(value)) return wrong(problems, path, "a list of blockers", value);
  for (const [index, item] of value.entries()) blockersItem(item, [...path, index], problems);
}

function blockersItem(value: unknown, path: Path, problems: Problem[]): void {
  if (!isFields(value)) return wrong(problems, path, "an object", value);
  if (Object.hasOwn(value, "detail")) stringThatIsNotBlank(value["detail"], [...path, "detail"], problems);
  else missing(problems, [...path, "detail"], "a string that is not blank");
  if (Object.hasOwn(value, "kind")) failedNeedsReviewOrBlockedInfrastructure(value["kind"], [...path, "kind"], problems);
  else missing(problems, [...path, "kind"], "\"failed\", \"needs-review\" or \"blocked-infrastructure\"");
}

function failedNeedsReviewOrBlockedInfrastructure(value: unknown, path: Path, problems: Problem[]): void {
  if (!(value === "blocked-infrastructure" || value === "failed" || value === "needs-review")) wrong(problems, path, "\"failed\", \"needs-review\" or \"blocked-infrastructure\"", value);
}
