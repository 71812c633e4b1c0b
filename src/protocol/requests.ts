/** Requests as values of their schemas, or what is wrong with them in words. */
import { isAbsolute } from "node:path";
import type { Fields } from "../fields.ts";
import { type Refusal, type Result, refusal, success } from "../outcome.ts";
import { describe, mismatch, type Problem, placeOf } from "../problems.ts";
import type { CheckRequest, Envelope, ReplaceRequest, TestRequest } from "./schema.ts";
import {
  isCheckRequest,
  isEnvelope,
  isReplaceRequest,
  isSingleReplaceRequest,
  isTestRequest,
} from "./validate.generated.ts";

export type Reading<Request> = Result<Request, "INVALID_REQUEST">;

/** Which operation is asked for. */
export function readEnvelope(value: Fields): Reading<Envelope> {
  const problems: Problem[] = [];
  return isEnvelope(value, problems) ? success(value) : invalid(problems);
}

export function readCheck(value: Fields): Reading<CheckRequest> {
  const problems: Problem[] = [];
  return isCheckRequest(value, problems) ? success(value) : invalid(problems);
}

/** Both spellings of the edits, as one. */
export function readReplace(value: Fields): Reading<ReplaceRequest> {
  const problems: Problem[] = [];
  const isSingle = Object.hasOwn(value, "old_text") || Object.hasOwn(value, "new_text");
  if (isSingle && Object.hasOwn(value, "edits")) {
    return refusal("INVALID_REQUEST", "give either 'edits' or 'old_text' and 'new_text', not both");
  }
  if (!isSingle) return isReplaceRequest(value, problems) ? requireAbsolute(value) : invalid(problems);
  if (!isSingleReplaceRequest(value, problems)) return invalid(problems);
  const { old_text, new_text, ...others } = value;
  return requireAbsolute({ ...others, edits: [{ old_text, new_text }] });
}

export function readTest(value: Fields): Reading<TestRequest> {
  const problems: Problem[] = [];
  return isTestRequest(value, problems) ? requireAbsolute(value) : invalid(problems);
}

/** What acts on a worktree must name it without regard to the working directory. */
function requireAbsolute<Request extends { readonly repo: string; readonly contract: string }>(
  request: Request,
): Reading<Request> {
  const relative = (["repo", "contract"] as const).filter((field) => !isAbsolute(request[field]));
  if (relative.length === 0) return success(request);
  const lines = relative.map(
    (field) => `field '${field}' must be an absolute path, not ${describe(request[field])}`,
  );
  return refusal("INVALID_REQUEST", lines.join("; "));
}

function invalid(problems: readonly Problem[]): Refusal<"INVALID_REQUEST"> {
  return refusal("INVALID_REQUEST", problems.map(explain).join("; "));
}

function explain(problem: Problem): string {
  return `field '${placeOf(problem.path)}' ${mismatch(problem)}`;
}
