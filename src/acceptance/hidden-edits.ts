/** Edits that the index is told not to see: `assume-unchanged` and `skip-worktree`. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder, removePrivateFolder } from "../files/private-folder.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { type GitContext, gitFailed } from "../repository/git.ts";
import { ask, listNames, worktreeChanges } from "./git.ts";

/**
 * Paths marked so whose content differs from HEAD all the same. In a sparse checkout a path that is marked
 * `skip-worktree` and absent is as it should be; anywhere else its absence is a deletion.
 *
 * Without such marks this costs one Git process; with them HEAD is read into an index of its own, which has
 * no marks and no remembered file times, and the working tree is compared with that.
 */
export async function hiddenEdits(
  git: GitContext,
  worktree: string,
): Promise<Result<readonly string[], "GIT_FAILED">> {
  const entries = await listNames(git, ["ls-files", "-v", "-z"]);
  if (!entries.ok) return entries;
  const marks = new Map(
    entries.value
      .map((entry) => [entry.slice(2), entry.slice(0, 1)] as const)
      .filter(([, mark]) => isMark(mark)),
  );
  if (marks.size === 0) return success([]);
  const changes = await changesWithoutMarks(git);
  if (!changes.ok) return changes;
  const edits = changes.value.filter((path) => marks.has(path));
  const mayBeAbsent = edits.some((path) => isSkipped(marks.get(path))) && (await isSparse(git));
  return success(
    edits.filter((path) => !(mayBeAbsent && isSkipped(marks.get(path)) && isAbsent(join(worktree, path)))),
  );
}

// `git ls-files -v`: a lower-case letter is assume-unchanged, S is skip-worktree, s is both.
function isMark(mark: string): boolean {
  return mark === "S" || (mark >= "a" && mark <= "z");
}

function isSkipped(mark: string | undefined): boolean {
  return mark === "S" || mark === "s";
}

async function changesWithoutMarks(git: GitContext): Promise<Result<readonly string[], "GIT_FAILED">> {
  const folder = makePrivateFolder(process.env);
  if (!folder.ok) return refusal("GIT_FAILED", folder.message);
  try {
    const env = { ...git.env, GIT_INDEX_FILE: join(folder.value.path, "index") };
    const unmarked = { ...git, env };
    const readTree = ["read-tree", "HEAD"];
    const read = await ask(unmarked, readTree);
    return read.status === 0 ? await worktreeChanges(unmarked) : gitFailed(readTree, read);
  } finally {
    removePrivateFolder(folder.value);
  }
}

async function isSparse(git: GitContext): Promise<boolean> {
  const run = await ask(git, ["config", "--type=bool", "--get", "core.sparseCheckout"]);
  return run.stdout.toString("utf8").trim() === "true";
}

function isAbsent(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}
