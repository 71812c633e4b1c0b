/** Writing a file that nobody ever sees half-written. */
import { closeSync, fsyncSync, linkSync, lstatSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";
import { removeQuietly, writeAll } from "./new-file.ts";
import { renameOver } from "./rename.ts";
import { openUnfinished, sweepAbandoned, unfinishedName } from "./unfinished.ts";

/**
 * Writes `text` to a temporary sibling of `path`, flushes it, and renames it into place, over whatever stood
 * there. `NOT_WRITTEN` gives the system's reason; then `path` is as it was and the temporary is gone. What a writer
 * that was killed left in the folder is taken away.
 */
export function publishFile(path: string, text: string): Result<null, "NOT_WRITTEN"> {
  return publish(path, text, 0o644, (temporary) => renameOver(temporary, path));
}

/**
 * As `publishFile`, but mode 0600, never over anything, a link included, and not flushed: whole for whoever looks, and
 * on the disk when the system writes next.
 */
export function publishNewFile(path: string, text: string): Result<null, "NOT_WRITTEN"> {
  return publish(path, text, 0o600, (temporary) => giveName(temporary, path), false);
}

function publish(
  path: string,
  text: string,
  mode: number,
  settle: (temporary: string) => void,
  flushed = true,
): Result<null, "NOT_WRITTEN"> {
  const folder = dirname(path);
  const temporary = join(folder, unfinishedName(basename(path)));
  let made = false;
  try {
    sweepAbandoned(folder);
    const descriptor = openUnfinished(temporary, mode);
    made = true;
    try {
      writeAll(descriptor, Buffer.from(text, "utf8"));
      if (flushed) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    settle(temporary);
    return success(null);
  } catch (error) {
    if (made) removeQuietly(temporary);
    return refusal("NOT_WRITTEN", systemReason(error));
  }
}

/** A link never replaces what is there. A file system without links gets a look before the rename. */
function giveName(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw error;
    renameSync(temporary, path);
    return;
  }
  removeQuietly(temporary);
}
