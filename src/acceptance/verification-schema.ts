/**
 * What a derivation records of checks and guards, as results and receipts hold it. The one source: types are
 * inferred from it, and the published JSON Schema of receipts is its rendering.
 */
import { type } from "arktype";
import type { Sha256 } from "../files/digest.ts";

const count = type("number.integer >= 0");

const StreamRecord = type({
  "+": "reject",
  path: "string",
  sha256: type(/^[0-9a-f]{64}$/).as<Sha256>(),
  bytes: count,
}).readonly();

/** How a command ended. */
const Outcome = type({ "+": "reject", kind: "'exit'", exit_code: "number.integer" })
  .or({ "+": "reject", kind: "'signal'", signal: count })
  .or({ "+": "reject", kind: "'timeout'", timeout_sec: count })
  .or({ "+": "reject", kind: "'spawn_error'", error: "string" })
  .readonly();

const strings = type("string[]").readonly();

/** What is known of one check; the field names are those of the result file. */
const CommandRecord = type({
  "+": "reject",
  index: count,
  outcome: Outcome,
  stdout: StreamRecord,
  stderr: StreamRecord,
  passed: "boolean",
  reason: "string | null",
  command: type({ "+": "reject", cmd: "string" }).or({ "+": "reject", argv: strings }).readonly(),
  contract_refs: strings,
  /** The result file an intact outcome was taken from, instead of running the command. */
  "reused_from?": "string",
}).readonly();

const Guard = type({
  "+": "reject",
  rule: "string",
  subject: "string",
  passed: "boolean",
  /** Whether it fails the task if it did not pass. */
  blocking: "boolean",
}).readonly();

/** The receipt's `verification`. */
export const Verification = type({
  "+": "reject",
  passed: "boolean",
  commands: CommandRecord.array().readonly(),
  guards: Guard.array().readonly(),
  reasons: strings,
}).readonly();

export type StreamRecord = typeof StreamRecord.infer;
export type Outcome = typeof Outcome.infer;
export type CommandRecord = typeof CommandRecord.infer;
export type Guard = typeof Guard.infer;
export type Verification = typeof Verification.infer;
