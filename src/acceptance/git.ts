/** What acceptance asks of Git. */
import { type Result, success } from "../outcome.ts";
import { type GitContext, type GitInput, type GitRun, gitFailed, runGit } from "../repository/git.ts";
import { workingTreeStatus } from "../repository/status.ts";

/** Runs Git whatever its status; one that gave no answer at all has none of Git's statuses, and says why. */
export async function ask(git: GitContext, args: readonly string[], input?: GitInput): Promise<GitRun> {
  const run = await runGit(git, args, input);
  return run.ok ? run.value : { status: -1, stdout: Buffer.alloc(0), stderr: run.message };
}

/** The NUL-separated names that a command prints, decoded leniently. */
export async function listNames(
  git: GitContext,
  args: readonly string[],
): Promise<Result<readonly string[], "GIT_FAILED">> {
  const run = await ask(git, args);
  return run.status === 0 ? success(namesIn(run.stdout)) : gitFailed(args, run);
}

export function namesIn(output: Uint8Array): readonly string[] {
  return new TextDecoder().decode(output).split("\0").slice(0, -1);
}

export interface Change {
  /** The commit before the change, and the one that holds it. */
  readonly base: string;
  readonly commit: string;
}

/** Every path that differs between the two commits; a rename is two. */
export async function changedPaths(
  git: GitContext,
  { base, commit }: Change,
): Promise<Result<readonly string[], "GIT_FAILED">> {
  // Else a `.gitmodules` that says `ignore = all` hides a gitlink.
  const format = ["-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none"];
  return listNames(git, ["diff-tree", ...format, base, commit, "--"]);
}

/** Paths that differ from HEAD in the index or the working tree, untracked files included. */
export async function worktreeChanges(git: GitContext): Promise<Result<readonly string[], "GIT_FAILED">> {
  const status = await workingTreeStatus(git);
  return status.ok ? success(status.value.paths) : { ...status, code: "GIT_FAILED" };
}
