/** Reading what a name taken from outside leads to, without ever blocking on it. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";

/**
 * The bytes of the regular file that `path` leads to, links followed. `UNREADABLE` if there is none, it is
 * something else (directory, FIFO, device, socket), cannot be read, or is larger than `maxBytes`.
 */
export function readRegularFile(path: string, maxBytes: number): Result<Buffer, "UNREADABLE"> {
  const absent = absence(path);
  if (absent !== undefined) return refusal("UNREADABLE", absent);
  let descriptor: number | undefined;
  try {
    // Opening a device can have effects, so what is there is looked at first, and again once it is open.
    const kind = notRegular(statSync(path));
    if (kind !== undefined) return refusal("UNREADABLE", kind);
    descriptor = openSync(path, readFlags);
    const status = fstatSync(descriptor);
    const openKind = notRegular(status);
    if (openKind !== undefined) return refusal("UNREADABLE", openKind);
    const bytes = readUpTo(readerOf(descriptor), maxBytes + 1, status.size);
    return bytes.length > maxBytes ? refusal("UNREADABLE", `larger than ${maxBytes} bytes`) : success(bytes);
  } catch (error) {
    return refusal("UNREADABLE", systemReason(error));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function readerOf(descriptor: number): (buffer: Buffer, offset: number) => number {
  return (buffer, offset) => readSync(descriptor, buffer, offset, buffer.length - offset, null);
}

/** Without O_NONBLOCK, opening a FIFO waits for its writer. Windows has no such flag. */
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

function notRegular(status: Stats): string | undefined {
  if (status.isFile()) return undefined;
  return status.isDirectory() ? "is a directory" : "not a regular file";
}

/** Whether `path` leads to a directory, links followed; `UNAVAILABLE` says why not. */
export function findDirectory(path: string): Result<string, "UNAVAILABLE"> {
  const absent = absence(path);
  if (absent !== undefined) return refusal("UNAVAILABLE", absent);
  try {
    return statSync(path).isDirectory() ? success(path) : refusal("UNAVAILABLE", "not a directory");
  } catch (error) {
    return refusal("UNAVAILABLE", systemReason(error));
  }
}

/**
 * What `read` gives to its end, but no more than `maxBytes`. `size` is where to start, not where to stop:
 * files in /proc say 0, and pipes say nothing.
 */
export function readUpTo(
  read: (buffer: Buffer, offset: number) => number,
  maxBytes: number,
  size = 0,
): Buffer {
  let buffer = Buffer.allocUnsafe(Math.min(Math.max(size + 1, 4096), maxBytes));
  let length = 0;
  for (;;) {
    const count = read(buffer, length);
    length += count;
    if (count === 0 || length === maxBytes) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafe(Math.min(buffer.length * 2, maxBytes));
    buffer.copy(larger);
    buffer = larger;
  }
}

/** `path` from the root of the file system, links not resolved; as it is if it is relative to nothing. */
export function absolutePath(path: string): string {
  return isAbsolute(path) || hasWorkingDirectory() ? resolve(path) : path;
}

/** Why `path` names nothing, if that is known without asking for it: a NUL names nothing on any system. */
function absence(path: string): string | undefined {
  if (path.includes("\0")) return "no file has a NUL in its name";
  if (isAbsolute(path) || hasWorkingDirectory()) return undefined;
  return "the working directory it is relative to is gone or has a name that is not UTF-8";
}

/**
 * Whether the working directory is where its name leads. Once it is removed a relative path means nothing, and the
 * runtime would resolve it against the parent.
 */
function hasWorkingDirectory(): boolean {
  try {
    const here = statSync(".");
    const named = statSync(process.cwd());
    return here.dev === named.dev && here.ino === named.ino;
  } catch {
    return false;
  }
}
