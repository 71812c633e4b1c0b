/** The candidate's commit brought into the repository whole, and the create-once ref that names it. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fsync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { mayBeThere } from "../files/identity.ts";
import { writePackName } from "../files/owner.ts";
import { type Refusal, type Result, refusal, success } from "../outcome.ts";
import { ownIdentity } from "../process/identity.ts";
import { systemReason } from "../system-error.ts";
import { git, gitFailed, runGit } from "./git.ts";
import type { Source } from "./preflight.ts";
import { isAtHead, listRefs, nameOf } from "./refs.ts";
import { share } from "./sharing.ts";
import type { Stage } from "./stage.ts";

/**
 * Makes one pack, in the stage's object directory, of what `commit` has and the base has not. The value is its path
 * without suffix.
 *
 * What the repository had already, no ref naming it, Git did not write again into the stage, and a collection may
 * take it at any moment. Once this pack is there, the candidate needs nothing but itself and the base; and if
 * no ref leads to the base, which nothing keeps once the worktree is gone, the pack has the base's history, too.
 */
export async function packCandidate(
  source: Source,
  stage: Stage,
  commit: string,
): Promise<Result<string, "GIT_FAILED" | "INTERRUPTED">> {
  const had = await safeCommits(source);
  if (!had.ok) return had;
  const input = {
    stdin: `${[commit, ...had.value.map((each) => `^${each}`)].join("\n")}\n`,
    // No search for deltas among a change's own objects: a later collection makes them, and a candidate is to be read.
    settings: ["pack.packSizeLimit=0", "core.fsync=none", "pack.window=0", "pack.threads=1"],
  };
  const prefix = join(stage.objects, "pack/pack");
  const packed = await git(stage.git, ["pack-objects", "--revs", "--quiet", prefix], input);
  return packed.ok ? success(`${prefix}-${packed.value.toString("latin1").trim()}`) : packed;
}

/** Commits that no collection takes: the base if a ref leads to it, else the tips of all refs. */
async function safeCommits(source: Source): Promise<Result<readonly string[], "GIT_FAILED" | "INTERRUPTED">> {
  const { git: context, base } = source;
  if (isAtHead(source, base)) return success([base]);
  // Not by the heads of other worktrees, one of which is the delivery's own.
  const refs = ["--ignore-missing", "--single-worktree", "--all"];
  const lost = await git(context, ["rev-list", "--max-count=1", base, "--not", ...refs]);
  if (!lost.ok) return lost;
  if (lost.value.length === 0) return success([base]);
  const tips = await git(context, ["rev-list", "--no-walk=unsorted", ...refs]);
  return tips.ok ? success(tips.value.toString("latin1").split("\n").filter(Boolean)) : tips;
}

/** Whether a Git command failed because an object was missing that was there when its name was learnt. */
export function lostObject({ code, message }: Refusal<string>): boolean {
  return code === "GIT_FAILED" && /\b(?:[0-9a-f]{40}|[0-9a-f]{64})\b/.test(message);
}

/** A pack on its way into the repository. */
export interface KeptPack {
  /** Keeps collections from it until it is released. */
  readonly keepFile: string;
  /** Settles when Git sees the pack and the disk has it, or neither will be. */
  readonly arrived: Promise<Result<undefined, "GIT_FAILED">>;
}

/**
 * Copies the pack `made` into the repository, and lets it arrive there while other work goes on.
 *
 * A collection that runs beside this deletes what was unreachable when it looked, whatever is published
 * meanwhile, and every half-made pack (`tmp_*`) of Git's own; a kept pack it leaves alone. So the pack is copied
 * under a name of its own, which no delivery of the very same commit shares, and which is noted in the private
 * `folder`. The keep file goes once the ref exists, or when there will be none.
 */
export function keepPack(source: Source, made: string, folder: string): Result<KeptPack, "GIT_FAILED"> {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(source.base.length / 2))).toString("hex");
  const kept = join(source.commonDirectory, "objects/pack", `pack-${random}`);
  try {
    if (mkdirSync(dirname(kept), { recursive: true }) !== undefined) share(dirname(kept), source.sharing);
    writePackName(folder, basename(kept));
    writeFileSync(`${kept}.keep`, `${keepMark} ${JSON.stringify(ownIdentity())}\n`, {
      flag: "wx",
      mode: 0o444,
    });
    share(`${kept}.keep`, source.sharing);
    // These have their permissions from Git, which made them.
    copyFileSync(`${made}.pack`, `${kept}.pack`, constants.COPYFILE_EXCL);
    copyFileSync(`${made}.idx`, `${kept}.idx-whole`, constants.COPYFILE_EXCL);
    return success({ keepFile: `${kept}.keep`, arrived: arrive(kept) });
  } catch (error) {
    return notKept(kept, error);
  }
}

