/**
 * The records that acceptance reads: the task packet, the submission, a review. The one source: types are
 * inferred from it, and `bun run generate` compiles it to `validate.generated.ts`.
 *
 * Their keys and kinds are shared with an existing loop driver.
 */
import { type } from "arktype";

const text = type("string > 0").describe("a non-empty string");
const texts = text.array().readonly().describe("a list of non-empty strings");
const visible = type(/\S/).describe("a string that is not blank");
const string = type("string").describe("a string");
const one = type("1").describe("the integer 1");
const commit = type(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/).describe("40 or 64 lowercase hex digits");
const digest = type(/^[0-9a-f]{64}$/).describe("64 lowercase hex digits");

const committedFile = type({ path: text, sha256: digest }).readonly();

/** What a task was given. Unknown keys are ignored. */
export const Packet = type({
  task: visible,
  worktree: text,
  branch: text,
  /** The commit that holds the committed inputs. */
  inputs_sha: commit,
  allocation_base: text,
  contract: committedFile,
  expected: committedFile,
  meta: committedFile,
  requirements: texts,
  review_requirements: texts,
}).readonly();

const blocker = type({
  kind: type("'failed' | 'needs-review' | 'blocked-infrastructure'").describe(
    '"failed", "needs-review" or "blocked-infrastructure"',
  ),
  detail: visible,
}).readonly();

/** What an executor hands in. Closed: an outcome under a misspelt key would be lost. */
export const Submission = type({
  "+": "reject",
  schema_version: one,
  task: string,
  source_sha: string,
  "runner_results?": texts,
  "reviews?": texts,
  "assumptions?": type("string[]").readonly().describe("a list of strings"),
  "findings?": "unknown",
  "cleanup?": "unknown",
  "handoff?": "unknown",
  "summary?": "unknown",
  "blockers?": blocker.array().readonly().describe("a list of blockers"),
}).readonly();

const finding = type({
  id: string,
  binding: type("boolean").describe("true or false"),
  disposition: type("'open' | 'resolved' | 'rejected'").describe('"open", "resolved" or "rejected"'),
  "reason?": "unknown",
}).readonly();

/** One reviewer's word on one source. Unknown keys are ignored. */
export const ReviewRecord = type({
  schema_version: one,
  kind: type("'devlyn-review'").describe('"devlyn-review"'),
  task: string,
  engine: visible,
  model: visible,
  source_sha: string,
  contract_sha256: string,
  expected_sha256: string,
  requirements: texts,
  findings: finding.array().readonly().describe("a list of findings"),
}).readonly();

export type Packet = typeof Packet.infer;
export type Submission = typeof Submission.infer;
export type ReviewRecord = typeof ReviewRecord.infer;
