/** The private temporary folder of one delivery: worktree, index, objects and frozen contract lie in it. */
import { chmodSync, existsSync, mkdtempSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type FolderIdentity, folderIdentity } from "../files/remove.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { contains } from "../process/trusted-program.ts";

export interface PrivateFolder {
  /** Real path. */
  readonly path: string;
  readonly identity: FolderIdentity;
  /** Where the worktree goes; the last segment is like no other's, and so is the name Git gives it. */
  readonly worktree: string;
  /** Whether names that differ in case alone are one file there. */
  readonly ignoresCase: boolean;
}

/**
 * Makes the folder, mode 0700, outside every registered worktree, whatever `TMPDIR` says: a folder that cannot be
 * used gives way to the system's usual ones. Refuses GIT_FAILED if none can.
 */
export function makePrivateFolder(
  env: Readonly<Record<string, string | undefined>>,
  worktrees: readonly string[],
): Result<PrivateFolder, "GIT_FAILED"> {
  const outside = worktrees.filter(existsSync).map((path) => realpathSync.native(path));
  const reasons: string[] = [];
  for (const parent of places(env)) {
    const reason = unusable(parent, outside);
    if (reason === undefined) {
      try {
        return success(prepare(parent));
      } catch (error) {
        reasons.push(`${parent}: ${(error as Error).message}`);
      }
    } else {
      reasons.push(`${parent} ${reason}`);
    }
  }
  return refusal("GIT_FAILED", `no place for a temporary folder: ${reasons.join("; ")}`);
}

function places(env: Readonly<Record<string, string | undefined>>): string[] {
  const usual = process.platform === "win32" ? ["C:\\Windows\\Temp"] : ["/tmp", "/var/tmp", "/dev/shm"];
  const named = process.platform === "win32" ? [env["TEMP"], env["TMP"]] : [env["TMPDIR"]];
  return [...named.filter((place) => place !== undefined && place !== ""), ...usual] as string[];
}

function unusable(parent: string, outside: readonly string[]): string | undefined {
  if (!isAbsolute(parent)) return "is not absolute";
  try {
    const real = realpathSync.native(parent);
    if (!statSync(real).isDirectory()) return "is not a folder";
    const around = outside.find((worktree) => contains(worktree, real));
    return around === undefined ? undefined : `lies inside the worktree ${around}`;
  } catch (error) {
    return (error as Error).message;
  }
}

function prepare(parent: string): PrivateFolder {
  const path = mkdtempSync(join(realpathSync.native(parent), "satyrn-engine-"));
  chmodSync(path, 0o700);
  const probe = join(path, "case");
  writeFileSync(probe, "");
  const unique = Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString("hex");
  return {
    path,
    identity: folderIdentity(path) as FolderIdentity,
    worktree: join(path, `satyrn-${unique}`),
    ignoresCase: existsSync(join(path, "CASE")),
  };
}
