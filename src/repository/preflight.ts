/** What is asked of the caller's repository before anything is made: read-only questions, answered at once. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { lostInText } from "../files/identity.ts";
import { isUtf8 } from "../files/utf8.ts";
import { oneLine, type Result, refusal, success } from "../outcome.ts";
import { alteredVariable } from "../process/environment.ts";
import { trustedProgram } from "../process/trusted-program.ts";
import { type GitContext, type GitRun, git, gitEnvironment, gitFailed, runGit } from "./git.ts";
import { pathFromGit, pathToGit } from "./git-path.ts";
import { readTrace, requireVersion, tracing } from "./git-version.ts";
import type { Sharing } from "./sharing.ts";

/** A caller's repository, pinned to one commit. */
export interface Source {
  /** Git from the root, with every directory named, so that none is ever rediscovered. */
  readonly git: GitContext;
  /** Real path of the working tree's root. */
  readonly root: string;
  readonly gitDirectory: string;
  readonly commonDirectory: string;
  readonly head: string;
  readonly base: string;
  readonly baseTree: string;
  /** Whether it is known to be laid out plainly; see `isPlain`. */
  readonly isPlain?: boolean;
  /** What its configuration asks for those who share it. */
  readonly sharing?: Sharing | null;
}

export type SourceRefusalCode = "REPO_NOT_GIT" | "BASE_UNAVAILABLE" | "GIT_FAILED" | "INTERRUPTED";

/** The Git program for work on `repo`, or GIT_FAILED. `repo` must exist. Starts nothing. */
export function locateGit(
  repo: string,
  callerEnv: Readonly<Record<string, string | undefined>>,
  interruption?: AbortSignal,
): Result<GitContext, "GIT_FAILED"> {
  const altered = alteredVariable(callerEnv);
  if (altered !== undefined) return refusal("GIT_FAILED", altered);
  const root = realPath(resolve(repo));
  if (root === undefined) return refusal("GIT_FAILED", `${oneLine(repo)} is gone, or can no longer be seen`);
  const lost = lostInText(resolve(repo), root);
  if (lost !== undefined) return refusal("GIT_FAILED", oneLine(`${repo}: ${lost}`));
  const program = trustedProgram("git", callerEnv["PATH"], [root]);
  if (program === undefined) {
    return refusal(
      "GIT_FAILED",
      "no git (2.36 or newer is needed) in an absolute PATH entry outside the repository",
    );
  }
  return success({ program, cwd: root, env: gitEnvironment(callerEnv), interruption });
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/**
 * Resolves the working tree at `context.cwd` and pins its HEAD and base commit, in one Git process.
 *
 * Refuses GIT_FAILED for an older Git, REPO_NOT_GIT (not the root of a working tree, bare, no commit),
 * BASE_UNAVAILABLE, GIT_FAILED (among others a repository someone else owns, with Git's own advice).
 */
export async function resolveSource(
  context: GitContext,
  baseName: string | undefined,
): Promise<Result<Source, SourceRefusalCode>> {
  const root = context.cwd;
  const base = baseName ?? "HEAD";
  if (/^[-^:]|\0/.test(base)) return baseUnavailable(base);
  const questions = ["--path-format=absolute", "--show-toplevel", "--absolute-git-dir", "--git-common-dir"];
  const args = ["rev-parse", ...questions, "HEAD^{commit}", `${base}^{commit}`, `${base}^{tree}`];
  const traced = await runGit({ ...context, env: { ...context.env, ...tracing } }, args);
  if (!traced.ok) return traced;
  const { version, run } = readTrace(traced.value);
  const suitable = await requireVersion(context, version);
  if (!suitable.ok) return suitable;
  const printed = run.stdout.toString("utf8");
  if (run.status !== 0) return sourceRefusal(args, run, root, printed, baseName);
  if (!isUtf8(run.stdout)) {
    const path = printed.split("\n").find((line) => line.includes("\ufffd")) ?? "";
    return refusal(
      "GIT_FAILED",
      `the repository's Git folder lies at a path that is not UTF-8: ${oneLine(path)}`,
    );
  }
  const rootLine = `${pathToGit(root)}\n`;
  if (!printed.startsWith(rootLine)) {
    const topLevel = oneLine(printed.slice(0, printed.indexOf("\n")));
    return refusal(
      "REPO_NOT_GIT",
      `${oneLine(root)} is not the root of its working tree, which is ${topLevel}`,
    );
  }
  const lines = printed.slice(rootLine.length).split("\n");
  const [head, baseCommit, baseTree, end] = lines.slice(-4);
  if (end !== "" || lines.length < 6 || !isObjectId(head) || !isObjectId(baseCommit) || !isObjectId(baseTree))
    return baseUnavailable(base);
  const places = await gitDirectories(context, lines.slice(0, -4));
  if (!places.ok) return places;
  const { gitDirectory, commonDirectory } = places.value;
  const directories = { GIT_DIR: gitDirectory, GIT_COMMON_DIR: commonDirectory, GIT_WORK_TREE: root };
  return success({
    git: { ...context, env: { ...context.env, ...directories } },
    root,
    gitDirectory,
    commonDirectory,
    head,
    base: baseCommit,
    baseTree,
  });
}

/** Which two directories the lines name. Where a path holds a line feed, they are asked for one by one. */
async function gitDirectories(
  context: GitContext,
  [gitDirectory = "", commonDirectory = "", ...more]: readonly string[],
): Promise<
  Result<{ readonly gitDirectory: string; readonly commonDirectory: string }, "GIT_FAILED" | "INTERRUPTED">
> {
  if (more.length === 0)
    return success({
      gitDirectory: pathFromGit(gitDirectory),
      commonDirectory: pathFromGit(commonDirectory),
    });
  const ask = (question: string) => git(context, ["rev-parse", "--path-format=absolute", question]);
  const [own, common] = await Promise.all([ask("--absolute-git-dir"), ask("--git-common-dir")]);
  if (!own.ok) return own;
  if (!common.ok) return common;
  const path = (answer: Buffer) => pathFromGit(answer.toString("utf8").slice(0, -1));
  return success({ gitDirectory: path(own.value), commonDirectory: path(common.value) });
}

function sourceRefusal(
  args: readonly string[],
  run: GitRun,
  root: string,
  printed: string,
  baseName: string | undefined,
): Result<never, SourceRefusalCode> {
  if (/not a git repository/.test(run.stderr)) {
    return refusal("REPO_NOT_GIT", `${oneLine(root)} is not in a Git repository`);
  }
  if (/must be run in a work tree/.test(run.stderr)) {
    return refusal(
      "REPO_NOT_GIT",
      `${oneLine(root)} is a bare repository or a Git directory, not a working tree`,
    );
  }
  const hasHead = printed.split("\n").some(isObjectId);
  if (printed.startsWith(`${pathToGit(root)}\n`) && !hasHead) {
    return refusal("REPO_NOT_GIT", `${oneLine(root)} has no commit at HEAD`);
  }
  if (hasHead && baseName !== undefined) return baseUnavailable(baseName);
  return gitFailed(args, run);
}

function baseUnavailable(base: string): Result<never, "BASE_UNAVAILABLE"> {
  return refusal(
    "BASE_UNAVAILABLE",
    `--base ${JSON.stringify(base)} does not name a commit of this repository`,
  );
}

/** Whether `text` is a full object id, SHA-1 or SHA-256. */
export function isObjectId(text: string | undefined): text is string {
  return text !== undefined && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
