/** The worktree an attempt runs in, as it must be before Pi starts. */
import { realpathSync } from "node:fs";
import type { Folders } from "../files/identity.ts";
import { type Result, refusal, success } from "../outcome.ts";
import type { Tracked } from "./revisions.ts";
import { type Git, type GitRun, gitIn } from "./run-git.ts";

export interface Worktree {
  readonly root: string;
  /** Every registered worktree and Git's own folders: where evidence and temporary files must not go. */
  readonly outside: Folders;
  readonly tracked: readonly Tracked[];
  /**
   * Writes the difference of the tracked files to the captured HEAD, as a binary patch, to a descriptor. Gives
   * why that failed, or null. Git could run what a filter in the configuration names: a configuration that
   * changed since the worktree was inspected is a failure.
   */
  writePatch(into: number): Promise<string | null>;
}

/** `NO_WORKTREE` says what `directory` is not: a worktree's root, with a readable HEAD, clean. Runs Git only. */
export async function inspectWorktree(
  directory: string,
  caller: Readonly<Record<string, string | undefined>>,
): Promise<Result<Worktree, "NO_WORKTREE">> {
  const asked = await gitIn(directory, caller, [directory])([
    "rev-parse",
    "--path-format=absolute",
    ...questions,
  ]);
  if (asked.status !== 0) return failed("no worktree with a readable HEAD", asked);
  const [root = "", gitDirectory = "", commonDirectory = "", head = ""] = text(asked.stdout).split("\n");
  if (realpathSync(root) !== realpathSync(directory)) {
    return refusal("NO_WORKTREE", `the current directory is not the worktree's root, which is '${root}'`);
  }
  const found = { GIT_DIR: gitDirectory, GIT_COMMON_DIR: commonDirectory, GIT_WORK_TREE: root };
  const git = gitIn(directory, caller, [directory, commonDirectory], found);
  const [status, files, list, before] = await Promise.all([
    git(["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none"]),
    git(["ls-files", "-z", "--stage"]),
    git(["worktree", "list", "--porcelain", "-z"]),
    git(configuration),
  ]);
  for (const run of [status, files, list, before]) {
    if (run.status !== 0) return failed("the worktree cannot be inspected", run);
  }
  if (status.stdout.length > 0)
    return refusal("NO_WORKTREE", `the worktree is not clean: ${changes(status)}`);
  return success({
    root: directory,
    outside: [...worktreesOf(list), gitDirectory, commonDirectory],
    tracked: pieces(files.stdout).map(trackedOf),
    writePatch: (into) => writePatch(git, head, before.stdout, into),
  });
}

const questions = ["--show-toplevel", "--git-dir", "--git-common-dir", "HEAD^{commit}"];
const configuration = ["config", "--list", "-z", "--show-origin"];

async function writePatch(git: Git, head: string, before: Buffer, into: number): Promise<string | null> {
  const now = await git(configuration);
  if (now.status !== 0 || !now.stdout.equals(before)) return "Git's configuration changed during the attempt";
  const diff = await git([...differences, head, "--"], into);
  return diff.status === 0 ? null : `git diff failed: ${diff.stderr.trim()}`;
}

const differences = ["diff", "--binary", "--no-ext-diff", "--no-textconv", "--no-color"];

function failed(what: string, run: GitRun) {
  return refusal("NO_WORKTREE", `${what}: ${run.stderr.trim()}`);
}

/** Names of what is changed or untracked, up to five. */
function changes({ stdout }: GitRun): string {
  const names = pieces(stdout).map((entry) => text(entry.subarray(3)));
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return names.slice(0, 5).join(", ") + more;
}

/** An entry of `ls-files --stage`: mode, object and stage, a tab, the path. */
function trackedOf(entry: Buffer): Tracked {
  return { mode: text(entry.subarray(0, 6)), path: entry.subarray(entry.indexOf(9) + 1) };
}

function worktreesOf({ stdout }: GitRun): readonly string[] {
  const lines = pieces(stdout).map(text);
  return lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length));
}

const mark = "worktree ";

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function pieces(bytes: Buffer): Buffer[] {
  const list: Buffer[] = [];
  for (let from = 0, end = bytes.indexOf(0); end >= 0; from = end + 1, end = bytes.indexOf(0, from)) {
    list.push(bytes.subarray(from, end));
  }
  return list;
}
