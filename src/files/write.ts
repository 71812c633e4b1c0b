/** Replacing a file's content so that whoever looks sees the old bytes or the new ones, whole. */
import {
  type BigIntStats,
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  unlinkSync,
} from "node:fs";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";
import { carryAttributes } from "./attributes.ts";
import { type Sha256, sha256 } from "./digest.ts";
import type { Folder } from "./folder.ts";
import { isSame } from "./identity.ts";
import { openNew, removeQuietly, writeAll } from "./new-file.ts";
import { readInFolder } from "./read-in-folder.ts";
import { renameOver } from "./rename.ts";

/** The moments of a replacement between which it can be interrupted. */
export type WriteStep = "created" | "written" | "flushed" | "renamed";

/** A file as it was read. */
export interface Before {
  readonly stat: BigIntStats;
  readonly sha256: Sha256;
}

/**
 * Puts `bytes` in the place of the regular file `name` in `folder`, which was `before` when it was read, with
 * its permission bits (less setuid and setgid), its attributes (see `carryAttributes`) and, as far as the system allows,
 * its owner. The bytes and the rename are flushed to disk. Whoever calls this holds the folder's lock.
 *
 * Refuses with `CHANGED` if `name` is no longer the file that was read, and with `NOT_WRITTEN`, and the reason,
 * if the system does not let it or the folder was replaced; in both cases nothing is changed and the temporary
 * file is gone.
 */
export function replaceFile(
  folder: Folder,
  name: string,
  bytes: Uint8Array,
  before: Before,
  onStep: (step: WriteStep) => void = () => {},
): Result<null, "CHANGED" | "NOT_WRITTEN"> {
  const temporary = folder.at(temporaryName(name));
  let descriptor: number | undefined;
  let made = false;
  try {
    if (!folder.stillThere()) return refusal("NOT_WRITTEN", "its folder was replaced");
    descriptor = createTemporary(temporary);
    made = true;
    onStep("created");
    writeAll(descriptor, bytes);
    onStep("written");
    takeOwner(descriptor, before.stat);
    const lost = carryAttributes(folder.at(name), descriptor);
    if (lost !== undefined) return refusal("NOT_WRITTEN", lost);
    // `fchmod`, unlike the mode of `open`, is exact under any umask, and whatever a list allowed.
    fchmodSync(descriptor, Number(before.stat.mode) & 0o1777);
    fsyncSync(descriptor);
    const whole = descriptor;
    // Also closing it ends the descriptor when it fails.
    descriptor = undefined;
    closeSync(whole);
    onStep("flushed");
    if (!folder.stillThere()) return refusal("NOT_WRITTEN", "its folder was replaced");
    if (!isUnchanged(folder, name, before)) return refusal("CHANGED", "it was changed");
    renameOver(temporary, folder.at(name));
    made = false;
    onStep("renamed");
    flushFolder(folder);
    return success(null);
  } catch (error) {
    return refusal("NOT_WRITTEN", systemReason(error));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
    // In a folder that stands there instead, that name is somebody else's.
    if (made && folder.stillThere()) removeQuietly(temporary);
  }
}

/**
 * One name for every replacement in a folder: they take turns by the folder's lock, so what stands under it
 * when one begins was left by one that was killed, and is taken away.
 */
function temporaryName(target: string): string {
  return target === ".satyrn-replacement.tmp" ? ".satyrn-replacement-2.tmp" : ".satyrn-replacement.tmp";
}

function createTemporary(path: string): number {
  const left = lstatSync(path, { throwIfNoEntry: false });
  if (left?.isFile() === true) unlinkSync(path);
  return openNew(path, 0o600);
}

/** Before all else: changing the owner clears mode bits. */
function takeOwner(descriptor: number, before: BigIntStats): void {
  const made = fstatSync(descriptor, { bigint: true });
  if (made.uid !== before.uid || made.gid !== before.gid) {
    try {
      fchownSync(descriptor, Number(before.uid), Number(before.gid));
    } catch {
      // Only a privileged process may give a file away; the file then belongs to whoever replaced it.
    }
  }
}

/**
 * Whether `name` is the file that was read, as it was then. Its bytes say so where its times do not: the time of
 * writing can be put back, and some file systems keep whole seconds. (A write within the same tick of a finer clock, some
 * milliseconds, as the one before it is not noticed: to read 10 MB once more takes a third of a replacement.)
 */
function isUnchanged(folder: Folder, name: string, { stat, sha256: revision }: Before): boolean {
  const now = lstatSync(folder.at(name), { bigint: true, throwIfNoEntry: false });
  const isAsItWas =
    now !== undefined &&
    isSame(now, stat) &&
    now.size === stat.size &&
    now.mode === stat.mode &&
    now.uid === stat.uid &&
    now.gid === stat.gid;
  if (!isAsItWas) return false;
  const isUntouched = now.mtimeNs === stat.mtimeNs && now.ctimeNs === stat.ctimeNs;
  if (isUntouched && stat.ctimeNs % 1_000_000_000n !== 0n) return true;
  const read = readInFolder(folder, name, Number(stat.size), 0);
  return read.ok && sha256(read.value.buffer.subarray(0, read.value.length)) === revision;
}

/** The file is replaced by now; a system that cannot flush a folder (some network file systems) changes nothing. */
function flushFolder(folder: Folder): void {
  if (folder.descriptor === null) return;
  try {
    fsyncSync(folder.descriptor);
  } catch {}
}
