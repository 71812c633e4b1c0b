/**
 * The responses of the one-shot protocol, as they are published. The compiler holds codes and results against
 * those of the operations, so that neither can grow without the other.
 */
import { type } from "arktype";
import type { Sha256 } from "../files/digest.ts";
import type { Replaced } from "../mutation/replace.ts";
import type { CheckRefusalCode, MutationRefusalCode, TestRefusalCode } from "../outcome.ts";
import type { TestRun } from "../test-command.ts";
import type { ResponseCode } from "./handler.ts";

const accepted = { "+": "reject", version: "1", ok: "true", code: "'OK'", message: "''" } as const;
const refused = { "+": "reject", version: "1", ok: "false", message: "string > 0" } as const;
const malformed = type({ ...refused, code: "'INVALID_REQUEST'" });

const checkRefusal = type.enumerated(
  "CONTRACT_UNREADABLE",
  "CONTRACT_INVALID_YAML",
  "CONTRACT_MISSING_FIELD",
  "REPO_UNAVAILABLE",
);
const mutationRefusal = type.enumerated(
  "PATH_UNDECLARED",
  "MUTATION_FAILED",
  "REVISION_UNAVAILABLE",
  "REVISION_STALE",
  "NO_CHANGE_REQUESTED",
  "ANCHOR_ALREADY_APPLIED",
  "ANCHOR_MISSING",
  "ANCHOR_AMBIGUOUS",
);
const testRefusal = type.enumerated("TEST_COMMAND_UNAVAILABLE", "TEST_COMMAND_NOT_ALLOWED");

const replaced = type({
  "+": "reject",
  path: "string > 0",
  sha256: type(/^[0-9a-f]{64}$/).as<Sha256>(),
  region: "string",
  match: "'exact' | 'crlf'",
}).readonly();
const tested = type({
  "+": "reject",
  exit_code: "number.integer | null",
  output: "string",
  truncated: "boolean",
  timed_out: "boolean",
}).readonly();

/** To a request of which no operation is known, too. */
export const CheckResponse = type(accepted)
  .or({ ...refused, code: checkRefusal })
  .or(malformed);
export const ReplaceResponse = type({ ...accepted, result: replaced })
  .or({ ...refused, code: checkRefusal.or(mutationRefusal), result: "null" })
  .or(malformed);
export const TestResponse = type({ ...accepted, result: tested })
  .or({ ...refused, code: checkRefusal.or(testRefusal), result: "null" })
  .or(malformed);

/** Whether two types are one, to the last field; `satisfies` takes no for an error. */
type Same<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;

true satisfies Same<typeof checkRefusal.infer, CheckRefusalCode>;
true satisfies Same<typeof mutationRefusal.infer, MutationRefusalCode>;
true satisfies Same<typeof testRefusal.infer, TestRefusalCode>;
true satisfies Same<
  (typeof ReplaceResponse.infer | typeof TestResponse.infer | typeof CheckResponse.infer)["code"],
  ResponseCode
>;
true satisfies Same<typeof replaced.infer, Readonly<Replaced>>;
true satisfies Same<typeof tested.infer, Readonly<TestRun>>;
