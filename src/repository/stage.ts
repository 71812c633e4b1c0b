/** What the command left in the worktree, as a tree beside the base's. */
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { oneLine, type Refusal, type Result, refusal, success } from "../outcome.ts";
import { type GitContext, git, gitFailed, runGit } from "./git.ts";
import { type IndexDifference, indexDifferences, noMode } from "./index-file.ts";
import { overlooked } from "./overlooked.ts";
import type { Source } from "./preflight.ts";
import { type Checkout, everyEditShows, trustsTimes, untouched } from "./untouched.ts";
import type { Worktree } from "./worktree.ts";

/** Where the candidate's index and objects are made, out of the command's way and of the repository's. */
export interface Stage {
  /** Git in the worktree, with the private index and object directory. */
  readonly git: GitContext;
  readonly objects: string;
  readonly index: string;
  readonly checkout: Checkout;
  /** What tells the private indexes, as the engine left them, from any that a program wrote since. */
  left: string;
}

/** One path that differs between the base and the result. Modes are octal, "000000" for none. */
export interface Change {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
}

export interface StagedTree {
  readonly tree: string;
  /** In the order of their UTF-8 bytes. */
  readonly changes: readonly Change[];
}

const gitlink = "160000";

/** Else a `.gitmodules` that says `ignore = all` hides a gitlink, also one that the command adds. */
export const everyGitlink = "--ignore-submodules=none";

/** Whether the change would add, move or drop a nested repository. */
export function touchesGitlink(change: Change): boolean {
  return change.oldMode === gitlink || change.newMode === gitlink;
}

/**
 * Copies the freshly checked-out index of `worktree` into `folder` and sets up an object directory there that has
 * the repository's as alternate. Must come before the command.
 */
export function prepareStage(source: Source, worktree: Worktree, folder: string): Stage {
  const index = join(folder, "index");
  const pristine = join(folder, "index.pristine");
  copyIndex(join(worktree.adminDirectory, "index"), pristine);
  const over = statSync(pristine, { bigint: true }).ctimeNs;
  const checkout = { worktree: worktree.path, index: pristine, hashLength: source.base.length / 2, over };
  linkSync(pristine, index);
  const objects = join(folder, "objects");
  for (const name of ["info", "pack"]) mkdirSync(join(objects, name), { recursive: true });
  writeFileSync(join(objects, "info/alternates"), `${onOneLine(join(source.commonDirectory, "objects"))}\n`);
  const env = { ...worktree.git.env, GIT_INDEX_FILE: index, GIT_OBJECT_DIRECTORY: objects };
  return { git: { ...worktree.git, env }, objects, index, checkout, left: stampOf(index, checkout) };
}

/**
 * The private index if it, or the copy it is compared with, is not as the engine left it: what hides a change there
 * hides it from the candidate. The command can find both, and can set no time of a file's last change of any kind.
 */
export function stageDrift({ index, checkout, left }: Stage): readonly string[] {
  return stampOf(index, checkout) === left ? [] : [index];
}

function stampOf(index: string, { index: pristine }: Checkout): string {
  const stamps = [index, pristine].map((path) => {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stat && [stat.dev, stat.ino, stat.mode, stat.size, stat.mtimeNs, stat.ctimeNs].join(" ");
  });
  return stamps.join("\n");
}

/**
 * Copies an index, which must come before whatever it is compared with later. The copy keeps the second it was
 * written in: Git compares whole seconds, and a younger copy would hide edits that keep a file's size.
 */
export function copyIndex(original: string, copy: string): void {
  const written = statSync(original);
  writeFileSync(copy, readFileSync(original), { mode: 0o600, flag: "wx" });
  const second = trustsTimes ? Math.floor(written.mtimeMs / 1000) : distrusted;
  utimesSync(copy, second, second);
}

/** Older than any file: Git reads each. */
const distrusted = 1;

/** Forgets what was staged, so that every object is written again that is not there. */
export function stageAnew({ index, checkout }: Stage): void {
  rmSync(index, { force: true });
  linkSync(checkout.index, index);
}

