/**
 * The requests of the one-shot protocol. The one source: types are inferred from it, and `bun run
 * validators` compiles it to `validate.generated.ts`.
 *
 * Unknown fields are ignored, so that requests can grow.
 */
import { type } from "arktype";

const text = type("string > 0").describe("a non-empty string");
const string = type("string").describe("a string");

const request = type({
  version: type("1").describe("the number 1"),
  repo: text,
  contract: text,
});

/** What every request has: enough to know which of the shapes below it must have. */
export const Envelope = type({
  version: type("1").describe("the number 1"),
  operation: type("'check' | 'replace' | 'test'").describe('"check", "replace" or "test"'),
}).readonly();

export const CheckRequest = request.and({ operation: "'check'" }).readonly();

const edit = type({ old_text: text, new_text: string }).readonly();

const replaceRequest = request.and({
  operation: "'replace'",
  path: text,
  expected_sha256: type("/^[0-9a-f]{64}$/ | null").describe("64 lowercase hex digits or null"),
});

/** `replace` with a list of edits. */
export const ReplaceRequest = replaceRequest
  .and({
    edits: edit.array().readonly().atLeastLength(1).atMostLength(16).describe("a list of 1 to 16 edits"),
  })
  .readonly();

/** `replace` with its one edit spelled at the top level. */
export const SingleReplaceRequest = replaceRequest.and(edit).readonly();

export const TestRequest = request.and({ operation: "'test'", "command?": string }).readonly();

export type Envelope = typeof Envelope.infer;
export type CheckRequest = typeof CheckRequest.infer;
export type Edit = typeof edit.infer;
export type ReplaceRequest = typeof ReplaceRequest.infer;
export type SingleReplaceRequest = typeof SingleReplaceRequest.infer;
export type TestRequest = typeof TestRequest.infer;
