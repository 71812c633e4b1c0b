/** Rules of what is ignored that no commit holds, and that hide themselves: untracked `.gitignore` files. */
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Result, success } from "../outcome.ts";
import { type GitContext, gitFailed } from "../repository/git.ts";
import type { Entry } from "./entries.ts";
import { ask, namesIn } from "./git.ts";

/**
 * The untracked `.gitignore` files that Git does not list, since one such file says so, in folders where something is
 * tracked: whatever lies beside the source could be hidden by them. In a folder of its own, such a file is how caches
 * and virtual environments keep themselves out of the way.
 *
 * Looks for a file in each folder of the source; asks Git only where one is there that is neither tracked nor listed.
 */
export async function hiddenRules(
  git: GitContext,
  worktree: string,
  entries: readonly Entry[],
): Promise<Result<readonly string[], "GIT_FAILED">> {
  const listed = new Set(entries.map(({ path }) => path));
  const tracked = new Set(entries.filter(({ mark }) => mark !== "?").map(({ path }) => path));
  const rules = [...foldersOf(tracked)].map((folder) => (folder === "." ? file : `${folder}/${file}`));
  const unlisted = rules.filter((path) => !listed.has(path) && isThere(join(worktree, path)));
  if (unlisted.length === 0) return success([]);
  // This command takes no literal names. One that begins with a dot has nothing that it could mean by itself.
  const args = ["--no-literal-pathspecs", "check-ignore", "--no-index", "--verbose", "-z", "--stdin"];
  const run = await ask(git, args, { stdin: unlisted.map((path) => `./${path}\0`).join("") });
  if (run.status !== 0 && run.status !== noneIgnored) return gitFailed(args, run);
  // For each: where the rule stands, its line, the rule, and the path (git-check-ignore manual page).
  const fields = namesIn(run.stdout);
  const isHidden = (source: string) => isRules(source) && !tracked.has(source);
  const hidden = fields.filter((_, at) => at % 4 === 3 && isHidden(fields[at - 3] ?? ""));
  return success(hidden.map((path) => path.slice(2)));
}

const file = ".gitignore";
const noneIgnored = 1;

/** A file of the worktree's, which Git names relative to its root. What a person keeps elsewhere is theirs. */
function isRules(source: string): boolean {
  return source === file || (source.endsWith(`/${file}`) && !source.startsWith("/"));
}

/** Every folder in which something of `paths` lies, at any depth. */
function foldersOf(paths: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = dirname(path); !folders.has(at); at = dirname(at)) folders.add(at);
  }
  return folders;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // What stands in the place of one of its folders leads nowhere.
    return false;
  }
}