/** A path as Git reads it from a list of alternates: quoted if it holds a line feed. */
function onOneLine(path: string): string {
  if (!path.includes("\n")) return path;
  return `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

/**
 * Stages all the command left (ignore rules honoured) and compares the tree with the base's.
 *
 * A path the command did not touch is no change, even if a fresh checkout of it looks modified by itself.
 * Refuses NESTED_REPOSITORY (a repository without a commit inside), GIT_FAILED (also what Git would leave out
 * without failing, and names that are not UTF-8), INTERRUPTED. Writes in the stage only.
 */
export async function stageAll(source: Source, stage: Stage): Promise<Staged> {
  const staged = await stageWhole(source, stage);
  stage.left = stampOf(stage.index, stage.checkout);
  return staged;
}

type Staged = Result<StagedTree, "GIT_FAILED" | "NESTED_REPOSITORY" | "INTERRUPTED">;

async function stageWhole(source: Source, stage: Stage): Promise<Staged> {
  const add = ["add", "--all", "--sparse"];
  // A name that stands for .git on some file system is refused on every one, whatever the repository says.
  const settings = ["core.protectNTFS=true", "core.protectHFS=true"];
  const adding = () => runGit(stage.git, add, { settings });
  const pristine = stage.checkout.index;
  // Staged once, the command's own files are in the index, and a check can change one within the same tick.
  const isPristine = statSync(stage.index).ino === statSync(pristine).ino;
  const added = await (isPristine && everyEditShows(stage.checkout)
    ? withoutReading(stage.index, pristine, adding)
    : adding());
  if (!added.ok) return added;
  const dropped = nestedRepository(added.value.stderr) ?? overlooked("add", added.value.stderr);
  if (dropped !== undefined) return dropped;
  if (added.value.status !== 0) return gitFailed(add, added.value);
  const first = await treeOf(source, stage);
  if (!first.ok) return first;
  const modified = first.value.changes.filter(
    ({ oldMode, newMode }) => oldMode !== noMode && newMode !== noMode,
  );
  const paths = modified.map(({ path }) => path);
  const same = untouched(stage.checkout, paths);
  if (same.size === 0) return first;
  const entries = modified
    .filter(({ path }) => same.has(path))
    .map((change) => `${change.oldMode} ${change.oldId}\t${change.path}\0`)
    .join("");
  const restored = await git(stage.git, ["update-index", "-z", "--index-info"], { stdin: entries });
  return restored.ok ? treeOf(source, stage) : restored;
}

async function treeOf(
  source: Source,
  stage: Stage,
): Promise<Result<StagedTree, "GIT_FAILED" | "INTERRUPTED">> {
  // Entries were compared when they were added, and nothing writes any more: 77 to 14 ms for 10,000 files.
  const [written, changes] = await withoutReading(stage.index, stage.index, () =>
    Promise.all([git(stage.git, ["write-tree"]), changesOf(source, stage)]),
  );
  if (!written.ok) return written;
  if (!changes.ok) return changes;
  return success({ tree: written.value.toString("latin1").trim(), changes: changes.value });
}

/** What the private index has that the checkout's has not. Git is asked where its format is none that the engine reads. */
async function changesOf(
  source: Source,
  { git: context, index, checkout }: Stage,
): Promise<Result<readonly Change[], "GIT_FAILED" | "INTERRUPTED">> {
  const [before, after] = [readFileSync(checkout.index), readFileSync(index)];
  const differences = indexDifferences(before, after, checkout.hashLength);
  if (differences !== undefined) return changesFrom(differences);
  const format = ["-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", everyGitlink];
  // The index's own entries, no file of the worktree.
  const diff = await git(context, ["diff-index", "--cached", ...format, source.baseTree]);
  return diff.ok ? changesFrom(parseRawDiff(diff.value)) : diff;
}

/**
 * Lets Git work with an index without reading files again that have the second it was written in, as Git does because
 * they could have changed afterwards. `kept` is back under that rule when the work is done, for whoever stages again.
 */
async function withoutReading<Value>(
  index: string,
  kept: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const second = Math.floor(statSync(index).mtimeMs / 1000);
  utimesSync(index, second + 2, second + 2);
  const done = await work();
  utimesSync(kept, second, second);
  return done;
}

/** `:100644 100644 <old> <new> M\0<path>\0`, repeated (git-diff manual page, raw output format). */
export function parseRawDiff(raw: Buffer): readonly IndexDifference[] {
  const differences: IndexDifference[] = [];
  for (let at = 0; at < raw.length; ) {
    const headEnd = raw.indexOf(0, at);
    const pathEnd = raw.indexOf(0, headEnd + 1);
    const [oldMode = "", newMode = "", oldId = ""] = raw.toString("latin1", at + 1, headEnd).split(" ");
    differences.push({ path: raw.subarray(headEnd + 1, pathEnd), oldMode, newMode, oldId });
    at = pathEnd + 1;
  }
  return differences.sort((one, other) => Buffer.compare(one.path, other.path));
}

/** With the paths as text; GIT_FAILED if one is none. */
export function changesFrom(
  differences: readonly IndexDifference[],
): Result<readonly Change[], "GIT_FAILED"> {
  const changes: Change[] = [];
  for (const { path: bytes, ...difference } of differences) {
    const path = bytes.toString("utf8");
    if (!Buffer.from(path).equals(bytes)) {
      return refusal(
        "GIT_FAILED",
        `a changed path is not UTF-8: ${oneLine(path)} (base64 ${bytes.toString("base64")})`,
      );
    }
    changes.push({ path, ...difference });
  }
  return success(changes);
}

function nestedRepository(stderr: string): Refusal<"NESTED_REPOSITORY"> | undefined {
  const path = /^error: '(.*)\/' does not have a commit checked out$/m.exec(stderr)?.[1];
  if (path === undefined) return undefined;
  return refusal("NESTED_REPOSITORY", `the command left a repository without a commit at ${oneLine(path)}`);
}