async function arrive(kept: string): Promise<Result<undefined, "GIT_FAILED">> {
  try {
    // Beside each other, and beside the removal of the worktree: each takes a write of the disk.
    await Promise.all([sync(`${kept}.pack`), sync(`${kept}.idx-whole`)]);
    // Git looks for indexes: with this one whole under its name, the pack is there.
    renameSync(`${kept}.idx-whole`, `${kept}.idx`);
    return success(undefined);
  } catch (error) {
    return notKept(kept, error);
  }
}

function notKept(kept: string, error: unknown): Refusal<"GIT_FAILED"> {
  for (const part of [".idx-whole", ".pack", ".keep"]) rmSync(kept + part, { force: true });
  return refusal("GIT_FAILED", `cannot bring the candidate's pack in: ${systemReason(error)}`);
}

/** Onto the disk, on a thread of the runtime's. */
async function sync(path: string): Promise<void> {
  // Windows flushes only what is open for writing, and opens nothing that is read-only so.
  const windows = process.platform === "win32";
  if (windows) chmodSync(path, 0o666);
  const descriptor = openSync(path, windows ? "r+" : "r");
  try {
    await new Promise<void>((resolve, reject) => {
      fsync(descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
  } finally {
    closeSync(descriptor);
  }
  if (windows) chmodSync(path, 0o444);
}

/** How the text of a keep file of the engine's begins; the identity of the engine follows. */
export const keepMark = "satyrn-engine";

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
 * overwrite it. Where refs are files, no file of its name is answer enough: what is packed is never symbolic.
 */
export async function isSymbolicRef(
  source: Source,
  ref: string,
): Promise<Result<boolean, "GIT_FAILED" | "INTERRUPTED">> {
  if (source.isPlain && !mayBeThere(join(source.commonDirectory, ref))) return success(false);
  const args = ["symbolic-ref", "--quiet", ref];
  const run = await runGit(source.git, args);
  if (!run.ok) return run;
  if (run.value.status === 0) return success(true);
  if (run.value.status === 1) return success(false);
  if (!/No such ref/.test(run.value.stderr)) return gitFailed(args, run.value);
  const broken = `${ref} is there and names nothing, as after a power cut: remove the file`;
  return refusal("GIT_FAILED", broken);
}

/**
 * Creates `ref` at `commit` if nothing of that name is there: CANDIDATE_EXISTS if something is. One of several racing
 * wins. GIT_FAILED, and no ref, if the base was collected in the moment since the worktree let go of it.
 */
export async function createRef(
  source: Source,
  ref: string,
  commit: string,
): Promise<Result<undefined, "GIT_FAILED" | "CANDIDATE_EXISTS" | "INTERRUPTED">> {
  const symbolic = await isSymbolicRef(source, ref);
  if (!symbolic.ok) return symbolic;
  if (symbolic.value) return candidateExists(ref);
  const args = ["update-ref", "--no-deref", ref, commit, ""];
  // Not interrupted half-way: the ref is created or not, and the receipt must say which.
  const settled = { ...source.git, interruption: undefined };
  const created = await runGit(settled, args, { settings: patientWithLocks });
  if (created.ok && created.value.status === 0) return unlessBaseIsLost(source, ref, commit);
  const listed = await listRefs(settled, [ref]);
  const refs = listed.ok ? listed.value : [];
  const words = created.ok ? created.value.stderr : "";
  // Nothing was in its way, and it names the candidate: Git failed, was killed or not heard, when its work was done.
  const there = refs.find((each) => nameOf(each) === ref);
  if (there?.endsWith(`\n${commit}`) && !/exists/i.test(words)) return success(undefined);
  if (there !== undefined) return candidateExists(ref);
  return created.ok ? gitFailed(args, created.value) : created;
}

/** Now that `ref` keeps all that is there: whether all of `commit` is. Else the ref goes again. */
async function unlessBaseIsLost(
  { git: context, ...source }: Source,
  ref: string,
  commit: string,
): Promise<Result<undefined, "GIT_FAILED" | "INTERRUPTED">> {
  if (isAtHead(source, source.base)) return success(undefined);
  const settled = { ...context, interruption: undefined };
  const others = ["--not", `--exclude=${ref}`, "--all"];
  const walked = await git(settled, ["rev-list", "--objects", "--quiet", commit, ...others]);
  // A walk that could not be made tells nothing.
  if (walked.ok || !lostObject(walked)) return success(undefined);
  const removed = await git(settled, ["update-ref", "--no-deref", "-d", ref, commit]);
  const which = removed.ok ? "" : `, and ${ref} could not be removed: ${removed.message}`;
  return refusal("GIT_FAILED", `what the candidate stands on was collected: ${walked.message}${which}`);
}

/** Git gives up after 100 ms on a ref that another process, perhaps one that is not scheduled, is creating. */
const patientWithLocks = ["core.filesRefLockTimeout", "reftable.lockTimeout"].map((name) => `${name}=10000`);

export function candidateExists(ref: string): Result<never, "CANDIDATE_EXISTS"> {
  return refusal("CANDIDATE_EXISTS", `${ref} exists already; a candidate is created once and never moved`);
}
