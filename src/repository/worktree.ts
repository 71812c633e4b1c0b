/**
 * The throw-away linked worktree a command runs in.
 *
 * Git dies now and then when it adds, lists or removes worktrees of one repository while another process is in
 * the middle of the same. Engines keep out of each other's way with a lock around the short steps that touch
 * the shared list; a person's own Git knows no lock, so those steps are also tried again.
 */
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { folderIdentity, type Identity, mayBeThere } from "../files/identity.ts";
import { makeFolders, makeNewFolder } from "../files/make-folders.ts";
import { readRegularFile } from "../files/read.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";
import { type GitContext, gitFailed, patience, retryGit, runGit } from "./git.ts";
import { pathFromGit } from "./git-path.ts";
import { withLock } from "./lock.ts";
import type { Source } from "./preflight.ts";
import { share } from "./sharing.ts";

export interface Worktree {
  /** Real path of the folder. */
  readonly path: string;
  /** Git's own folder for it, below the common directory. */
  readonly adminDirectory: string;
  /** Device and inode of the folder, so that another one on its path is never taken for it. */
  readonly identity: Identity;
  /** Git in the worktree, with every directory named and none rediscovered. */
  readonly git: GitContext;
}

/**
 * Adds a worktree at `path` (absent, last segment unique), detached at the base and empty.
 *
 * Refuses GIT_FAILED or INTERRUPTED; what was made by then is found by `removeRegistration` and the caller's
 * removal of the folder. Writes below the common directory only.
 */
export async function addWorktree(
  source: Source,
  path: string,
): Promise<Result<Worktree, "GIT_FAILED" | "INTERRUPTED">> {
  const added = source.isPlain ? await register(source, path) : await registerByGit(source, path);
  if (!added.ok) return added;
  const adminDirectory = registration(source.commonDirectory, path);
  const identity = folderIdentity(path);
  if (adminDirectory === undefined || identity === null) {
    return refusal("GIT_FAILED", `git did not register the worktree ${path}`);
  }
  const env = {
    ...source.git.env,
    GIT_DIR: adminDirectory,
    GIT_COMMON_DIR: source.commonDirectory,
    GIT_WORK_TREE: path,
  };
  return success({ path, adminDirectory, identity, git: { ...source.git, cwd: path, env } });
}

/**
 * Writes what `git worktree add` writes (gitrepository-layout manual page), 4 ms sooner. It comes into the shared
 * list as a whole, in one step, when the worktree is there already: nobody meets it half-made, or prunes it.
 */
async function register(
  { commonDirectory, base }: Source,
  path: string,
): Promise<Result<undefined, "GIT_FAILED">> {
  const folder = makeFolders(commonDirectory, ["satyrn"]);
  if (!folder.ok) return refusal("GIT_FAILED", `in ${commonDirectory}, ${folder.message}`);
  const unlisted = join(folder.value, basename(path));
  const adminDirectory = join(commonDirectory, "worktrees", basename(path));
  try {
    mkdirSync(unlisted);
    writeFileSync(join(unlisted, "commondir"), "../..\n");
    writeFileSync(join(unlisted, "gitdir"), `${join(path, ".git")}\n`);
    writeFileSync(join(unlisted, "HEAD"), `${base}\n`);
    mkdirSync(path);
    writeFileSync(join(path, ".git"), `gitdir: ${adminDirectory}\n`);
    for (const end = performance.now() + patience; !moveInto(unlisted, adminDirectory, end); )
      await Bun.sleep(1);
    return success(undefined);
  } catch (error) {
    rmSync(unlisted, { recursive: true, force: true });
    return refusal("GIT_FAILED", `cannot register the worktree ${path}: ${systemReason(error)}`);
  }
}

/** False if the list was removed in this moment, as Git does with an empty one; after `end` that is an error. */
function moveInto(unlisted: string, adminDirectory: string, end: number): boolean {
  makeNewFolder(dirname(adminDirectory));
  try {
    renameSync(unlisted, adminDirectory);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || performance.now() > end) throw error;
    return false;
  }
}

async function registerByGit(
  source: Source,
  path: string,
): Promise<Result<undefined, "GIT_FAILED" | "INTERRUPTED">> {
  const add = ["worktree", "add", "--detach", "--no-checkout", path, source.base];
  // A few milliseconds that are not interrupted: a half-made registration names no folder.
  const settled = { ...source.git, interruption: undefined };
  const added = await sharingWorktrees(source, () =>
    retryGit(settled, add, { settings: ["worktree.useRelativePaths=false"] }),
  );
  if (!added.ok) return added;
  return added.value.status === 0 ? success(undefined) : gitFailed(add, added.value);
}

/** Removes what an engine that was killed had made of a registration before it was in the list. */
export function removeUnlisted(commonDirectory: string, name: string): void {
  rmSync(join(commonDirectory, "satyrn", name), { recursive: true, force: true });
}

