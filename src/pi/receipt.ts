/** The receipt of a delivery, as the adapter reads it. */
import { isStrings, type JsonObject } from "./json.ts";

export interface Refused {
  readonly code: string;
  readonly message: string;
}

export interface Candidate extends Refused {
  readonly ref: string;
  readonly commit: string;
  /** Number of changed paths. */
  readonly changed: number;
}

/** The outcome that belongs to each code. */
const outcomes: Readonly<Record<string, string>> = {
  OK: "candidate-created",
  CONTRACT_UNREADABLE: "refused",
  CONTRACT_INVALID_YAML: "refused",
  CONTRACT_MISSING_FIELD: "refused",
  REPO_UNAVAILABLE: "refused",
  REPO_NOT_GIT: "refused",
  REPO_DIRTY: "refused",
  BASE_UNAVAILABLE: "refused",
  INVALID_CANDIDATE_ID: "refused",
  CANDIDATE_EXISTS: "refused",
  COMMAND_UNAVAILABLE: "refused",
  COMMAND_TIMEOUT: "discarded",
  COMMAND_FAILED: "discarded",
  COMMAND_CHANGED_HEAD: "discarded",
  COMMAND_CHANGED_GIT_STATE: "discarded",
  NO_CHANGES: "discarded",
  PATH_UNDECLARED: "discarded",
  NESTED_REPOSITORY: "discarded",
  VERIFICATION_FAILED: "discarded",
  INTERRUPTED: "discarded",
  GIT_FAILED: "refused",
  CLEANUP_FAILED: "refused",
};

/** `object` if it is a consistent receipt, else what is wrong with it. */
export function readReceipt(object: JsonObject): Candidate | Refused | { problem: string } {
  const { version, outcome, code, message } = object;
  if (version !== 1) return { problem: `version is ${JSON.stringify(version)}, not 1` };
  if (typeof code !== "string" || !Object.hasOwn(outcomes, code)) {
    return { problem: `unknown code ${JSON.stringify(code)}` };
  }
  if (outcome !== outcomes[code])
    return { problem: `outcome is ${JSON.stringify(outcome)} but code is ${code}` };
  if (typeof message !== "string") return { problem: "message is not a string" };
  for (const [field, accepts] of Object.entries(fields)) {
    if (!accepts(object[field])) return { problem: `${field} is ${brief(object[field])}` };
  }
  if (code !== "OK") return { code, message };
  const { candidate_ref: ref, candidate_commit: commit, changed_paths: changed } = object;
  if (typeof ref !== "string") return { problem: "OK comes without candidate_ref" };
  if (typeof commit !== "string") return { problem: "OK comes without candidate_commit" };
  if (!isStrings(changed) || changed.length === 0) return { problem: "OK comes without changed_paths" };
  return { code, message, ref, commit, changed: changed.length };
}

const nullOr = (accepts: (value: unknown) => boolean) => (value: unknown) => value === null || accepts(value);
const isText = (value: unknown) => typeof value === "string";
const isCommit = (value: unknown) => typeof value === "string" && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value);
const isRecord = (value: unknown) => typeof value === "object" && !Array.isArray(value);

const fields: Readonly<Record<string, (value: unknown) => boolean>> = {
  contract_id: nullOr(isText),
  repository: isText,
  base_commit: nullOr(isCommit),
  candidate_ref: nullOr(isText),
  candidate_commit: nullOr(isCommit),
  changed_paths: nullOr(isStrings),
  command_exit: nullOr(Number.isInteger),
  worktree_path: nullOr(isText),
  source_drift: nullOr(isStrings),
  verification: nullOr(isRecord),
  engine_version: isText,
  duration_ms: Number.isInteger,
};

function brief(value: unknown): string {
  return value === undefined ? "missing" : `wrong: ${JSON.stringify(value).slice(0, 80)}`;
}
