/** How much each path of a change changed. */
import { type GitContext, git } from "../repository/git.ts";

export interface ChangedPath {
  readonly path: string;
  /** Lines added and removed; null if they cannot be counted, as in a binary file. */
  readonly lines: { readonly added: number; readonly removed: number } | null;
}

/** What changed between two commits, in Git's order; null if Git cannot tell. */
export async function diffstat(
  context: GitContext,
  base: string,
  commit: string,
): Promise<readonly ChangedPath[] | null> {
  const pinned = ["--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"];
  const run = await git(context, ["diff-tree", "-r", "-z", "--numstat", ...pinned, base, commit, "--"]);
  return run.ok ? readNumstat(run.value.toString("utf8")) : null;
}

/** The records of `--numstat -z`: added, removed, path; `-` where lines are not counted. */
export function readNumstat(text: string): readonly ChangedPath[] {
  return text
    .split("\0")
    .filter(Boolean)
    .map((record) => {
      const [added = "", removed = "", ...path] = record.split("\t");
      const lines = added === "-" ? null : { added: Number(added), removed: Number(removed) };
      return { path: path.join("\t"), lines };
    });
}
