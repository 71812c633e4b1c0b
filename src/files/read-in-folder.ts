/** Reading a regular file in a folder that is held open, in bounded memory and without ever blocking. */
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";
import { type Folder, kindOf } from "./folder.ts";
import { isSame } from "./identity.ts";

export interface FileRead {
  /** The file's bytes are the first `length` of this buffer; what follows is room. */
  readonly buffer: Buffer;
  readonly length: number;
  readonly stat: BigIntStats;
}

/**
 * The bytes of the regular file `name` in `folder`, at the front of a buffer with `room` bytes to spare.
 * Refuses with `NOT_READ`, and why, what is missing, not a regular file, larger than `limit` bytes, or
 * unreadable. No link is followed.
 */
export function readInFolder(
  folder: Folder,
  name: string,
  limit: number,
  room: number,
): Result<FileRead, "NOT_READ"> {
  let descriptor: number | undefined;
  try {
    // Opening a device can have effects, so what is there is looked at first, and again once it is open.
    const seen = lstatSync(folder.at(name), { bigint: true });
    if (!seen.isFile()) return refusal("NOT_READ", `it is ${kindOf(seen)}, not a regular file`);
    descriptor = openSync(folder.at(name), readFlags);
    const stat = fstatSync(descriptor, { bigint: true });
    if (!folder.stillThere()) return refusal("NOT_READ", "its folder was replaced while it was opened");
    if (!stat.isFile() || !isSame(stat, seen)) {
      return refusal("NOT_READ", "it was replaced while it was opened");
    }
    if (stat.size > limit) return refusal("NOT_READ", `it has ${stat.size} bytes, more than ${limit}`);
    const size = Number(stat.size);
    const buffer = Buffer.allocUnsafe(size + room);
    const length = fill(descriptor, buffer, size);
    return success({ buffer, length, stat });
  } catch (error) {
    return refusal("NOT_READ", systemReason(error));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

// O_NOFOLLOW and O_NONBLOCK are undefined on Windows, where `|` reads that as 0.
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads until `size` bytes are there or the file ends. */
function fill(descriptor: number, buffer: Buffer, size: number): number {
  let length = 0;
  while (length < size) {
    const got = readSync(descriptor, buffer, length, size - length, length);
    if (got === 0) break;
    length += got;
  }
  return length;
}
