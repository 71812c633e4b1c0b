/** The private folder of an attempt: the frozen contract, the extension files, a context too large to pass. */
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Folders, folderAround } from "../files/identity.ts";
import { folderIdentity, removeTree } from "../files/remove.ts";
import { systemReason } from "../files/system-error.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { extensionFiles } from "./extensions.ts";

export interface Bench {
  readonly folder: string;
  /** The frozen contract: tool calls use it, so that an edit of the contract cannot widen what they may do. */
  readonly contract: string;
  readonly extensions: { readonly loopBreaker: string; readonly edit: string; readonly bash: string };
  /** Why the folder could not be removed, in one line, or null. */
  remove(): string | null;
}

/**
 * Makes the folder (mode 0700) where temporary files go, but outside of `outside`, and fills it. `NO_BENCH` says
 * why there is none; nothing is left then.
 */
export function makeBench(
  contract: Uint8Array,
  temporary: string | undefined,
  outside: Folders,
): Result<Bench, "NO_BENCH"> {
  const made = makeFolder([temporary, "/tmp", "/var/tmp"], outside);
  if (!made.ok) return made;
  const folder = made.value;
  const identity = folderIdentity(folder);
  const remove = (): string | null => {
    const removal = identity === null ? null : removeTree(folder, identity);
    return removal === null || removal.ok ? null : `a temporary folder is left: ${removal.left}`;
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
    return success({ folder, contract: frozen, extensions, remove });
  } catch (error) {
    remove();
    return refusal("NO_BENCH", `'${folder}' could not be filled: ${systemReason(error)}`);
  }
}

function makeFolder(places: readonly (string | undefined)[], outside: Folders): Result<string, "NO_BENCH"> {
  const problems: string[] = [];
  for (const place of places) {
    if (!place || !isAbsolute(place)) continue;
    try {
      const around = folderAround(place, outside);
      if (around !== null) {
        problems.push(`'${place}' lies in '${around}'`);
        continue;
      }
      const folder = mkdtempSync(join(place, "satyrn-attempt-"));
      chmodSync(folder, 0o700);
      return success(folder);
    } catch (error) {
      problems.push(`'${place}': ${systemReason(error)}`);
    }
  }
  return refusal("NO_BENCH", `no temporary folder can be made: ${problems.join("; ")}`);
}
