/**
 * The stat data a Git index holds for its entries: the one way to tell a file that was not touched since checkout
 * from one whose content looks changed for another reason.
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
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return false;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return false;
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flagsAt = at + statLength + hashLength;
    if (flagsAt + 4 > index.length) return false;
    const flags = index.readUInt16BE(flagsAt);
    const path = flagsAt + ((flags & extended) !== 0 ? 4 : 2);
    const length = flags & longest;
    const end = length < longest ? path + length : index.indexOf(0, path);
    if (index[end] !== 0 || end === path || !holds(at, path)) return false;
    at += (end - at + 8) & ~7;
  }
  return true;
}

const statLength = 40;
/** Of the flags: two more bytes of them follow. */
const extended = 0x4000;
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
