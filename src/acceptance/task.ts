/** A task's worktree, opened: that it is one, and how Git is asked there. */
import { realpathSync } from "node:fs";
import { findDirectory } from "../files/read.ts";
import { type Result, refusal, success } from "../outcome.ts";
import type { Git } from "./git.ts";
import { gitIn } from "./run-git.ts";
import type { Packet } from "./schema.ts";

export interface Task {
  readonly git: Git;
  /** Absolute path of the worktree's own Git directory. */
  readonly gitDirectory: string;
  /** Canonical path of the worktree's root. */
  readonly worktree: string;
  /** The commit at HEAD. */
  readonly head: string;
}

/** Opens the packet's worktree. `BLOCKED` unless it is the root of a working tree with a commit. */
export async function openTask(packet: Packet): Promise<Result<Task, "BLOCKED">> {
  const unusable = (why: string) => refusal("BLOCKED", `worktree ${packet.worktree} ${why}`);
  const directory = findDirectory(packet.worktree);
  if (!directory.ok) return unusable(`is not available: ${directory.message}`);
  const worktree = realpathSync.native(packet.worktree);
  const questions = ["--show-toplevel", "HEAD^{commit}", "--git-dir"];
  const run = await gitIn(worktree)(["rev-parse", "--path-format=absolute", ...questions]);
  // The commit stands alone on its line, between two paths that may hold line feeds of their own.
  const [, root, head, gitDirectory] = /^(.*)\n([0-9a-f]+)\n(.*)\n$/s.exec(run.stdout.toString("utf8")) ?? [];
  if (run.status !== 0 || root === undefined || head === undefined || gitDirectory === undefined) {
    return unusable(`is not a working tree with a commit: ${run.stderr.trim()}`);
  }
  if (realpathSync.native(root) !== worktree) return unusable(`is not the root of its working tree, ${root}`);
  // A check may overwrite the worktree's `.git` file, which must not lead to some other repository.
  const git = gitIn(worktree, { GIT_DIR: gitDirectory, GIT_WORK_TREE: worktree });
  return success({ git, gitDirectory, worktree, head });
}
