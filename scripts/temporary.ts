/** A place for what a script makes. */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder, by its real path, that is gone when the script has ended, if by a signal with 128 and its number. */
export function folderOfScript(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `satyrn-${name}-`)));
  // Some tests start what lies here for somebody whom permissions bind.
  chmodSync(folder, 0o755);
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => process.exit(128 + constants.signals[signal]));
  }
  return folder;
}
