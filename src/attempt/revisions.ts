/** The revisions an attempt starts from. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { pathMatcher } from "../contract/patterns.ts";
import { type Folder, openFolder } from "../files/folder.ts";

/** An entry of the index. */
export interface Tracked {
  /** As Git writes it, for example `100644`. */
  readonly mode: string;
  readonly path: Uint8Array;
}

export interface Revisions {
  /** SHA-256 of each writable file, by its path. */
  readonly byPath: ReadonlyMap<string, string>;
  /** Files that were left out because their names are not UTF-8. */
  readonly unnamed: number;
}

/**
 * Hashes every tracked regular file of the worktree at `root` whose path matches one of `patterns` and which is
 * reached without a link. Reads files; memory stays flat.
 */
export function captureRevisions(
  root: string,
  tracked: Iterable<Tracked>,
  patterns: readonly string[],
): Revisions {
  const isWritable = pathMatcher(patterns);
  const folders = heldFolders(root);
  const byPath = new Map<string, string>();
  let unnamed = 0;
  for (const { mode, path } of tracked) {
    if (!mode.startsWith("100")) continue;
    const name = decode(path);
    if (name === undefined) unnamed++;
    if (name === undefined || !isWritable(name)) continue;
    const cut = name.lastIndexOf("/");
    const folder = folders.at(name.slice(0, Math.max(cut, 0)));
    const revision = folder && hashFile(folder, name.slice(cut + 1));
    if (revision !== undefined) byPath.set(name, revision);
  }
  folders.close();
  return { byPath, unnamed };
}

function decode(path: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(path);
  } catch {
    return undefined;
  }
}

/** Opens folders below `root`, one at a time: the index lists a folder's files side by side. */
function heldFolders(root: string): { at(path: string): Folder | undefined; close(): void } {
  let current: { readonly path: string; readonly folder: Folder | undefined } | undefined;
  const close = () => current?.folder?.close();
  return {
    at: (path) => {
      if (current?.path === path) return current.folder;
      close();
      const opened = openFolder(root, path === "" ? [] : path.split("/"));
      current = { path, folder: opened.ok ? opened.value : undefined };
      return current.folder;
    },
    close,
  };
}

const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Undefined for what is not there, no regular file, or unreadable. */
function hashFile(folder: Folder, name: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(folder.at(name), readFlags);
  } catch {
    return undefined;
  }
  try {
    if (!fstatSync(descriptor).isFile()) return undefined;
    const hash = new Bun.CryptoHasher("sha256");
    for (;;) {
      const count = readSync(descriptor, room, 0, room.length, null);
      if (count === 0) return hash.digest("hex");
      hash.update(room.subarray(0, count));
    }
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

const room = Buffer.allocUnsafe(1024 * 1024);
