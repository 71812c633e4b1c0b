/** Folders for what is kept, in a place that others can write to as well. */
import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";

/**
 * Makes `names` below each other in `root`, as far as they are missing; gives the path of the last. `onMade` hears of
 * each that is made. `NO_FOLDER` says why one cannot be made: what stands in its place, a link too, is neither followed
 * nor replaced.
 */
export function makeFolders(
  root: string,
  names: readonly string[],
  onMade: (path: string) => void = () => {},
): Result<string, "NO_FOLDER"> {
  let path = root;
  for (const [depth, name] of names.entries()) {
    path = join(path, name);
    const place = names.slice(0, depth + 1).join("/");
    try {
      // Most are there, and to learn that from an exception takes ten times as long.
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined && makeNewFolder(path)) onMade(path);
      if (!lstatSync(path).isDirectory()) return refusal("NO_FOLDER", `${place} is not a folder`);
    } catch (error) {
      return refusal("NO_FOLDER", `${place} cannot be made: ${systemReason(error)}`);
    }
  }
  return success(path);
}

/** Makes the folder; false if something stands there already. Throws if it cannot. */
export function makeNewFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** A name that sorts by time and is like no other's: `20260131T235959Z-` and twelve hex digits. */
export function datedName(now: Date): string {
  const stamp = now.toISOString().replace(/[-:]/g, "").replace(/\.\d+/, "");
  return `${stamp}-${crypto.randomUUID().slice(-12)}`;
}
