/** One private folder: whether its engine is gone, and its removal with all that hangs on it. */
import { lstatSync, rmdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { folderIdentity, mayBeThere } from "../files/identity.ts";
import { type Owner, readLeader, unfinishedOwnerFile } from "../files/owner.ts";
import { removePrivateFolder } from "../files/private-folder.ts";
import { removeLargeTree } from "../files/remove.ts";
import { oneLine } from "../outcome.ts";
import { lifeOf, ownIdentity } from "../process/identity.ts";
import { contains } from "../process/trusted-program.ts";
import { registeredFolders, removeRegistration, removeUnlisted } from "../repository/worktree.ts";
import { systemReason } from "../system-error.ts";
import type { Leftover } from "./leftovers.ts";
import { endRemains, remainsOf, usersOf, usersStaying } from "./processes.ts";

/** What became of one thing that an engine made. */
export interface Finding {
  /**
   * `recovered`: it is gone. `recoverable`: it would be, were this no dry run. `in_use`: its engine, or a process
   * that is not the engine's, uses it. `kept`: whether it is in use, or whose it is, cannot be proven.
   */
  readonly result: "recovered" | "recoverable" | "in_use" | "kept";
  readonly path: string;
  readonly reason: string;
}

/**
 * Removes the leftover if it is proven that nothing uses it; says why if not. Undefined if it is gone by now: its
 * engine ended after it was found, and had removed it, or somebody else recovers too.
 */
export async function recoverFolder(
  leftover: Leftover,
  commonDirectory: string,
  dryRun: boolean,
): Promise<Finding | undefined> {
  const { path } = leftover;
  const [result, reason] =
    leftover.kind === "owned"
      ? await recoverOwned(path, leftover.owner, commonDirectory, dryRun)
      : leftover.kind === "unowned"
        ? recoverUnowned(path, dryRun)
        : forgotten;
  const isThere =
    leftover.kind === "registration"
      ? registeredFolders(commonDirectory).some(([, worktree]) => worktree === path)
      : mayBeThere(path);
  if (!isThere && result !== "recovered") return undefined;
  return { result, path, reason: oneLine(reason) };
}

type Verdict = readonly [result: Finding["result"], reason: string];

const forgotten: Verdict = [
  "kept",
  "its folder is gone, and with it the record of whose it was; git worktree prune forgets it",
];

async function recoverOwned(
  path: string,
  owner: Owner,
  commonDirectory: string,
  dryRun: boolean,
): Promise<Verdict> {
  const here = ownIdentity();
  const life = lifeOf(owner.engine, here);
  if (life === "alive") return ["in_use", `its engine is running: process ${owner.engine?.pid}`];
  if (life !== "gone") return ["kept", life.unknown];
  const moved = whatMoved(path, owner, commonDirectory);
  if (moved !== undefined) return ["kept", moved];
  const leader = owner.engine?.boot === here?.boot ? readLeader(path) : null;
  const gone = `its engine, process ${owner.engine?.pid}, is gone`;
  if (dryRun) {
    const remains = remainsOf(path, leader);
    const users = usersOf(path, leader, remains);
    if (users.length > 0) return ["in_use", `used by ${users.map(named).join(", ")}`];
    const processes = remains.length === 0 ? "" : `; would end ${remains.map(named).join(", ")}`;
    return ["recoverable", gone + processes];
  }
  const ended = remainsOf(path, leader);
  const survivors = await endRemains(path, leader);
  if (survivors.length > 0) return ["in_use", `could not end ${survivors.map(named).join(", ")}`];
  const users = await usersStaying(path, leader);
  if (users.length > 0) return ["in_use", `used by ${users.map(named).join(", ")}`];
  const left = await remove(path, owner, commonDirectory);
  if (left !== undefined) return ["kept", left];
  return ["recovered", ended.length === 0 ? gone : `${gone}; ended ${ended.map(named).join(", ")}`];
}

function named({ pid, name }: { readonly pid: number; readonly name: string }): string {
  return `process ${pid} (${name})`;
}

/** Why the folder or its worktree is not what the engine made, where it made it; undefined if it is. */
function whatMoved(path: string, owner: Owner, commonDirectory: string): string | undefined {
  if (path !== owner.path) return `it was moved or copied from ${owner.path}`;
  const identity = folderIdentity(path);
  if (identity?.dev !== owner.identity.dev || identity.ino !== owner.identity.ino) {
    return "it is not the folder that its engine made there";
  }
  const guest = registeredFolders(commonDirectory).find(
    ([admin, worktree]) => contains(path, worktree) && !isOwn(admin, worktree, path, owner),
  );
  if (guest !== undefined) return `another worktree of the repository lies in it: ${guest[1]}`;
  const admin = adminOf(owner, commonDirectory);
  const registered = registeredFolders(commonDirectory).find(([each]) => each === admin);
  if (registered === undefined || owner.worktree === null) return undefined;
  return registered[1] === join(path, owner.worktree)
    ? undefined
    : `its worktree was moved to ${registered[1]}`;
}

/** Git names its own folder for a worktree after the worktree's folder, whose name is like no other's. */
function isOwn(admin: string, worktree: string, path: string, owner: Owner): boolean {
  return worktree === join(path, owner.worktree ?? "") && basename(admin) === owner.worktree;
}

function adminOf(owner: Owner, commonDirectory: string): string | undefined {
  return owner.worktree === null ? undefined : join(commonDirectory, "worktrees", owner.worktree);
}

/** Worktree, registration, folder, in the order of a delivery. Undefined once all are gone, else what is left. */
async function remove(path: string, owner: Owner, commonDirectory: string): Promise<string | undefined> {
  const admin = adminOf(owner, commonDirectory);
  if (owner.worktree !== null && admin !== undefined) {
    removeUnlisted(commonDirectory, owner.worktree);
    const worktree = join(path, owner.worktree);
    const identity = folderIdentity(worktree);
    const removal = identity === null ? undefined : await removeLargeTree(worktree, identity);
    if (removal?.ok === false) return removal.left;
    const left = await removeRegistration(commonDirectory, admin, worktree);
    if (left !== undefined) return left;
  }
  const removal = removePrivateFolder({ path, identity: owner.identity });
  return removal.ok ? undefined : removal.left;
}

/** A record follows its folder within milliseconds, unless the engine was stopped or killed right then. */
const timeForRecord = 10_000;

function recoverUnowned(path: string, dryRun: boolean): Verdict {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // A time further ahead is of before the clock was set back.
  if (stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < timeForRecord) {
    return ["in_use", "it was made in the last ten seconds, and its engine may be about to use it"];
  }
  const reason = "it is empty, and no engine came back to use it";
  if (dryRun) return ["recoverable", reason];
  try {
    rmSync(join(path, unfinishedOwnerFile), { force: true });
    rmdirSync(path);
    return ["recovered", reason];
  } catch (error) {
    return ["kept", systemReason(error)];
  }
}
