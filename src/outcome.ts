/**
 * The closed vocabularies: exit statuses, result codes, and the shape of a refusal.
 *
 * Coarse outcomes and exit statuses are derived from codes, never chosen beside them, so that a result
 * cannot contradict itself.
 */

/** Exit statuses of the executable. Never renumbered; 1 is only ever an uncaught internal error. */
export const exitStatus = {
  OK: 0,
  USAGE: 2,
  CONTRACT_UNREADABLE: 3,
  CONTRACT_INVALID_YAML: 4,
  CONTRACT_MISSING_FIELD: 5,
  REPO_UNAVAILABLE: 6,
  INVALID_REQUEST: 7,
  NO_CANDIDATE: 8,
  MUTATION_REFUSED: 9,
  ATTEMPT_FAILED: 10,
  TEST_COMMAND_UNAVAILABLE: 11,
  TEST_COMMAND_NOT_ALLOWED: 12,
  TESTS_FAILED: 13,
  BUDGET_EXHAUSTED: 14,
  ACCEPTANCE_BLOCKED: 20,
  ACCEPTANCE_FAILED: 21,
} as const;

/** Status of a crash, and of a caller that closed stdout before the result was written. */
export const internalError = 1;

export type ExitName = keyof typeof exitStatus;
export type ExitStatus = (typeof exitStatus)[ExitName] | typeof internalError;

/** Why a contract or its repository was refused; the same codes in every operation that begins with `check`. */
export type CheckRefusalCode =
  | "CONTRACT_UNREADABLE"
  | "CONTRACT_INVALID_YAML"
  | "CONTRACT_MISSING_FIELD"
  | "REPO_UNAVAILABLE";

/** Why an accepted replacement was refused. All exit 9. */
export type MutationRefusalCode =
  | "PATH_UNDECLARED"
  | "MUTATION_FAILED"
  | "REVISION_UNAVAILABLE"
  | "REVISION_STALE"
  | "NO_CHANGE_REQUESTED"
  | "ANCHOR_ALREADY_APPLIED"
  | "ANCHOR_MISSING"
  | "ANCHOR_AMBIGUOUS";

/** Why the contract's test command was not run. */
export type TestRefusalCode = "TEST_COMMAND_UNAVAILABLE" | "TEST_COMMAND_NOT_ALLOWED";

export type DeliveryOutcome = "candidate-created" | "discarded" | "refused";

/** Every code a receipt can carry, with the outcome and exit status that follow from it. */
export const deliveryCodes = {
  OK: ["candidate-created", exitStatus.OK],
  CONTRACT_UNREADABLE: ["refused", exitStatus.CONTRACT_UNREADABLE],
  CONTRACT_INVALID_YAML: ["refused", exitStatus.CONTRACT_INVALID_YAML],
  CONTRACT_MISSING_FIELD: ["refused", exitStatus.CONTRACT_MISSING_FIELD],
  REPO_UNAVAILABLE: ["refused", exitStatus.REPO_UNAVAILABLE],
  REPO_NOT_GIT: ["refused", exitStatus.NO_CANDIDATE],
  REPO_DIRTY: ["refused", exitStatus.NO_CANDIDATE],
  BASE_UNAVAILABLE: ["refused", exitStatus.NO_CANDIDATE],
  INVALID_CANDIDATE_ID: ["refused", exitStatus.NO_CANDIDATE],
  CANDIDATE_EXISTS: ["refused", exitStatus.NO_CANDIDATE],
  COMMAND_UNAVAILABLE: ["refused", exitStatus.NO_CANDIDATE],
  COMMAND_TIMEOUT: ["discarded", exitStatus.NO_CANDIDATE],
  COMMAND_FAILED: ["discarded", exitStatus.NO_CANDIDATE],
  COMMAND_CHANGED_HEAD: ["discarded", exitStatus.NO_CANDIDATE],
  COMMAND_CHANGED_GIT_STATE: ["discarded", exitStatus.NO_CANDIDATE],
  NO_CHANGES: ["discarded", exitStatus.NO_CANDIDATE],
  PATH_UNDECLARED: ["discarded", exitStatus.NO_CANDIDATE],
  NESTED_REPOSITORY: ["discarded", exitStatus.NO_CANDIDATE],
  VERIFICATION_FAILED: ["discarded", exitStatus.ACCEPTANCE_FAILED],
  INTERRUPTED: ["discarded", exitStatus.NO_CANDIDATE],
  GIT_FAILED: ["refused", exitStatus.NO_CANDIDATE],
  CLEANUP_FAILED: ["refused", exitStatus.NO_CANDIDATE],
} as const satisfies Record<string, readonly [DeliveryOutcome, ExitStatus]>;

export type DeliveryCode = keyof typeof deliveryCodes;

/** Why a recovery did not begin, with the exit status that follows. INTERRUPTED: before anything was looked at. */
export const recoverStatus = {
  REPO_UNAVAILABLE: exitStatus.REPO_UNAVAILABLE,
  REPO_NOT_GIT: exitStatus.NO_CANDIDATE,
  GIT_FAILED: exitStatus.NO_CANDIDATE,
  INTERRUPTED: exitStatus.NO_CANDIDATE,
} as const satisfies Record<string, ExitStatus>;

export type RecoverRefusalCode = keyof typeof recoverStatus;

/** A deliberate, named rejection: an expected value, never an exception. */
export interface Refusal<Code extends string> {
  readonly ok: false;
  readonly code: Code;
  readonly message: string;
}

export interface Success<Value> {
  readonly ok: true;
  readonly value: Value;
}

export type Result<Value, Code extends string> = Success<Value> | Refusal<Code>;

export function success<Value>(value: Value): Success<Value> {
  return { ok: true, value };
}

export function refusal<Code extends string>(code: Code, message: string): Refusal<Code> {
  return { ok: false, code, message };
}

/** `text` with control characters escaped, so that a name taken from outside stays on one line. */
export function oneLine(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => named[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const named: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
