/** Publishing a candidate beyond the runner, which forgets its repository. */
import { oneLine, type Result, refusal, success } from "../outcome.ts";
import { type GitContext, git, gitFailed, runGit } from "../repository/git.ts";
import { locateGit } from "../repository/preflight.ts";

/** A remote as it was before the command ran. */
export interface Remote {
  readonly name: string;
  readonly git: GitContext;
  /** Where a push to it goes, as Git says it. */
  readonly addresses: string;
}

export type FoundRemote = Result<Remote, "UNKNOWN" | "GIT_FAILED" | "INTERRUPTED">;

/**
 * The remote called `name` of the repository at `root`. `UNKNOWN` if it has none of that name: a push to an
 * address would hide where candidates go, and an option is no remote. `GIT_FAILED` if Git cannot tell, as where
 * there is no repository.
 */
export async function findRemote(
  root: string,
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  interruption: AbortSignal,
): Promise<FoundRemote> {
  const located = locateGit(root, env, interruption);
  if (!located.ok) return located;
  const listed = await git(located.value, ["remote"]);
  if (!listed.ok) return listed;
  const names = listed.value.toString("utf8").split("\n").filter(Boolean);
  if (name.startsWith("-") || !names.includes(name)) {
    const known = names.length === 0 ? "the repository has none" : `there are ${names.join(", ")}`;
    return refusal("UNKNOWN", oneLine(`${JSON.stringify(name)}: ${known}`));
  }
  const addresses = await addressesOf(located.value, name);
  return addresses.ok ? success({ name, git: located.value, addresses: addresses.value }) : addresses;
}

/**
 * Pushes `ref`, which the remote must not have yet, or have at the very same commit. Runs no hook and asks
 * nobody. `PUSH_FAILED` with Git's own words, also if the remote is no longer the one that was found: a command
 * may not choose where its candidate goes.
 */
export async function pushCandidate(remote: Remote, ref: string): Promise<Result<null, "PUSH_FAILED">> {
  const failed = (why: string) =>
    refusal("PUSH_FAILED", oneLine(`${ref} was not pushed to ${remote.name}: ${why}`));
  const addresses = await addressesOf(remote.git, remote.name);
  if (!addresses.ok) return failed(addresses.message);
  if (addresses.value !== remote.addresses) return failed("the remote was changed while the command ran");
  const options = [
    "--no-verify",
    "--no-follow-tags",
    "--no-signed",
    "--recurse-submodules=no",
    "--porcelain",
  ];
  // A lease on nothing: without it, Git would move a ref that is there already, if only forward.
  const args = ["push", ...options, `--force-with-lease=${ref}:`, "--", remote.name, `${ref}:${ref}`];
  const run = await runGit(remote.git, args);
  if (!run.ok) return failed(run.message);
  if (run.value.status === 0) return success(null);
  const rejected = /^!\t[^\t]*\t(.*)$/m.exec(run.value.stdout.toString("utf8"))?.[1];
  if (rejected === undefined) return failed(gitFailed(args, run.value).message);
  const words = remotesWords(run.value.stderr);
  return failed(words === "" ? rejected : `${rejected}: ${words}`);
}

/** What the other side said, as GitHub does when a rule of a repository declines a push. */
function remotesWords(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.startsWith("remote:"));
  const words = lines.map((line) => line.slice("remote:".length).trim());
  return words.filter(Boolean).join("; ").slice(0, 2000);
}

async function addressesOf(
  context: GitContext,
  name: string,
): Promise<Result<string, "GIT_FAILED" | "INTERRUPTED">> {
  const run = await git(context, ["remote", "get-url", "--push", "--all", "--", name]);
  return run.ok ? success(run.value.toString("utf8")) : run;
}
