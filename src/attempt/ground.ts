/** The worktree an attempt runs in, as it must be before Pi starts. */
import { join } from "node:path";
import { type Folders, folderIdentity } from "../files/identity.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { git } from "../repository/git.ts";
import { type GitState, gitState, stateDrift } from "../repository/git-state.ts";
import { locateGit, resolveSource, type Source } from "../repository/preflight.ts";
import { copyIndex } from "../repository/stage.ts";
import { workingTreeStatus } from "../repository/status.ts";
import { type Worktree, worktreeFolders } from "../repository/worktree.ts";
import type { AttemptRequest } from "./request.ts";
import type { Tracked } from "./revisions.ts";

export interface Ground {
  readonly root: string;
  readonly commonDirectory: string;
  /** Every registered worktree and Git's own folders: where evidence and temporary files must not go. */
  readonly outside: Folders;
  readonly tracked: readonly Tracked[];
  /**
   * Copies the index into `folder`, so that no mark that is set later hides an edit, and gives what writes the
   * patch. Must come before Pi starts; throws what the system does.
   */
  patchWriter(folder: string): PatchWriter;
}

/**
 * Writes the difference of the tracked files to the captured HEAD, as a binary patch, to a descriptor. Gives why
 * that failed, or null. Git would run what planted state names, so changed state is a failure.
 */
export type PatchWriter = (into: number) => Promise<string | null>;

/** `NO_GROUND` says what the directory is not: a worktree's root, with a readable HEAD, clean. Runs Git only. */
export async function inspectWorktree(request: AttemptRequest): Promise<Result<Ground, "NO_GROUND">> {
  const failed = ({ message }: { readonly message: string }) => refusal("NO_GROUND", message);
  const located = locateGit(request.directory, request.environment, request.interruption.signal);
  if (!located.ok) return failed(located);
  const source = await resolveSource(located.value, undefined);
  if (!source.ok) return failed(source);
  const { root, gitDirectory, commonDirectory } = source.value;
  const identity = folderIdentity(root);
  if (identity === null) return failed({ message: "the worktree is gone" });
  const worktree = { path: root, adminDirectory: gitDirectory, identity, git: source.value.git };
  const [status, files, before] = await Promise.all([
    workingTreeStatus(worktree.git),
    git(worktree.git, ["ls-files", "-z", "--stage"]),
    gitState(source.value, worktree),
  ]);
  if (!status.ok) return failed(status);
  if (!files.ok) return failed(files);
  if (!before.ok) return failed(before);
  if (status.value.paths.length > 0) {
    return failed({ message: `the worktree is not clean: ${named(status.value.paths)}` });
  }
  return success({
    root,
    commonDirectory,
    outside: [...worktreeFolders(source.value), gitDirectory, commonDirectory],
    tracked: trackedFiles(files.value),
    patchWriter: (folder) => {
      const index = join(folder, "index");
      copyIndex(join(gitDirectory, "index"), index);
      return (into) => writePatch(source.value, worktree, before.value, index, into);
    },
  });
}

function named(paths: readonly string[]): string {
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : "";
  return paths.slice(0, 5).join(", ") + more;
}

/** Not ended by an interruption: evidence is written also then. */
async function writePatch(
  source: Source,
  worktree: Worktree,
  before: GitState,
  index: string,
  into: number,
): Promise<string | null> {
  const drift = await stateDrift(source, worktree, before);
  if (drift.length > 0) return `Git state is not what it was: ${drift.slice(0, 5).join(", ")}`;
  const env = { ...worktree.git.env, GIT_INDEX_FILE: index };
  const calm = { ...worktree.git, env, interruption: undefined };
  const input = { stdoutFile: into, settings: ["diff.autoRefreshIndex=false"] };
  const diff = await git(calm, [...asPatch, source.head, "--"], input);
  return diff.ok ? null : diff.message;
}

/** What a person's settings would make of it is pinned as well: without context or prefixes nothing applies it. */
const asPatch = [
  ...["diff", "--binary", "--no-ext-diff", "--no-textconv", "--no-color"],
  ...["--src-prefix=a/", "--dst-prefix=b/", "--unified=3", "--inter-hunk-context=0", "--no-relative"],
  ...["--no-renames", "--submodule=short", "--ignore-submodules=none", "--diff-algorithm=myers"],
];

/** Entries of `ls-files --stage -z`: mode, object and stage, a tab, the path. */
function trackedFiles(output: Buffer): readonly Tracked[] {
  const list: Tracked[] = [];
  for (let from = 0, end = output.indexOf(0); end >= 0; from = end + 1, end = output.indexOf(0, from)) {
    const entry = output.subarray(from, end);
    list.push({ mode: entry.toString("latin1", 0, 6), path: entry.subarray(entry.indexOf(9) + 1) });
  }
  return list;
}
