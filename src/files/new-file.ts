/** A file that this process makes. */
import { constants, openSync, unlinkSync, writeSync } from "node:fs";

/**
 * Makes `path` and opens it for writing; throws if something stands there already, a link that leads nowhere
 * included. The permission bits are `mode`, less the umask.
 */
export function openNew(path: string, mode: number): number {
  return openSync(path, flags, mode);
}

// O_NOFOLLOW is undefined on Windows, where `|` reads that as 0.
const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Writes every byte; the system may take fewer at a time. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

/** Takes the file away if it can. */
export function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {}
}
