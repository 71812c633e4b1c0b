/** The engine's one-shot JSON protocol, as seen from the adapter: the requests it sends, the responses it takes. */
import { isObject, isRevision, type JsonObject } from "./json.ts";

export type Request =
  | { readonly operation: "check"; readonly repo: string; readonly contract: string }
  | {
      readonly operation: "replace";
      readonly repo: string;
      readonly contract: string;
      readonly path: string;
      readonly expected_sha256: string | null;
      readonly edits: readonly { readonly old_text: string; readonly new_text: string }[];
    }
  | {
      readonly operation: "test";
      readonly repo: string;
      readonly contract: string;
      readonly command: string;
    };

export type Response =
  | { readonly ok: true; readonly result: JsonObject | null }
  | { readonly ok: false; readonly code: string; readonly message: string };

const checkCodes = [
  "CONTRACT_UNREADABLE",
  "CONTRACT_INVALID_YAML",
  "CONTRACT_MISSING_FIELD",
  "REPO_UNAVAILABLE",
];

/** Every refusal an operation can answer with. */
const refusals: Readonly<Record<Request["operation"], readonly string[]>> = {
  check: ["INVALID_REQUEST", ...checkCodes],
  replace: [
    "INVALID_REQUEST",
    ...checkCodes,
    "PATH_UNDECLARED",
    "MUTATION_FAILED",
    "REVISION_UNAVAILABLE",
    "REVISION_STALE",
    "NO_CHANGE_REQUESTED",
    "ANCHOR_ALREADY_APPLIED",
    "ANCHOR_MISSING",
    "ANCHOR_AMBIGUOUS",
  ],
  test: ["INVALID_REQUEST", ...checkCodes, "TEST_COMMAND_UNAVAILABLE", "TEST_COMMAND_NOT_ALLOWED"],
};

/** `response` if it is a consistent answer to `request`, else what is wrong with it. */
export function readResponse(response: JsonObject, request: Request): Response | { problem: string } {
  const { version, ok, code, message, result } = response;
  if (version !== 1) return { problem: `version is ${JSON.stringify(version)}, not 1` };
  if (typeof ok !== "boolean") return { problem: "ok is not a boolean" };
  if (typeof code !== "string") return { problem: "code is not a string" };
  if (typeof message !== "string") return { problem: "message is not a string" };
  if (ok !== (code === "OK")) return { problem: `ok is ${ok} but code is ${code}` };
  if (!ok) {
    if (!refusals[request.operation].includes(code)) return { problem: `unknown code ${code}` };
    if (result !== undefined && result !== null) return { problem: `${code} comes with a result` };
    return { ok, code, message };
  }
  if (request.operation === "check") return { ok, result: null };
  if (!isObject(result)) return { problem: "OK comes without a result" };
  const problem =
    request.operation === "replace" ? replaceProblem(result, request.path) : testProblem(result);
  return problem === undefined ? { ok, result } : { problem };
}

function replaceProblem({ path, sha256, region, match }: JsonObject, asked: string): string | undefined {
  if (path !== asked) return `result.path is ${JSON.stringify(path)}, not ${JSON.stringify(asked)}`;
  if (!isRevision(sha256)) return "result.sha256 is not a revision";
  if (typeof region !== "string") return "result.region is not a string";
  if (match !== undefined && match !== "exact" && match !== "crlf") return "result.match is unknown";
  return undefined;
}

function testProblem({ exit_code, output, truncated, timed_out }: JsonObject): string | undefined {
  if (typeof output !== "string") return "result.output is not a string";
  if (typeof truncated !== "boolean") return "result.truncated is not a boolean";
  if (typeof timed_out !== "boolean") return "result.timed_out is not a boolean";
  if (exit_code !== null && !Number.isInteger(exit_code))
    return "result.exit_code is neither an integer nor null";
  if (timed_out !== (exit_code === null)) return "result.exit_code contradicts result.timed_out";
  return undefined;
}
