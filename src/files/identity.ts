/** Which file or folder it is, whatever its name. */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** What tells a file or folder from another that came to have its name. */
export interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Whether two looks saw one and the same. */
export function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/**
 * Why `real`, which the system gave for the real path of the existing `path`, cannot be used; undefined if it can. What
 * is not UTF-8 in a name is lost in text: then it leads nowhere, or to something else.
 */
export function lostInText(path: string, real: string): string | undefined {
  if (!real.includes("\ufffd")) return undefined;
  const meant = statSync(path, { bigint: true, throwIfNoEntry: false });
  const found = statSync(real, { bigint: true, throwIfNoEntry: false });
  if (meant !== undefined && found !== undefined && isSame(meant, found)) return undefined;
  return `its real path holds bytes that are not UTF-8: ${real}`;
}

/** The identity of the folder at `path`, no link followed; null if there is none. */
export function folderIdentity(path: string): Identity | null {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat?.isDirectory() ? { dev: stat.dev, ino: stat.ino } : null;
}

/**
 * Whether anything bears the name, a link too; also where the system does not tell, so that nothing is taken for
 * absent because it could not be seen.
 */
export function mayBeThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // Below what is no folder there is nothing.
    return (error as NodeJS.ErrnoException).code !== "ENOTDIR";
  }
}

/** Folders that something must stay out of. One that is not there holds nothing. */
export type Folders = readonly string[];

/** The first of `folders` that the existing folder `path` is, or lies in, under whatever name; null if none. */
export function folderAround(path: string, folders: Folders): string | null {
  const identities = new Map<string, string>();
  for (const folder of folders) {
    const stat = statSync(folder, { bigint: true, throwIfNoEntry: false });
    if (stat) identities.set(keyOf(stat), folder);
  }
  for (let at = realpathSync(path), below = ""; at !== below; below = at, at = dirname(at)) {
    const found = identities.get(keyOf(statSync(at, { bigint: true })));
    if (found !== undefined) return found;
  }
  return null;
}

function keyOf({ dev, ino }: Identity): string {
  return `${dev}:${ino}`;
}
