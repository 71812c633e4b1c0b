/** Edits that the index is told not to see: `assume-unchanged` and `skip-worktree`. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder, removePrivateFolder } from "../files/private-folder.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { type GitContext, gitFailed } from "../repository/git.ts";
import type { Entry } from "./entries.ts";
import { ask, listNames, worktreeChanges } from "./git.ts";

/**
 * Paths marked so whose content differs from HEAD all the same. A path that lies outside the patterns of a sparse
 * checkout, is marked `skip-worktree` and is absent is as it should be; the absence of any other is a deletion.
 *
 * Without such marks this costs nothing; with them HEAD is read into an index of its own, which has no marks and
 * no remembered file times, and the working tree is compared with that.
 */
export async function hiddenEdits(
  git: GitContext,
  worktree: string,
  entries: readonly Entry[],
): Promise<Result<readonly string[], "GIT_FAILED">> {
  const marked = entries.filter(({ mark }) => isMark(mark));
  const marks = new Map(marked.map(({ path, mark }) => [path, mark]));
  if (marks.size === 0) return success([]);
  return inOwnIndex(git, worktree, async (unmarked) => {
    const changes = await worktreeChanges(unmarked);
    if (!changes.ok) return changes;
    const edits = changes.value.filter((path) => marks.has(path));
    const mayBeAbsent = (path: string) => isSkipped(marks.get(path)) && isAbsent(join(worktree, path));
    if (!edits.some(mayBeAbsent)) return success(edits);
    const outside = await outsideSparseCheckout(unmarked);
    if (!outside.ok) return outside;
    return success(edits.filter((path) => !(mayBeAbsent(path) && outside.value.has(path))));
  });
}

// `git ls-files -v`: a lower-case letter is assume-unchanged, S is skip-worktree, s is both.
function isMark(mark: string): boolean {
  return mark === "S" || (mark >= "a" && mark <= "z");
}

function isSkipped(mark: string | undefined): boolean {
  return mark === "S" || mark === "s";
}

type Paths = Result<readonly string[], "GIT_FAILED">;

/** Asks `question` of a Git that has HEAD in a private index, outside the working tree. */
async function inOwnIndex(
  git: GitContext,
  worktree: string,
  question: (unmarked: GitContext) => Promise<Paths>,
): Promise<Paths> {
  const folder = makePrivateFolder(process.env, [worktree]);
  if (!folder.ok) return refusal("GIT_FAILED", folder.message);
  try {
    const unmarked = { ...git, env: { ...git.env, GIT_INDEX_FILE: join(folder.value.path, "index") } };
    const readTree = ["read-tree", "HEAD"];
    const read = await ask(unmarked, readTree);
    return read.status === 0 ? await question(unmarked) : gitFailed(readTree, read);
  } finally {
    removePrivateFolder(folder.value);
  }
}

/**
 * The paths that a sparse checkout leaves out; none if the checkout is not sparse. `git rm` touches nothing outside
 * the patterns, in cone mode or not, so that what it leaves of the private index is what Git itself means by them.
 */
async function outsideSparseCheckout(
  unmarked: GitContext,
): Promise<Result<ReadonlySet<string>, "GIT_FAILED">> {
  const remove = ["rm", "--cached", "-r", "--force", "--quiet", "--ignore-unmatch", "--", "."];
  const run = await ask(unmarked, remove);
  if (run.status !== 0) return gitFailed(remove, run);
  const left = await listNames(unmarked, ["ls-files", "-z"]);
  return left.ok ? success(new Set(left.value)) : left;
}

function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    // What stands in the place of one of its folders leads nowhere.
    return true;
  }
}
