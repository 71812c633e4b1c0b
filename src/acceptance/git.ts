/** What acceptance asks of Git, and how an answer that did not come is told. */
import { type Refusal, type Result, refusal, success } from "../outcome.ts";

export interface GitRun {
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitOptions {
  readonly stdin?: Uint8Array;
  /** Added to Git's environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs Git in one repository, with nothing of that repository executed. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<GitRun>;

export function gitFailure(command: string, { status, stderr }: GitRun): Refusal<"GIT_FAILED"> {
  return refusal("GIT_FAILED", `git ${command} failed with status ${status}: ${stderr.trim()}`);
}

/** The NUL-separated names that a command prints, decoded leniently. */
export async function listNames(
  git: Git,
  args: readonly string[],
): Promise<Result<readonly string[], "GIT_FAILED">> {
  const run = await git(args);
  if (run.status !== 0) return gitFailure(args[0] ?? "", run);
  return success(new TextDecoder().decode(run.stdout).split("\0").slice(0, -1));
}

export interface Change {
  /** The commit before the change, and the one that holds it. */
  readonly base: string;
  readonly commit: string;
}

/** Every path that differs between the two commits; a rename is two. */
export async function changedPaths(
  git: Git,
  { base, commit }: Change,
): Promise<Result<readonly string[], "GIT_FAILED">> {
  return listNames(git, ["diff-tree", "-r", "-z", "--name-only", "--no-renames", base, commit, "--"]);
}

/** Paths that differ from HEAD in the index or the working tree, untracked files included. */
export async function worktreeChanges(
  git: Git,
  environment: Readonly<Record<string, string>> = {},
): Promise<Result<readonly string[], "GIT_FAILED">> {
  const options = [
    "--porcelain=v1",
    "-z",
    "--untracked-files=all",
    "--ignore-submodules=none",
    "--no-renames",
  ];
  const entries = await listNames((args) => git(args, { environment }), ["status", ...options]);
  return entries.ok ? success(entries.value.map((entry) => entry.slice(3))) : entries;
}
