/**
 * A Git index: what it says of each path, and the stat data, which are the one way to tell a file that was not touched
 * since checkout from one whose content looks changed for another reason.
 *
 * Format: versions 2 to 4, Git's documentation of the index format (gitformat-index).
 */

/** What Git recorded of a file when it wrote it. Times are seconds and nanoseconds, 32 bits each as stored. */
export interface IndexedStat {
  readonly ctime: readonly [number, number];
  readonly mtime: readonly [number, number];
  readonly ino: number;
  readonly size: number;
}

/** Where, in an entry, the numbers of 32 bits are that tell whether its file was touched. */
export const statOffset = {
  changed: 0,
  changedNs: 4,
  modified: 8,
  modifiedNs: 12,
  inode: 20,
  size: 36,
} as const;

/**
 * The stat data of those of `paths` (bytes as latin1) that `index` holds; undefined if it is not an index of a
 * known version whose object ids are `hashLength` bytes long.
 */
export function indexedStats(
  index: Buffer,
  hashLength: number,
  paths: ReadonlySet<string>,
): Map<string, IndexedStat> | undefined {
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const found = new Map<string, IndexedStat>();
  const whole = walkEntries(index, version, hashLength, (name, at) => {
    if (!paths.has(name)) return;
    found.set(name, {
      ctime: [index.readUInt32BE(at + statOffset.changed), index.readUInt32BE(at + statOffset.changedNs)],
      mtime: [index.readUInt32BE(at + statOffset.modified), index.readUInt32BE(at + statOffset.modifiedNs)],
      ino: index.readUInt32BE(at + statOffset.inode),
      size: index.readUInt32BE(at + statOffset.size),
    });
  });
  return whole ? found : undefined;
}

/**
 * Whether `holds` of each entry: it gets where the entry's stat data begin, and where its path, which ends with NUL.
 * False as well for an index that is not of version 2 or 3, or not well formed: version 4 has no whole paths.
 */
export function everyEntry(
  index: Buffer,
  hashLength: number,
  holds: (stat: number, path: number) => boolean,
): boolean {
  const entry = beforeFirst(index, hashLength);
  if (entry === undefined) return false;
  while (entry.left > 0) if (!moveOn(entry) || !holds(entry.at, entry.path)) return false;
  return true;
}

/** A path of which two indexes do not say the same. A mode is as Git writes it, "100644", or "000000" for no entry. */
export interface IndexDifference {
  readonly path: Buffer;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
}

/**
 * Where `after` differs from `before` in paths, modes and object ids, in the order of the paths' bytes. Undefined where
 * only Git can tell: for an index that is not of version 2 or 3, not well formed, split or sparse, or has entries that
 * are not merged or only intended.
 */
export function indexDifferences(
  before: Buffer,
  after: Buffer,
  hashLength: number,
): readonly IndexDifference[] | undefined {
  const [old, now] = [beforeFirst(before, hashLength), beforeFirst(after, hashLength)];
  if (old === undefined || now === undefined) return undefined;
  const differences: IndexDifference[] = [];
  let order = 0;
  do {
    if (order <= 0 && !moveToFile(old)) return undefined;
    if (order >= 0 && !moveToFile(now)) return undefined;
    order = orderOf(old, now);
    if (order < 0) differences.push({ ...fileAt(old), newMode: noMode });
    else if (order > 0)
      differences.push({ ...fileAt(now), oldMode: noMode, oldId: "0".repeat(2 * hashLength) });
    else if (!isSameFile(old, now)) differences.push({ ...fileAt(old), newMode: modeAt(now) });
  } while (old.path !== ended || now.path !== ended);
  return differences;
}

export const noMode = "000000";

/** An entry of many, and its place. One object for all of them, which can be hundreds of thousands. */
interface Entry {
  readonly index: Buffer;
  readonly hashLength: number;
  /** How many come after it. */
  left: number;
  /** Where it begins, and where the next. */
  at: number;
  next: number;
  /** Where its path begins and ends. */
  path: number;
  end: number;
}

/** As `path`: behind the last entry. */
const ended = -1;

function beforeFirst(index: Buffer, hashLength: number): Entry | undefined {
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return undefined;
  return { index, hashLength, left: index.readUInt32BE(8), at: 0, next: 12, path: 0, end: 0 };
}

