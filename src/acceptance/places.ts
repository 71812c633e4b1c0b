/** Where a name from outside leads, once every link is resolved, and whether that lies in a worktree. */
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";

/**
 * The path of `name` relative to `root`, `/`-separated, with links resolved on both sides; "" for the root
 * itself, undefined if it lies outside. What does not exist (any more) is taken as it is named.
 */
export function placeIn(root: string, name: string): string | undefined {
  const from = resolved(root);
  const way = relative(from, resolved(name));
  if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) return undefined;
  return way.split(sep).join("/");
}

/**
 * The regular file that `listed` (absolute, or relative to `root`) leads to, if it lies in `folder` below
 * `root`: its place, `/`-separated and relative to `root`. Undefined if there is none.
 */
export function fileIn(root: string, folder: string, listed: string): string | undefined {
  const path = isAbsolute(listed) ? listed : join(root, listed);
  const place = placeIn(root, path);
  if (place === undefined || !place.startsWith(`${folder}/`)) return undefined;
  return isFile(path) ? place : undefined;
}

/** Whether `path` leads to a regular file. What leads nowhere may also be too long, hold a NUL, or go in circles. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The real path of what exists of `path`, and the rest by name. */
function resolved(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(resolved(parent), basename(path));
  }
}
