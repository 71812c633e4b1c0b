/** The private temporary folder of one delivery: worktree, index, objects and frozen contract lie in it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ownerFile } from "../files/owner.ts";
import { makePrivateFolder, type PrivateFolder } from "../files/private-folder.ts";
import { type Result, refusal, success } from "../outcome.ts";

export interface DeliveryFolder extends PrivateFolder {
  /** Where the worktree goes; the last segment is like no other's, and so is the name Git gives it. */
  readonly worktree: string;
  /** Whether names that differ in case alone are one file there. */
  readonly ignoresCase: boolean;
}

/** Makes the folder outside every registered worktree of the repository with this common directory. Refuses GIT_FAILED if no place takes it. */
export function makeDeliveryFolder(
  env: Readonly<Record<string, string | undefined>>,
  worktrees: readonly string[],
  commonDirectory: string,
): Result<DeliveryFolder, "GIT_FAILED"> {
  const unique = Buffer.from(crypto.getRandomValues(new Uint8Array(6))).toString("hex");
  const worktree = `satyrn-${unique}`;
  const made = makePrivateFolder(env, worktrees, { repository: commonDirectory, worktree });
  if (!made.ok) return refusal("GIT_FAILED", made.message);
  const { path } = made.value;
  return success({
    ...made.value,
    worktree: join(path, worktree),
    // By the record, which was the first thing in it.
    ignoresCase: existsSync(join(path, ownerFile.toUpperCase())),
  });
}
