/** Putting a whole file in the place of another. */
import { chmodSync, lstatSync, renameSync } from "node:fs";

/**
 * Renames `from` over `to`, which may be there or not. Throws what the system says; then both are as they were.
 *
 * Windows renames nothing over a file that is read-only, or that another program has open in a way that forbids
 * it, as scanners of files do for a moment: the mark is taken off first, and the moment is waited for.
 */
export function renameOver(from: string, to: string): void {
  if (process.platform !== "win32") {
    renameSync(from, to);
    return;
  }
  const target = lstatSync(to, { throwIfNoEntry: false });
  const isReadOnly = target?.isFile() === true && (target.mode & 0o200) === 0;
  if (isReadOnly) chmodSync(to, 0o666);
  const end = performance.now() + patience;
  for (;;) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (isHeldMeanwhile(error) && performance.now() < end) {
        Bun.sleepSync(5);
        continue;
      }
      if (isReadOnly) chmodSync(to, 0o444);
      throw error;
    }
  }
}

const patience = 1000;

/** Whether Windows says what it also says of a file that another program has open. */
function isHeldMeanwhile(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return code === "EPERM" || code === "EACCES" || code === "EBUSY";
}
