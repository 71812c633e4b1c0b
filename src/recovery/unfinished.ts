/** Files that an engine was killed over before they had their names. */
import { lstatSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { abandonedIn, isUnlocked } from "../files/unfinished.ts";
import { systemReason } from "../system-error.ts";
import type { Finding } from "./folder.ts";

/**
 * Removes receipts of the repository with this common directory that were not finished, and those of `recorded` (paths
 * that the records of engines name, all of them proven gone) that are there still and that nobody is writing.
 */
export function recoverUnfinished(
  commonDirectory: string,
  recorded: readonly string[],
  dryRun: boolean,
): readonly Finding[] {
  const paths = [...receiptFolders(commonDirectory).flatMap(abandonedIn), ...recorded.filter(isUnlocked)];
  return paths.map((path): Finding => {
    const reason = "its engine is gone, and never finished it";
    if (dryRun) return { result: "recoverable", path, reason };
    try {
      unlinkSync(path);
      return { result: "recovered", path, reason };
    } catch (error) {
      return { result: "kept", path, reason: systemReason(error) };
    }
  });
}

/** No link is followed: an engine makes none, and keeps no receipt behind one. */
function receiptFolders(commonDirectory: string): readonly string[] {
  const receipts = join(commonDirectory, "satyrn/receipts");
  try {
    if (![join(commonDirectory, "satyrn"), receipts].every((path) => lstatSync(path).isDirectory()))
      return [];
    const entries = readdirSync(receipts, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(receipts, name));
  } catch {
    return [];
  }
}
