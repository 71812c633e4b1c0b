/**
 * The one-shot protocol: one JSON request in, one JSON response out.
 *
 *     {"version":1,"operation":"check","repo":"/abs/path","contract":"/abs/path/contract.yaml"}
 *     {"version":1,"ok":true,"code":"OK","message":""}
 *
 * `check` answers with a verdict alone; the other operations add `result`, an object, or null on refusal. A
 * request that cannot be understood is `INVALID_REQUEST`, never with `result`.
 */
import { type Fields, isFields } from "../fields.ts";
import { readJson } from "../files/json.ts";
import { type ExitStatus, exitStatus, oneLine, refusal, success } from "../outcome.ts";
import { describe } from "../problems.ts";
import { type Answer, type Operation, operations } from "./operations.ts";
import { type Reading, readEnvelope } from "./requests.ts";
import { protocolVersion } from "./version.ts";

export const maxRequestBytes = 32 * 1024 * 1024;

export interface Response {
  readonly version: typeof protocolVersion;
  readonly ok: boolean;
  readonly code: ResponseCode;
  /** Empty if `ok`, else one line for people. */
  readonly message: string;
  readonly result?: object | null;
}

export type ResponseCode = "OK" | Extract<Answer, { readonly ok: false }>["code"];

/** The response to one request, with the exit status that mirrors it. Touches what the operation touches. */
export async function handleProtocol(
  bytes: Uint8Array,
): Promise<{ readonly response: Response; readonly exitStatus: ExitStatus }> {
  const request = readRequest(bytes);
  if (!request.ok) return respond(request, false);
  const { operation, fields } = request.value;
  return respond(await operation.answer(fields), operation.hasResult);
}

function readRequest(bytes: Uint8Array): Reading<{ readonly operation: Operation; readonly fields: Fields }> {
  if (bytes.length === 0) return refusal("INVALID_REQUEST", "the request is empty");
  const json = readJson(bytes, { maxBytes: maxRequestBytes });
  if (!json.ok) return refusal("INVALID_REQUEST", `the request is not strict JSON: ${json.message}`);
  const fields = json.value;
  if (!isFields(fields)) {
    return refusal("INVALID_REQUEST", `the request must be an object, not ${describe(fields)}`);
  }
  const envelope = readEnvelope(fields);
  return envelope.ok ? success({ operation: operations[envelope.value.operation], fields }) : envelope;
}

function respond(
  answer: Answer,
  hasResult: boolean,
): { readonly response: Response; readonly exitStatus: ExitStatus } {
  const verdict = answer.ok
    ? ({ version: protocolVersion, ok: true, code: "OK", message: "" } as const)
    : ({ version: protocolVersion, ok: false, code: answer.code, message: oneLine(answer.message) } as const);
  const result = answer.ok ? { result: answer.value } : { result: null };
  const response = hasResult && verdict.code !== "INVALID_REQUEST" ? { ...verdict, ...result } : verdict;
  return { response, exitStatus: statuses[verdict.code] };
}

const statuses: Readonly<Record<ResponseCode, ExitStatus>> = {
  OK: exitStatus.OK,
  INVALID_REQUEST: exitStatus.INVALID_REQUEST,
  CONTRACT_UNREADABLE: exitStatus.CONTRACT_UNREADABLE,
  CONTRACT_INVALID_YAML: exitStatus.CONTRACT_INVALID_YAML,
  CONTRACT_MISSING_FIELD: exitStatus.CONTRACT_MISSING_FIELD,
  REPO_UNAVAILABLE: exitStatus.REPO_UNAVAILABLE,
  TEST_COMMAND_UNAVAILABLE: exitStatus.TEST_COMMAND_UNAVAILABLE,
  TEST_COMMAND_NOT_ALLOWED: exitStatus.TEST_COMMAND_NOT_ALLOWED,
  PATH_UNDECLARED: exitStatus.MUTATION_REFUSED,
  MUTATION_FAILED: exitStatus.MUTATION_REFUSED,
  REVISION_UNAVAILABLE: exitStatus.MUTATION_REFUSED,
  REVISION_STALE: exitStatus.MUTATION_REFUSED,
  NO_CHANGE_REQUESTED: exitStatus.MUTATION_REFUSED,
  ANCHOR_ALREADY_APPLIED: exitStatus.MUTATION_REFUSED,
  ANCHOR_MISSING: exitStatus.MUTATION_REFUSED,
  ANCHOR_AMBIGUOUS: exitStatus.MUTATION_REFUSED,
};
