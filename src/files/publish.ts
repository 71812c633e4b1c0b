/** Writing a file that nobody ever sees half-written. */
import { closeSync, fsyncSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";
import { openNew, removeQuietly, writeAll } from "./new-file.ts";
import { renameOver } from "./rename.ts";

/**
 * Writes `text` to a temporary sibling of `path`, flushes it, and renames it into place, over whatever stood
 * there. `NOT_WRITTEN` gives the system's reason; then `path` is as it was and the temporary is gone.
 */
export function publishFile(path: string, text: string): Result<null, "NOT_WRITTEN"> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}-${randomName()}.tmp`);
  let made = false;
  try {
    const descriptor = openNew(temporary, 0o644);
    made = true;
    try {
      writeAll(descriptor, Buffer.from(text, "utf8"));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameOver(temporary, path);
    return success(null);
  } catch (error) {
    if (made) removeQuietly(temporary);
    return refusal("NOT_WRITTEN", systemReason(error));
  }
}

function randomName(): string {
  return crypto.randomUUID().slice(0, 8);
}