/** To the next entry, which there must be; false if it is not well formed. */
function moveOn(entry: Entry): boolean {
  const { index, hashLength, next: at } = entry;
  const flagsAt = at + statLength + hashLength;
  if (flagsAt + 4 > index.length) return false;
  const flags = index.readUInt16BE(flagsAt);
  const path = flagsAt + ((flags & extended) !== 0 ? 4 : 2);
  const length = flags & longest;
  const end = length < longest ? path + length : index.indexOf(0, path);
  entry.left--;
  entry.at = at;
  entry.path = path;
  entry.end = end;
  entry.next = at + ((end - at + 8) & ~7);
  return index[end] === 0 && end !== path;
}

/** To the next entry or behind the last; false if it is not a file's, or the index not whole without another one. */
function moveToFile(entry: Entry): boolean {
  if (entry.path === ended) return true;
  if (entry.left === 0) {
    entry.path = ended;
    return hasAllEntries(entry);
  }
  if (!moveOn(entry)) return false;
  const { index, at, hashLength } = entry;
  const flagsAt = at + statLength + hashLength;
  const flags = index.readUInt16BE(flagsAt);
  if ((flags & notMerged) !== 0) return false;
  if ((flags & extended) !== 0 && (index.readUInt16BE(flagsAt + 2) & intended) !== 0) return false;
  return index.readUInt32BE(at + modeOffset) !== folderMode;
}

/** Whether no extension says that there are others, elsewhere or in a folder's place. A checksum ends the index. */
function hasAllEntries({ index, next, hashLength }: Entry): boolean {
  const end = index.length - hashLength;
  let at = next;
  while (at + 8 <= end) {
    if (["link", "sdir"].includes(index.toString("latin1", at, at + 4))) return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end;
}

function orderOf(one: Entry, other: Entry): number {
  if (one.path === ended) return other.path === ended ? 0 : 1;
  if (other.path === ended) return -1;
  return one.index.compare(other.index, other.path, other.end, one.path, one.end);
}

/** Also if there is none. */
function isSameFile(one: Entry, other: Entry): boolean {
  if (one.path === ended) return true;
  const [id, otherId] = [one.at + statLength, other.at + statLength];
  return (
    one.index.readUInt32BE(one.at + modeOffset) === other.index.readUInt32BE(other.at + modeOffset) &&
    one.index.compare(other.index, otherId, otherId + other.hashLength, id, id + one.hashLength) === 0
  );
}

function fileAt(entry: Entry): IndexDifference {
  const { index, at, path, end, hashLength } = entry;
  const id = index.toString("hex", at + statLength, at + statLength + hashLength);
  const mode = modeAt(entry);
  return { path: index.subarray(path, end), oldMode: mode, newMode: mode, oldId: id };
}

function modeAt({ index, at }: Entry): string {
  return index
    .readUInt32BE(at + modeOffset)
    .toString(8)
    .padStart(6, "0");
}

const modeOffset = 24;
const folderMode = 0o040000;
const statLength = 40;
/** Of the flags: two more bytes of them follow. */
const extended = 0x4000;
/** Of the flags: the side of a merge that is not done. */
const notMerged = 0x3000;
/** Of the two more: `git add --intent-to-add`. */
const intended = 0x2000;
/** Of the flags: the length of the path, or this if it is as long or longer. */
const longest = 0xfff;

/** Calls `visit` for each entry; false if one is not well formed. */
function walkEntries(
  index: Buffer,
  version: number,
  hash: number,
  visit: (name: string, at: number) => void,
): boolean {
  const count = index.readUInt32BE(8);
  let at = 12;
  let name = "";
  for (let entry = 0; entry < count; entry++) {
    const flagsAt = at + statLength + hash;
    if (flagsAt + 2 > index.length) return false;
    const flags = index.readUInt16BE(flagsAt);
    let nameAt = flagsAt + 2 + ((flags & extended) !== 0 ? 2 : 0);
    let kept = 0;
    if (version === 4) [kept, nameAt] = keptLength(index, nameAt, name.length);
    const end = index.indexOf(0, nameAt);
    if (end < 0) return false;
    const next = name.slice(0, kept) + index.toString("latin1", nameAt, end);
    if ((flags & longest) !== Math.min(next.length, longest)) return false;
    name = next;
    visit(name, at);
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return true;
}

/** Version 4 stores how many bytes to drop from the previous name, as an offset varint. */
function keptLength(index: Buffer, at: number, previous: number): [number, number] {
  let byte = index[at++] ?? 0;
  let drop = byte & 0x7f;
  while (byte & 0x80) {
    byte = index[at++] ?? 0;
    drop = ((drop + 1) << 7) | (byte & 0x7f);
  }
  return [previous - drop, at];
}