/** Checks the base out into a worktree that is empty. Refuses GIT_FAILED or INTERRUPTED. */
export async function fillWorktree(
  worktree: Worktree,
): Promise<Result<undefined, "GIT_FAILED" | "INTERRUPTED">> {
  const filled = await runGit(worktree.git, ["reset", "--hard", "--quiet", "--no-recurse-submodules"], {
    // Parallel checkout: 682 to 470 ms for 10,000 files on two cores. For 1,000 its workers cost what they gain.
    settings: ["checkout.workers=0", "checkout.thresholdForParallelism=2000"],
  });
  if (!filled.ok) return filled;
  return filled.value.status === 0 ? success(undefined) : gitFailed(["checkout"], filled.value);
}

/** Git's folder for the worktree at `path`, if each names the other. Reads files only. */
export function registration(commonDirectory: string, path: string): string | undefined {
  const written = /^gitdir: (.+)\n$/s.exec(readText(join(path, ".git")) ?? "")?.[1];
  const link = written === undefined ? undefined : pathFromGit(written);
  if (link === undefined || dirname(link) !== join(commonDirectory, "worktrees")) return undefined;
  return fileNamedIn(readText(join(link, "gitdir")) ?? "") === join(path, ".git") ? link : undefined;
}

/** The worktree's `.git` file, of which the text of `gitdir` holds the path and a newline. */
function fileNamedIn(gitdir: string): string | undefined {
  const names = /^(.+)\n$/s.exec(gitdir)?.[1];
  return names === undefined ? undefined : pathFromGit(names);
}

/**
 * Makes Git forget the worktree whose folder is gone, as `git worktree remove` does, without running Git: after
 * a command has run, the configuration Git would read may be the command's. Undefined once it is forgotten, else why not.
 */
export async function removeRegistration(
  commonDirectory: string,
  adminDirectory: string,
  path: string,
): Promise<string | undefined> {
  // A repository that was moved away took the registration along.
  if (!mayBeThere(adminDirectory)) return undefined;
  const removed = await sharingWorktrees({ commonDirectory }, async () => {
    // Read once: a person's prune may take it along at any moment.
    const text = readText(join(adminDirectory, "gitdir"));
    if (text !== undefined && fileNamedIn(text) !== join(path, ".git")) {
      return refusal("GIT_FAILED", `the worktree was moved: ${adminDirectory} names ${text.trim()}`);
    }
    await removeFolder(adminDirectory);
    try {
      rmdirSync(dirname(adminDirectory));
    } catch {
      // Other worktrees are registered, or someone else was faster.
    }
    return success(undefined);
  }).catch((error: Error) => refusal("GIT_FAILED", `cannot remove ${adminDirectory}: ${error.message}`));
  return removed.ok ? undefined : removed.message;
}

/** On Windows nothing goes that a program has open, and one that was just ended has it for a moment more. */
async function removeFolder(path: string): Promise<void> {
  for (const end = performance.now() + patience; ; await Bun.sleep(20)) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if (process.platform !== "win32" || performance.now() > end) throw error;
    }
  }
}

/**
 * The folders of the repository's worktrees: the one that is looked at, the main one where there is one, and those
 * that are registered.
 */
export function worktreeFolders({ root, commonDirectory }: Source): readonly string[] {
  const registered = registeredFolders(commonDirectory).map(([, path]) => path);
  const main = basename(commonDirectory) === ".git" ? dirname(commonDirectory) : commonDirectory;
  return [...new Set([root, main, ...registered])];
}

/** Git's own folder and the path of each registered linked worktree, read without Git. */
export function registeredFolders(commonDirectory: string): readonly [string, string][] {
  const parent = join(commonDirectory, "worktrees");
  return entriesOf(parent).flatMap((name): [string, string][] => {
    const link = readText(join(parent, name, "gitdir"))?.trimEnd();
    if (link === undefined) return [];
    // Git 2.48 and later can write it relative to its own folder.
    const file = resolve(parent, name, link);
    return [[join(parent, name), basename(file) === ".git" ? dirname(file) : file]];
  });
}

/** None where the folder is gone, which Git removes with the last worktree, at any moment. */
function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (!mayBeThere(folder)) return [];
    throw error;
  }
}

/** Runs `step` while no other engine adds or removes a worktree of this repository. */
async function sharingWorktrees<Value, Code extends string>(
  { commonDirectory, sharing }: Pick<Source, "commonDirectory" | "sharing">,
  step: () => Promise<Result<Value, Code>>,
): Promise<Result<Value, Code | "GIT_FAILED">> {
  const onMade = (path: string) => share(path, sharing);
  const folder = makeFolders(commonDirectory, ["satyrn"], onMade);
  if (!folder.ok) return refusal("GIT_FAILED", `in ${commonDirectory}, ${folder.message}`);
  return withLock(join(folder.value, "worktrees.lock"), step, onMade);
}

function readText(path: string): string | undefined {
  const read = readRegularFile(path, 65_536);
  return read.ok ? read.value.toString("utf8") : undefined;
}
