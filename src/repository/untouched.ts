/**
 * Which files of a worktree are still what the checkout wrote, told by their times.
 *
 * The command begins at a later tick of the file system's clock than the checkout ended, and no program can set the
 * time of a file's last change of any kind. So a file whose times are the same to the nanosecond was not touched. Git
 * itself compares whole seconds, and reads what could have changed within one.
 */
import { lstatSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lookBelow, statxWord } from "../process/statx.ts";
import { everyEntry, type IndexedStat, indexedStats, statOffset } from "./index-file.ts";

/** A checkout that is over. */
export interface Checkout {
  readonly worktree: string;
  /** The index as it was left. */
  readonly index: string;
  /** How many bytes an object id has. */
  readonly hashLength: number;
  /** When it was over, in nanoseconds. */
  readonly over: bigint;
}

/**
 * Git's index holds the time of a file's last change of any kind, which no program can set; on Windows it holds
 * the time the file was made in its place, and a program that sets the time of writing back hides an edit.
 */
export const trustsTimes = process.platform !== "win32";

/**
 * Waits until a file written in `folder` gets another time than one written before: from then on no write gives a
 * file the time that the checkout gave it. A kernel's clock for files ticks every 10 ms at the slowest, and mostly
 * every 4 or 1; but some file systems keep whole seconds, or two. Throws if the time stands still.
 */
export async function untilTimesDiffer(folder: string): Promise<void> {
  const probe = join(folder, "clock");
  const tick = () => {
    writeFileSync(probe, "x");
    return statSync(probe, { bigint: true }).mtimeNs;
  };
  const end = performance.now() + longestTick;
  for (const first = tick(); tick() === first; ) {
    if (performance.now() > end) throw new Error("the times of files stand still there");
    await Bun.sleep(1);
  }
}

// In ms. FAT keeps every second second.
const longestTick = 5000;

/**
 * Whether each edit since the checkout shows in a file's size or in whole seconds, so that Git finds it also without
 * reading the files that have the second of the index: 80 to 28 ms for 10,000 files. An edit that does not is in a
 * file of another time to the nanosecond. False as well where that is not to be told sooner than Git reads: off Linux,
 * for few files, for an index that shortens names.
 *
 * Git may then read fewer files than it would, and the result is the same: what it says of a file that was not
 * touched counts for nothing.
 */
export function everyEditShows({ worktree, index: path, hashLength }: Checkout): boolean {
  const { size, mtimeMs } = statSync(path);
  if (process.platform !== "linux" || size < worthwhile) return false;
  const second = Math.floor(mtimeMs / 1000);
  const index = readFileSync(path);
  const looks = lookBelow(worktree, index);
  if (looks === null) return false;
  const indexed = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const { found } = looks;
  const shows = (at: number, name: number): boolean => {
    const modified = indexed.getUint32(at + statOffset.modified);
    if (modified < second) return true;
    if (!looks.at(name)) return looks.isAbsent();
    if (
      found[statxWord.modified] !== modified ||
      found[statxWord.size] !== indexed.getUint32(at + statOffset.size)
    )
      return true;
    return (
      found[statxWord.modifiedNs] === indexed.getUint32(at + statOffset.modifiedNs) &&
      found[statxWord.changed] === indexed.getUint32(at + statOffset.changed) &&
      found[statxWord.changedNs] === indexed.getUint32(at + statOffset.changedNs) &&
      found[statxWord.inode] === indexed.getUint32(at + statOffset.inode)
    );
  };
  try {
    return everyEntry(index, hashLength, shows);
  } finally {
    looks.close();
  }
}

// In bytes; below some 200 files Git reads them in less time.
const worthwhile = 16_384;

/** Those of `paths` whose files still are what the checkout wrote. */
export function untouched(
  { worktree, index, hashLength, over }: Checkout,
  paths: readonly string[],
): ReadonlySet<string> {
  // A file that changed later cannot be one, and mostly all did: then the index, which can be large, is not read.
  const older = paths.filter((path) => isOlder(join(worktree, path), over));
  if (older.length === 0) return new Set();
  const key = (path: string) => Buffer.from(path).toString("latin1");
  const stats = indexedStats(readFileSync(index), hashLength, new Set(older.map(key)));
  const asIndexed = older.filter((path) => {
    const indexed = stats?.get(key(path));
    return indexed !== undefined && isAsIndexed(join(worktree, path), indexed, over);
  });
  return new Set(asIndexed);
}

function isOlder(path: string, time: bigint): boolean {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found !== undefined && found.ctimeNs <= time;
}

function isAsIndexed(path: string, indexed: IndexedStat, over: bigint): boolean {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return false;
  const time = ([seconds, nanoseconds]: readonly [number, number]) =>
    BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);
  const isSameFile = trustsTimes
    ? BigInt.asUintN(32, found.ino) === BigInt(indexed.ino) && found.ctimeNs === time(indexed.ctime)
    : found.birthtimeNs === time(indexed.ctime) && found.ctimeNs <= over;
  return (
    isSameFile &&
    BigInt.asUintN(32, found.size) === BigInt(indexed.size) &&
    found.mtimeNs === time(indexed.mtime)
  );
}
