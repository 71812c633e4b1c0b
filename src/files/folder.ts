/**
 * A folder below a root, reached without following a link, and kept in hand.
 *
 * On Linux every component is opened relative to the descriptor of the one before, so that what a name points
 * to later changes nothing. Elsewhere there is no call relative to a folder (`openat` is variadic, which the
 * foreign-function interface cannot call everywhere): there the components are looked at once more before a
 * change is made visible, and a swap within that moment is the gap that stays.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
} from "node:fs";
import { join } from "node:path";
import { type Refusal, type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";
import { isSame, lostInText } from "./identity.ts";

export interface Folder {
  /** Open on the folder itself; null where the system opens no folders. */
  readonly descriptor: number | null;
  /** A path for `name` in this folder, to be used while the folder is open. */
  at(name: string): string;
  /** Whether the path that led here still leads here. Always true of a folder held by its descriptor. */
  stillThere(): boolean;
  close(): void;
}

/** How components are opened; the choice is the system's, and a parameter so that both are tested on one. */
export type Opening = "by descriptor" | "by name";

/**
 * Opens the folder `segments` below the canonical path of `root`. Refuses with `NO_FOLDER`, and why, what is
 * missing, not a folder, or a link; only `root` itself may be or contain links.
 */
export function openFolder(
  root: string,
  segments: readonly string[],
  opening: Opening = defaultOpening(),
): Result<Folder, "NO_FOLDER"> {
  let canonical: string;
  try {
    canonical = realpathSync(root);
    const lost = lostInText(root, canonical);
    if (lost !== undefined) return refusal("NO_FOLDER", `${root}: ${lost}`);
  } catch (error) {
    return refusal("NO_FOLDER", `${root}: ${systemReason(error)}`);
  }
  return opening === "by descriptor" ? heldFolder(canonical, segments) : namedFolder(canonical, segments);
}

function defaultOpening(): Opening {
  return process.platform === "linux" && existsSync("/proc/self/fd") ? "by descriptor" : "by name";
}

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

function heldFolder(root: string, segments: readonly string[]): Result<Folder, "NO_FOLDER"> {
  let descriptor: number | undefined;
  let path = root;
  let reached = ".";
  try {
    descriptor = openSync(root, folderFlags);
    for (const [index, segment] of segments.entries()) {
      reached = segments.slice(0, index + 1).join("/");
      path = inside(descriptor, segment);
      const next = openSync(path, folderFlags);
      closeSync(descriptor);
      descriptor = next;
    }
  } catch (error) {
    const refused = notAFolder(path, reached, error);
    if (descriptor !== undefined) closeSync(descriptor);
    return refused;
  }
  const held = descriptor;
  return success({
    descriptor: held,
    at: (name) => inside(held, name),
    stillThere: () => true,
    close: () => closeSync(held),
  });
}

/** `name` looked up in the folder that `descriptor` is open on: what `openat` does (proc(5), /proc/pid/fd). */
function inside(descriptor: number, name: string): string {
  return `/proc/self/fd/${descriptor}/${name}`;
}

function namedFolder(root: string, segments: readonly string[]): Result<Folder, "NO_FOLDER"> {
  const seen: (readonly [path: string, stat: BigIntStats])[] = [];
  let path = root;
  let reached = ".";
  let descriptor: number | null = null;
  try {
    for (const [index, segment] of ["", ...segments].entries()) {
      if (index > 0) reached = segments.slice(0, index).join("/");
      path = join(path, segment);
      const stat = lstatSync(path, { bigint: true });
      if (!stat.isDirectory()) return notAFolder(path, reached, undefined);
      seen.push([path, stat]);
    }
    if (process.platform !== "win32") {
      descriptor = openSync(path, folderFlags);
      const last = seen.at(-1)?.[1];
      if (last === undefined || !isSame(fstatSync(descriptor, { bigint: true }), last)) {
        closeSync(descriptor);
        return refusal("NO_FOLDER", `${reached} was replaced while it was opened`);
      }
    }
  } catch (error) {
    return notAFolder(path, reached, error);
  }
  const held = descriptor;
  return success({
    descriptor: held,
    at: (name) => join(path, name),
    stillThere: () => seen.every(([name, stat]) => isStill(name, stat)),
    close: () => {
      if (held !== null) closeSync(held);
    },
  });
}

function isStill(path: string, before: BigIntStats): boolean {
  const now = look(path);
  return now?.isDirectory() === true && isSame(now, before);
}

/** What stands at `path`, no link followed; undefined if nothing does or it cannot be seen. */
function look(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

function notAFolder(path: string, reached: string, error: unknown): Refusal<"NO_FOLDER"> {
  const stat = look(path);
  if (stat?.isDirectory() === false) {
    return refusal("NO_FOLDER", `${reached} is ${kindOf(stat)}, not a folder`);
  }
  return refusal("NO_FOLDER", `${reached}: ${error === undefined ? "was replaced" : systemReason(error)}`);
}

/** What a directory entry is, in words for a person. */
export function kindOf(stat: BigIntStats): string {
  if (stat.isSymbolicLink()) return "a symbolic link";
  if (stat.isDirectory()) return "a folder";
  if (stat.isFIFO()) return "a FIFO";
  if (stat.isSocket()) return "a socket";
  return stat.isFile() ? "a file" : "a device";
}
