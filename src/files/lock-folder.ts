/** Taking turns in a folder. */
import { closeSync, unlinkSync } from "node:fs";
import { type Result, refusal, success } from "../outcome.ts";
import type { Folder } from "./folder.ts";
import { tryLock } from "./lock.ts";
import { tryHoldFile } from "./lock.windows.ts";
import { openNew, removeQuietly } from "./new-file.ts";

/**
 * Waits at most `patience` milliseconds to be the only process that holds `folder`. The lock ends with
 * `release`, or when the folder is closed. Refuses with `BUSY`, and what is in the way.
 *
 * It is flock(2) on the folder itself: a file that is replaced by renaming is another file each time. On Windows
 * it is a file in it that is open for nobody else. Where there is no lock at all (some network file systems) a
 * file that exists stands for it; if a process is killed meanwhile, that file stays in the way until a person
 * removes it, since nobody else can know.
 */
export function lockFolder(
  folder: Folder,
  patience: number,
  lock: typeof tryLock = tryLock,
): Result<{ release(): void }, "BUSY"> {
  const deadline = performance.now() + patience;
  for (;;) {
    const onWindows = process.platform === "win32" ? holdFile(folder) : "unavailable";
    if (typeof onWindows === "object") return success(onWindows);
    const answer = folder.descriptor === null ? onWindows : lock(folder.descriptor);
    if (answer === "locked") return success({ release: () => {} });
    if (answer === "unavailable") {
      const held = takeLockFile(folder);
      if (held !== "busy") return success(held);
    }
    if (performance.now() > deadline) {
      return refusal(
        "BUSY",
        answer === "busy"
          ? "another process holds its folder locked"
          : `its folder is locked by another process, or by one that was killed: then remove ${lockFile}`,
      );
    }
    Bun.sleepSync(pollInterval);
  }
}

const lockFile = ".satyrn-replacement.lock";
const pollInterval = 2;

/** The file goes with the lock, unless another process holds it by then. */
function holdFile(folder: Folder): { release(): void } | "busy" | "unavailable" {
  const path = folder.at(lockFile);
  const held = tryHoldFile(path);
  if (typeof held === "string") return held;
  return {
    release: () => {
      held.release();
      removeQuietly(path);
    },
  };
}

function takeLockFile(folder: Folder): { release(): void } | "busy" {
  const path = folder.at(lockFile);
  try {
    closeSync(openNew(path, 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return "busy";
    // Where no file can be made, none can be replaced either: whoever tries learns the reason then.
    return { release: () => {} };
  }
  return { release: () => unlinkSync(path) };
}
