/** What Git lists in a worktree: tracked paths with their marks, and untracked ones. */
import { join, resolve } from "node:path";
import { type Result, success } from "../outcome.ts";
import { type GitContext, gitFailed } from "../repository/git.ts";
import { configFolder } from "../repository/git-state.ts";
import { overlooked } from "../repository/overlooked.ts";
import { ask, namesIn } from "./git.ts";
import { isFile } from "./places.ts";

export interface Entry {
  readonly path: string;
  /** As `git ls-files -v` gives it: `?` is untracked, lower case assume-unchanged, `S` and `s` skip-worktree. */
  readonly mark: string;
}

/**
 * Every tracked path, and every file that is neither tracked nor ignored by the source's own `.gitignore` files or
 * by what the person ignores in all repositories. What `info/exclude`, or a `core.excludesFile` that this repository
 * or worktree configures, would hide is listed: no commit holds those rules, and whoever worked on the source could
 * write them. `GIT_FAILED` also if there is a folder that cannot be looked into.
 */
export async function listEntries(git: GitContext): Promise<Result<readonly Entry[], "GIT_FAILED">> {
  const rules = await personsRules(git);
  if (!rules.ok) return rules;
  const from = rules.value === undefined ? [] : [`--exclude-from=${rules.value}`];
  const args = [
    "ls-files",
    "-v",
    "-z",
    "--cached",
    "--others",
    "--exclude-per-directory=.gitignore",
    ...from,
  ];
  const run = await ask(git, args);
  if (run.status !== 0) return gitFailed(args, run);
  const unseen = overlooked("ls-files", run.stderr);
  if (unseen !== undefined) return unseen;
  return success(namesIn(run.stdout).map((line) => ({ mark: line.slice(0, 1), path: line.slice(2) })));
}

/** The file in which the person, or the system, says what is ignored everywhere (gitignore manual page). */
async function personsRules(git: GitContext): Promise<Result<string | undefined, "GIT_FAILED">> {
  const args = ["config", "-z", "--show-scope", "--type=path", "--get-all", "core.excludesFile"];
  const run = await ask(git, args);
  if (run.status !== 0 && run.status !== unset) return gitFailed(args, run);
  const fields = run.stdout.toString("utf8").split("\0");
  const place = fields.findLastIndex(
    (scope, at) => at % 2 === 0 && (scope === "system" || scope === "global"),
  );
  const file = place < 0 ? join(configFolder(git.env), "ignore") : (fields[place + 1] ?? "");
  const path = resolve(git.cwd, file);
  return success(isFile(path) ? path : undefined);
}

/** The status of `git config --get-all` when there is no such setting. */
const unset = 1;
