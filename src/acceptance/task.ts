/** A task's worktree, opened: that it is one, and how Git is asked there. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { folderIdentity } from "../files/identity.ts";
import { findDirectory } from "../files/read.ts";
import { type Result, refusal, success } from "../outcome.ts";
import type { GitContext } from "../repository/git.ts";
import { locateGit, resolveSource, type Source } from "../repository/preflight.ts";
import type { Worktree } from "../repository/worktree.ts";
import type { Packet } from "./schema.ts";

export interface Task {
  /**
   * Git in the worktree. It names every directory, since a check may overwrite the worktree's `.git` file, and looks
   * as closely as it can, whatever is configured.
   */
  readonly git: GitContext;
  /** Absolute path of the repository's object directory. */
  readonly objects: string;
  /** Canonical path of the worktree's root. */
  readonly worktree: string;
  /** The commit at HEAD. */
  readonly head: string;
  /** The same two, as what compares Git's state takes them. */
  readonly repository: Source;
  readonly place: Worktree;
}

/**
 * Opens the packet's worktree. `BLOCKED` unless it is the root of a working tree with a commit. `interruption` ends
 * what runs of Git, now and later.
 */
export async function openTask(
  packet: Packet,
  interruption: AbortSignal | undefined,
): Promise<Result<Task, "BLOCKED">> {
  const unusable = (why: string) => refusal("BLOCKED", `worktree ${packet.worktree} ${why}`);
  const directory = findDirectory(packet.worktree);
  if (!directory.ok) return unusable(`is not available: ${directory.message}`);
  const located = locateGit(packet.worktree, process.env, interruption);
  const source = located.ok ? await resolveSource(located.value, undefined) : located;
  if (!source.ok) {
    const what = source.code === "REPO_NOT_GIT" ? "is not a working tree with a commit" : "cannot be used";
    return unusable(`${what}: ${source.message}`);
  }
  const { gitDirectory, commonDirectory, root, head } = source.value;
  const git = { ...source.value.git, settings: lookingClosely(root) };
  const identity = folderIdentity(root);
  if (identity === null) return unusable("is gone");
  const place = { path: root, adminDirectory: gitDirectory, identity, git };
  const objects = join(commonDirectory, "objects");
  return success({ git, objects, worktree: root, head, repository: source.value, place });
}

/**
 * A person's settings can make Git trust a file's size and second, and take a new file for a tracked one whose name
 * differs in case, where the file system would not.
 */
function lookingClosely(root: string): readonly string[] {
  const ignoresCase = existsSync(join(root, ".GIT"));
  return ["core.trustctime=true", "core.checkStat=default", `core.ignoreCase=${ignoresCase}`];
}
