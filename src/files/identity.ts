/** Which folders a path lies in, by the identity of the folders and not by their names. */
import { type BigIntStats, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Folders that something must stay out of. One that is not there holds nothing. */
export type Folders = readonly string[];

/** The first of `folders` that the existing folder `path` is, or lies in, under whatever name; null if none. */
export function folderAround(path: string, folders: Folders): string | null {
  const identities = new Map<string, string>();
  for (const folder of folders) {
    const stat = statSync(folder, { bigint: true, throwIfNoEntry: false });
    if (stat) identities.set(identityOf(stat), folder);
  }
  for (let at = realpathSync(path), below = ""; at !== below; below = at, at = dirname(at)) {
    const found = identities.get(identityOf(statSync(at, { bigint: true })));
    if (found !== undefined) return found;
  }
  return null;
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
