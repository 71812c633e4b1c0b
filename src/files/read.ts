/** Reading what a name taken from outside leads to, without ever blocking on it. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type Refusal, refusal, type Success, success } from "../outcome.ts";

/**
 * The bytes of the regular file that `path` leads to, links followed. `UNREADABLE` if there is none, it is
 * something else (directory, FIFO, device, socket), cannot be read, or is larger than `maxBytes`.
 */
export function readRegularFile(path: string, maxBytes: number): Success<Buffer> | Refusal<"UNREADABLE"> {
  if (!isReachable(path)) return refusal("UNREADABLE", "the working directory it is relative to is gone");
  let descriptor: number;
  try {
    // Without O_NONBLOCK, opening a FIFO waits for its writer. Windows has no such flag.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return refusal("UNREADABLE", reasonOf(error));
  }
  try {
    const status = fstatSync(descriptor);
    if (status.isDirectory()) return refusal("UNREADABLE", "is a directory");
    if (!status.isFile()) return refusal("UNREADABLE", "not a regular file");
    const bytes = readUpTo(descriptor, maxBytes + 1, status.size);
    return bytes.length > maxBytes ? refusal("UNREADABLE", `larger than ${maxBytes} bytes`) : success(bytes);
  } catch (error) {
    return refusal("UNREADABLE", reasonOf(error));
  } finally {
    closeSync(descriptor);
  }
}

/** Whether `path` leads to a directory, links followed; otherwise why not. */
export function findDirectory(path: string): Success<string> | Refusal<"UNAVAILABLE"> {
  if (!isReachable(path)) return refusal("UNAVAILABLE", "the working directory it is relative to is gone");
  try {
    return statSync(path).isDirectory() ? success(path) : refusal("UNAVAILABLE", "not a directory");
  } catch (error) {
    return refusal("UNAVAILABLE", reasonOf(error));
  }
}

/**
 * The bytes of `descriptor` to its end, but no more than `maxBytes`. `size` is where to start, not where to
 * stop: files in /proc say 0, and pipes say nothing.
 */
export function readUpTo(descriptor: number, maxBytes: number, size = 0): Buffer {
  let buffer = Buffer.allocUnsafe(Math.min(Math.max(size + 1, 4096), maxBytes));
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    length += count;
    if (count === 0 || length === maxBytes) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafe(Math.min(buffer.length * 2, maxBytes));
    buffer.copy(larger);
    buffer = larger;
  }
}

/**
 * A relative path means nothing once the working directory is removed: the runtime would resolve it against
 * the parent. A NUL names nothing on any system.
 */
function isReachable(path: string): boolean {
  if (isAbsolute(path)) return true;
  try {
    const here = statSync(".");
    const named = statSync(process.cwd());
    return here.dev === named.dev && here.ino === named.ino;
  } catch {
    return false;
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "is a directory",
  ELOOP: "too many symbolic links",
  ENAMETOOLONG: "name too long",
  ENOENT: "no such file or directory",
  ENOTDIR: "a part of the path is not a directory",
  ENXIO: "not a regular file",
  // The runtime refuses a path with a NUL before the system sees it.
  ERR_INVALID_ARG_VALUE: "no such file or directory",
};

/** The system's reason in words; an error without a code is a bug and is thrown on. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code !== "string") throw error;
  return reasons[code] ?? code;
}
