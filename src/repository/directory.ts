/** The first question about a repository, which needs no Git: is there a directory at all? */
import { findDirectory } from "../files/read.ts";
import { oneLine, type Result, refusal, success } from "../outcome.ts";

/** Whether `repo` leads to a directory, links followed. */
export function lintRepository(repo: string): Result<string, "REPO_UNAVAILABLE"> {
  const directory = findDirectory(repo);
  if (directory.ok) return success(repo);
  return refusal("REPO_UNAVAILABLE", oneLine(`repository ${repo} is not available: ${directory.message}`));
}
