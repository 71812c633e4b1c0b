/**
 * The receipt. The one source: its type is inferred from it, and the published JSON Schema is its rendering.
 *
 * Closed: a receipt with more fields is of another version.
 */
import { type } from "arktype";
import { Verification } from "../acceptance/verification-schema.ts";
import { type DeliveryCode, type DeliveryOutcome, deliveryCodes } from "../outcome.ts";

const codes = Object.keys(deliveryCodes) as DeliveryCode[];
const outcomes: DeliveryOutcome[] = [...new Set(codes.map((code) => deliveryCodes[code][0]))];
const commit = type(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
const strings = type("string[]").readonly();

/** Every field. */
export const Receipt = type({
  "+": "reject",
  version: "1",
  outcome: type.enumerated(...outcomes),
  code: type.enumerated(...codes),
  message: "string",
  contract_id: "string | null",
  repository: "string",
  base_commit: commit.or("null"),
  candidate_ref: "string | null",
  candidate_commit: commit.or("null"),
  changed_paths: strings.or("null"),
  command_exit: "number.integer | null",
  worktree_path: "string | null",
  source_drift: strings.or("null"),
  verification: Verification.or("null"),
  engine_version: "string",
  duration_ms: "number.integer >= 0",
}).readonly();

export type Receipt = typeof Receipt.infer;
