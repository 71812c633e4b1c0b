/** A private folder for what lives no longer than the operation. */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";
import { type Folders, folderAround, folderIdentity, type Identity, isSame } from "./identity.ts";
import { ownerFile, type Purpose, writeOwner } from "./owner.ts";
import { type Removal, removeTree } from "./remove.ts";

export interface PrivateFolder {
  /** Real path. */
  readonly path: string;
  readonly identity: Identity;
}

/**
 * Makes a folder, mode 0700, where temporary files go but outside of `outside`, whatever the environment says:
 * a place that cannot be used gives way to the system's usual ones. `NO_FOLDER` says why none can.
 *
 * The first thing in it is a record of whose it is and what for.
 */
export function makePrivateFolder(
  env: Readonly<Record<string, string | undefined>>,
  outside: Folders = [],
  purpose: Purpose = { repository: null, worktree: null },
): Result<PrivateFolder, "NO_FOLDER"> {
  const reasons: string[] = [];
  for (const place of temporaryPlaces(env)) {
    const made = makeIn(place, outside, purpose);
    if (typeof made !== "string") return success(made);
    reasons.push(`${place} ${made}`);
  }
  return refusal("NO_FOLDER", `no place for a temporary folder: ${reasons.join("; ")}`);
}

/** Gives its owner all rights in the folder again, if it is the one that was made: a command can take them away. */
export function openUp({ path, identity }: PrivateFolder): void {
  const found = folderIdentity(path);
  if (found !== null && isSame(found, identity)) chmodSync(path, 0o700);
}

/** Removes the folder with all it holds, its record last. */
export function removePrivateFolder({ path, identity }: PrivateFolder): Removal {
  return removeTree(path, identity, ownerFile);
}

/** How the name of every private folder begins. */
export const privatePrefix = "satyrn-engine-";

/** Where temporary files go: what the environment says, then the system's usual places. */
export function temporaryPlaces(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const usual = process.platform === "win32" ? ["C:\\Windows\\Temp"] : ["/tmp", "/var/tmp", "/dev/shm"];
  const named = process.platform === "win32" ? [env["TEMP"], env["TMP"]] : [env["TMPDIR"]];
  return [...named.filter((place) => place !== undefined && place !== ""), ...usual] as string[];
}

/** The folder, or why it cannot be made there. */
function makeIn(place: string, outside: Folders, purpose: Purpose): PrivateFolder | string {
  if (!isAbsolute(place)) return "is not absolute";
  let path: string | undefined;
  try {
    const around = folderAround(place, outside);
    if (around !== null) return `lies in ${around}`;
    path = mkdtempSync(join(realpathSync.native(place), privatePrefix));
    chmodSync(path, 0o700);
    const identity = folderIdentity(path);
    if (identity === null) return "loses what is made in it";
    writeOwner(path, identity, purpose);
    return { path, identity };
  } catch (error) {
    const reason = systemReason(error);
    return path === undefined || isRemoved(path) ? reason : `${reason}, and ${path} is left`;
  }
}

function isRemoved(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}
