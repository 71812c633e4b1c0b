/** What might be left of an engine: found by registration and in the places for temporary files. */
import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { mayBeThere } from "../files/identity.ts";
import { type Owner, readOwner, unfinishedOwnerFile } from "../files/owner.ts";
import { privatePrefix, temporaryPlaces } from "../files/private-folder.ts";
import { registeredFolders } from "../repository/worktree.ts";

export type Leftover =
  /** A private folder that says whose it is. */
  | { readonly kind: "owned"; readonly path: string; readonly owner: Owner }
  /** A private folder whose engine came no further than making it. */
  | { readonly kind: "unowned"; readonly path: string }
  /** A registration by the name of an engine's, whose folder is gone with the record. */
  | { readonly kind: "registration"; readonly path: string };

/** Everything that was made for the repository with this common directory, or for none, in the order of its path. */
export function findLeftovers(
  commonDirectory: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly Leftover[] {
  const found = new Map<string, Leftover>();
  const add = (path: string) => {
    const owner = readOwner(path);
    if (owner === null || (owner.repository ?? commonDirectory) !== commonDirectory) return;
    found.set(path, { kind: "owned", path, owner });
  };
  for (const [, worktree] of registeredFolders(commonDirectory)) {
    add(dirname(worktree));
    if (!mayBeThere(dirname(worktree)) && ownName.test(worktree))
      found.set(worktree, { kind: "registration", path: worktree });
  }
  for (const place of new Set(temporaryPlaces(env).flatMap(realPath))) {
    for (const path of foldersIn(place)) {
      add(path);
      if (!found.has(path) && isUnowned(path)) found.set(path, { kind: "unowned", path });
    }
  }
  return [...found.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

const ownName = /\/satyrn-engine-[^/]{6}\/satyrn-[0-9a-f]{12}$/;

function realPath(path: string): readonly string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}

function foldersIn(place: string): readonly string[] {
  try {
    const names = readdirSync(place).filter((name) => name.startsWith(privatePrefix));
    return names.map((name) => join(place, name));
  } catch {
    return [];
  }
}

/** Whether an engine of the caller's made the folder, and not even its record. */
function isUnowned(path: string): boolean {
  try {
    const stat = lstatSync(path);
    if (!stat.isDirectory() || (process.getuid !== undefined && stat.uid !== process.getuid())) return false;
    return readdirSync(path).every((name) => name === unfinishedOwnerFile);
  } catch {
    return false;
  }
}
