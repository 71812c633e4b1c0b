/** The submission: what an executor hands in. Its prose is carried along or ignored, never believed. */
import { type Result, refusal } from "../outcome.ts";
import { readRecord } from "./records.ts";
import type { Submission } from "./schema.ts";
import { isSubmission } from "./validate.generated.ts";

/** The submission at `path` for `task`; `FAILED` says why it is none. */
export function readSubmission(path: string, task: string): Result<Submission, "FAILED"> {
  const record = readRecord(path, isSubmission);
  if (!record.ok) return refusal("FAILED", `submission ${path}: ${record.message}`);
  if (record.value.task === task) return record;
  return refusal("FAILED", `submission is for task '${record.value.task}', not '${task}'`);
}
