/**
 * A file before it bears its name. It lies beside its place, and is locked for as long as its writer lives: so what
 * a writer that was killed left can be told from what is being written.
 */
import { closeSync, constants, lstatSync, openSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { tryLock } from "./lock.ts";
import { openNew, removeQuietly } from "./new-file.ts";

/** A name, like no other's, for a file that will be `name`. */
export function unfinishedName(name: string): string {
  return `.${name.slice(0, 100)}.${crypto.randomUUID()}.tmp`;
}

/** Makes the file at `path`, whose name is of that kind, and opens it for writing. Throws what the system says. */
export function openUnfinished(path: string, mode: number): number {
  const descriptor = openNew(path, mode);
  // Where there are no locks, nobody takes it for abandoned either.
  tryLock(descriptor);
  return descriptor;
}

const pattern = /^\..{1,100}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/s;

/** Paths of the files in `folder` that were never finished and that nobody is writing; none if it cannot be read. */
export function abandonedIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => pattern.test(name));
    return names.map((name) => join(folder, name)).filter(isAbandoned);
  } catch {
    return [];
  }
}

/** Whether it is unlocked, and so old that it was locked before. */
function isAbandoned(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // A time further ahead is of before the clock was set back.
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) >= timeForLock && isUnlocked(path);
}

/**
 * Whether the file at `path` is one that was never finished, of the caller's own, and nobody has it locked. Where
 * the system has no locks this is never known.
 */
export function isUnlocked(path: string): boolean {
  let descriptor: number | undefined;
  try {
    const stat = lstatSync(path);
    if (!stat.isFile() || !pattern.test(basename(path))) return false;
    if (process.getuid !== undefined && stat.uid !== process.getuid()) return false;
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return tryLock(descriptor) === "locked";
  } catch {
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The lock follows the file within microseconds, unless its writer was stopped right then. */
const timeForLock = 10_000;

/** Takes away what writers that were killed left in `folder`. What cannot be removed stays. */
export function sweepAbandoned(folder: string): void {
  for (const path of abandonedIn(folder)) removeQuietly(path);
}
