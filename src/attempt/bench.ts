/** The private folder of an attempt: the frozen contract, the extension files, a context too large to pass. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeUnfinishedPath } from "../files/owner.ts";
import { makePrivateFolder, removePrivateFolder } from "../files/private-folder.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";
import { extensionFiles } from "./extensions.ts";
import type { Ground } from "./ground.ts";

export interface Bench {
  readonly folder: string;
  /** The frozen contract: tool calls use it, so that an edit of the contract cannot widen what they may do. */
  readonly contract: string;
  readonly extensions: { readonly loopBreaker: string; readonly edit: string; readonly bash: string };
  /** Notes, where recovery looks, a file outside of the folder that is about to be made and will not last. */
  announce(path: string): void;
  /** Why the folder could not be removed, in one line, or null. */
  remove(): string | null;
}

/**
 * Makes the folder (mode 0700) for an attempt on `ground`, where temporary files go but outside of its repository,
 * and fills it. `NO_BENCH` says why there is none; nothing is left then.
 */
export function makeBench(
  contract: Uint8Array,
  environment: Readonly<Record<string, string | undefined>>,
  { outside, commonDirectory }: Pick<Ground, "outside" | "commonDirectory">,
): Result<Bench, "NO_BENCH"> {
  const made = makePrivateFolder(environment, outside, { repository: commonDirectory, worktree: null });
  if (!made.ok) return refusal("NO_BENCH", made.message);
  const { path: folder } = made.value;
  const remove = (): string | null => {
    const removal = removePrivateFolder(made.value);
    return removal.ok ? null : `a temporary folder is left: ${removal.left}`;
  };
  const extension = (name: string) => join(folder, "pi", name);
  try {
    const frozen = join(folder, "contract.yaml");
    writeFileSync(frozen, contract, { flag: "wx", mode: 0o400 });
    mkdirSync(join(folder, "pi"));
    for (const [name, source] of extensionFiles) writeFileSync(extension(name), source, { flag: "wx" });
    const extensions = {
      loopBreaker: extension("loop-breaker.ts"),
      edit: extension("edit.ts"),
      bash: extension("bash.ts"),
    };
    const announce = (path: string) => writeUnfinishedPath(folder, path);
    return success({ folder, contract: frozen, extensions, announce, remove });
  } catch (error) {
    const reasons = [`'${folder}' could not be filled: ${systemReason(error)}`, remove()];
    return refusal("NO_BENCH", reasons.filter((reason) => reason !== null).join("; "));
  }
}
