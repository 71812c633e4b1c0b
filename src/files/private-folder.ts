/** A private folder for what lives no longer than the operation. */
import { chmodSync, mkdtempSync, realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";
import { type Folders, folderAround, folderIdentity, type Identity } from "./identity.ts";

export interface PrivateFolder {
  /** Real path. */
  readonly path: string;
  readonly identity: Identity;
}

/**
 * Makes a folder, mode 0700, where temporary files go but outside of `outside`, whatever the environment says:
 * a place that cannot be used gives way to the system's usual ones. `NO_FOLDER` says why none can.
 */
export function makePrivateFolder(
  env: Readonly<Record<string, string | undefined>>,
  outside: Folders = [],
): Result<PrivateFolder, "NO_FOLDER"> {
  const reasons: string[] = [];
  for (const place of places(env)) {
    const made = makeIn(place, outside);
    if (typeof made !== "string") return success(made);
    reasons.push(`${place} ${made}`);
  }
  return refusal("NO_FOLDER", `no place for a temporary folder: ${reasons.join("; ")}`);
}

function places(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const usual = process.platform === "win32" ? ["C:\\Windows\\Temp"] : ["/tmp", "/var/tmp", "/dev/shm"];
  const named = process.platform === "win32" ? [env["TEMP"], env["TMP"]] : [env["TMPDIR"]];
  return [...named.filter((place) => place !== undefined && place !== ""), ...usual] as string[];
}

/** The folder, or why it cannot be made there. */
function makeIn(place: string, outside: Folders): PrivateFolder | string {
  if (!isAbsolute(place)) return "is not absolute";
  try {
    const around = folderAround(place, outside);
    if (around !== null) return `lies in ${around}`;
    const path = mkdtempSync(join(realpathSync.native(place), "satyrn-engine-"));
    chmodSync(path, 0o700);
    const identity = folderIdentity(path);
    return identity === null ? "loses what is made in it" : { path, identity };
  } catch (error) {
    return systemReason(error);
  }
}
