/** A private folder for what lives no longer than the operation. */
import { mkdtempSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "./system-error.ts";

export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

/** Makes a folder of mode 0700 where the system keeps temporary files; `NO_FOLDER` if no place takes it. */
export function temporaryFolder(): Result<TemporaryFolder, "NO_FOLDER"> {
  let reason = "no place is known";
  for (const parent of [process.env["TMPDIR"], process.env["TEMP"], "/tmp", "/var/tmp"]) {
    if (parent === undefined || !isAbsolute(parent)) continue;
    try {
      const path = mkdtempSync(join(parent, "satyrn-"));
      return success({ path, remove: () => rmSync(path, { recursive: true, force: true }) });
    } catch (error) {
      reason = systemReason(error);
    }
  }
  return refusal("NO_FOLDER", `no folder for temporary files can be made: ${reason}`);
}
