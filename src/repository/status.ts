/** Which paths of a working tree differ from its HEAD, without writing anything to it. */
import { type Result, success } from "../outcome.ts";
import { type GitContext, gitFailed, runGit } from "./git.ts";
import { overlooked } from "./overlooked.ts";

export interface WorkingTreeStatus {
  /** The commit HEAD names, or undefined before the first one. */
  readonly head: string | undefined;
  /** Changed, staged, deleted and untracked paths as Git gives them, not ignored ones. Non-UTF-8 names are lossy. */
  readonly paths: readonly string[];
}

/**
 * One `git status`, submodules and all untracked files included; the index is not refreshed. Refuses GIT_FAILED, or
 * INTERRUPTED; also where something cannot be looked at, so that nothing is called clean that was not seen.
 */
export async function workingTreeStatus(
  context: GitContext,
): Promise<Result<WorkingTreeStatus, "GIT_FAILED" | "INTERRUPTED">> {
  const format = ["--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--no-renames"];
  const args = ["status", ...format, "--untracked-files=all", "--ignore-submodules=none"];
  const status = await runGit(context, args);
  if (!status.ok) return status;
  if (status.value.status !== 0) return gitFailed(args, status.value);
  return overlooked("status", status.value.stderr) ?? success(parseStatus(status.value.stdout));
}

/** Reads `git status --porcelain=v2 --branch -z --no-renames`. */
export function parseStatus(output: Buffer): WorkingTreeStatus {
  let head: string | undefined;
  const paths: string[] = [];
  for (const record of output.toString("utf8").split("\0")) {
    if (record.startsWith("# branch.oid ")) {
      const name = record.slice(13);
      head = name === "(initial)" ? undefined : name;
    }
    const fields = fieldsBeforePath[record[0] ?? ""];
    if (fields !== undefined) paths.push(afterFields(record, fields));
  }
  // What is staged as deleted and there all the same is listed twice.
  return { head, paths: [...new Set(paths)] };
}

/** How many space-separated fields stand before the path, by kind of record (git-status manual page). */
const fieldsBeforePath: Readonly<Record<string, number>> = { "1": 8, u: 10, "?": 1 };

function afterFields(record: string, fields: number): string {
  let at = 0;
  for (let field = 0; field < fields; field++) at = record.indexOf(" ", at) + 1;
  return record.slice(at);
}
