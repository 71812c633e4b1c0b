/** Writing a file that nobody ever sees half-written. */
import { closeSync, constants, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";

/**
 * Writes `text` to a temporary sibling of `path`, flushes it, and renames it into place, over whatever stood
 * there. `NOT_WRITTEN` gives the system's reason; then `path` is as it was and the temporary is gone.
 */
export function publishFile(path: string, text: string): Result<null, "NOT_WRITTEN"> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}-${randomName()}.tmp`);
  let made = false;
  try {
    const descriptor = openSync(temporary, createFlags, 0o644);
    made = true;
    try {
      writeAll(descriptor, Buffer.from(text, "utf8"));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
    return success(null);
  } catch (error) {
    if (made) removeQuietly(temporary);
    return refusal("NOT_WRITTEN", systemReason(error));
  }
}

// O_NOFOLLOW is undefined on Windows, where `|` reads that as 0.
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

function randomName(): string {
  return crypto.randomUUID().slice(0, 8);
}

/** Writes every byte; the system may take fewer at a time. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {}
}
