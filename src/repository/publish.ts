/** The candidate as a commit, brought into the repository whole, and the create-once ref that names it. */
import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { type Result, refusal, success } from "../outcome.ts";
import { type GitContext, git, gitFailed, runGit } from "./git.ts";
import type { Source } from "./preflight.ts";
import type { Stage } from "./stage.ts";

/** Makes the candidate's commit of `tree` in the stage's object directory. Plumbing: no editor, hook or signer. */
export async function commitCandidate(
  source: Source,
  stage: Stage,
  tree: string,
  id: string,
): Promise<Result<string, "GIT_FAILED" | "INTERRUPTED">> {
  const person: Record<string, string> = {};
  for (const role of ["AUTHOR", "COMMITTER"]) {
    person[`GIT_${role}_NAME`] = "satyrn-engine";
    person[`GIT_${role}_EMAIL`] = "satyrn-engine@localhost";
  }
  const context = { ...stage.git, env: { ...stage.git.env, ...person } };
  const message = `candidate: ${id}\n\nbase: ${source.base}\n`;
  const commit = await git(context, ["commit-tree", tree, "-p", source.base, "-F", "-"], { stdin: message });
  return commit.ok ? success(commit.value.toString("latin1").trim()) : commit;
}

/**
 * Copies what `commit` has and the base has not into the repository, as one pack whose keep file is the value.
 *
 * A collection that runs beside this deletes what was unreachable when it looked, whatever is published
 * meanwhile; a kept pack it leaves alone. The keep file goes once the ref exists, or when there will be none.
 */
export async function packCandidate(
  source: Source,
  stage: Stage,
  commit: string,
  folder: string,
): Promise<Result<string, "GIT_FAILED" | "INTERRUPTED">> {
  const pack = join(folder, "candidate.pack");
  const selection = {
    stdin: `${commit}\n^${source.base}\n`,
    stdoutFile: pack,
    settings: ["pack.packSizeLimit=0"],
  };
  const packed = await git(stage.git, ["pack-objects", "--revs", "--stdout", "--quiet"], selection);
  if (!packed.ok) return packed;
  const args = ["index-pack", "--stdin", "--keep=satyrn-engine"];
  const indexed = await runGit(source.git, args, { stdin: Bun.file(pack) });
  if (!indexed.ok) return indexed;
  const hash = /^keep\t([0-9a-f]+)$/m.exec(indexed.value.stdout.toString("latin1"))?.[1];
  if (indexed.value.status !== 0 || hash === undefined) return gitFailed(args, indexed.value);
  return success(join(source.commonDirectory, "objects/pack", `pack-${hash}.keep`));
}

/** Lets collections have the pack again. */
export function releasePack(keepFile: string): void {
  try {
    unlinkSync(keepFile);
  } catch {
    // Already gone: nothing keeps the pack.
  }
}

/**
 * Whether `ref` exists as a symbolic ref, also one that leads nowhere: creating over it would succeed and
 * overwrite it.
 */
export async function isSymbolicRef(
  context: GitContext,
  ref: string,
): Promise<Result<boolean, "GIT_FAILED" | "INTERRUPTED">> {
  const args = ["symbolic-ref", "--quiet", ref];
  const run = await runGit(context, args);
  if (!run.ok) return run;
  if (run.value.status === 0) return success(true);
  return run.value.status === 1 ? success(false) : gitFailed(args, run.value);
}

/** Names of the refs at or below `prefix`. */
export async function refsAt(
  context: GitContext,
  prefix: string,
): Promise<Result<readonly string[], "GIT_FAILED" | "INTERRUPTED">> {
  const refs = await git(context, ["for-each-ref", "--format=%(refname)", prefix]);
  return refs.ok ? success(refs.value.toString("utf8").split("\n").filter(Boolean)) : refs;
}

/** Creates `ref` at `commit` if nothing of that name is there: CANDIDATE_EXISTS if something is. One of several racing wins. */
export async function createRef(
  source: Source,
  ref: string,
  commit: string,
): Promise<Result<undefined, "GIT_FAILED" | "CANDIDATE_EXISTS" | "INTERRUPTED">> {
  const symbolic = await isSymbolicRef(source.git, ref);
  if (!symbolic.ok) return symbolic;
  if (symbolic.value) return candidateExists(ref);
  const args = ["update-ref", "--no-deref", ref, commit, ""];
  // Not interrupted half-way: the ref is created or not, and the receipt must say which.
  const settled = { ...source.git, interruption: undefined };
  const created = await runGit(settled, args);
  if (!created.ok) return created;
  if (created.value.status === 0) return success(undefined);
  const existing = await refsAt(settled, ref);
  if (existing.ok && existing.value.includes(ref)) return candidateExists(ref);
  return gitFailed(args, created.value);
}

export function candidateExists(ref: string): Result<never, "CANDIDATE_EXISTS"> {
  return refusal("CANDIDATE_EXISTS", `${ref} exists already; a candidate is created once and never moved`);
}
