/** Removes a folder that the engine made, whatever a command did inside it. */
import {
  type BigIntStats,
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rm,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { oneLine } from "../outcome.ts";
import { systemReason } from "../system-error.ts";
import { type Identity, isSame } from "./identity.ts";

/** Whether the folder is gone; if not, in one line what is left of it and why. */
export type Removal = { readonly ok: true } | { readonly ok: false; readonly left: string };

/**
 * Removes the folder at `path` with all it holds, if it is the one of this `identity`; gone already is well.
 *
 * Links are removed, never followed. Folders that were made read-only are opened up. Depth does not matter,
 * nor do names that are not text. Left alone, and named: a folder of another identity, whatever lies on
 * another file system or below a mount point, and what the system refuses to remove (immutable, busy).
 * The file `last` of the folder itself is removed when all else is gone.
 *
 * On Windows what could not be removed is tried again for two seconds: nothing goes that a program has open, and
 * scanners of files have for a moment what was just written.
 */
export function removeTree(path: string, identity: Identity, last?: string): Removal {
  const end = performance.now() + (process.platform === "win32" ? 2000 : 0);
  for (;;) {
    const removal = removeOnce(path, identity, last);
    if (removal.ok || performance.now() >= end) return removal;
    Bun.sleepSync(50);
  }
}

/**
 * As `removeTree`, for a folder that may hold very many files: those of a folder that holds nothing else are removed
 * on threads of the runtime's, several folders at a time. 10,000 files take 50 ms on two cores in place of 80.
 *
 * Only such folders, since the runtime's own removal takes time in the square of a tree's depth. What it leaves,
 * whatever the reason, is removed or named as ever.
 */
export async function removeLargeTree(path: string, identity: Identity): Promise<Removal> {
  const removing: Promise<void>[] = [];
  const removal = removeOnce(path, identity, undefined, (leaf) => {
    removing.push(new Promise((resolve) => rm(leaf, { recursive: true, force: true }, () => resolve())));
  });
  if (removing.length === 0) return removal.ok ? removal : removeTree(path, identity);
  await Promise.all(removing);
  return removeTree(path, identity);
}

/** With `passOn`, folders of nothing but files are left to it. */
function removeOnce(
  path: string,
  identity: Identity,
  last: string | undefined,
  passOn?: (leaf: string) => void,
): Removal {
  try {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return { ok: true };
    if (!stat.isDirectory() || !isSame(stat, identity))
      return { ok: false, left: `'${oneLine(path)}' is not the folder that was made there` };
    const mount = mountedBelow(path);
    if (mount !== null)
      return { ok: false, left: `'${oneLine(mount)}' has another file system mounted on it` };
  } catch (error) {
    // What cannot be looked at is not gone.
    if (isAbsence(error)) return { ok: true };
    return { ok: false, left: `'${oneLine(path)}': ${systemReason(error)}` };
  }
  const kept = last === undefined ? undefined : `${path}/${last}`;
  const begun = { left: [], deep: [], moved: 0, passOn, passedOn: 0 };
  const removal: Progress = { root: path, last: kept, device: identity.dev, ...begun };
  removeFolder(path, removal);
  for (let folder = removal.deep.pop(); folder !== undefined; folder = removal.deep.pop()) {
    removeFolder(folder, removal);
  }
  if (removal.left.length === 0 && kept !== undefined) removeIfThere(kept, removal);
  if (removal.left.length === 0 && removal.passedOn === 0) attempt(path, removal, rmdirSync);
  const [first, ...others] = removal.left;
  if (first === undefined) return { ok: true };
  return { ok: false, left: others.length === 0 ? first : `${first}, and ${others.length} more` };
}

interface Progress {
  readonly root: string;
  /** The path of what goes when all else is gone. */
  readonly last: string | undefined;
  readonly device: bigint;
  /** What could not be removed, and why. */
  readonly left: string[];
  /** Folders moved up to the root because their paths grew too long. */
  readonly deep: string[];
  /** Removes a folder of nothing but files, and how many were left to it; undefined if nobody does. */
  readonly passOn: ((leaf: string) => void) | undefined;
  passedOn: number;
  moved: number;
}

/** A path below the root: bytes where a name is not text. */
type Path = string | Buffer;

function removeFolder(folder: Path, removal: Progress): void {
  const stat = lookAt(folder, removal);
  if (stat === undefined) return;
  if (stat.dev !== removal.device) {
    removal.left.push(`'${shown(folder)}' is on another file system`);
    return;
  }
  const keptBefore = removal.left.length;
  const passedOnBefore = removal.passedOn;
  if ((Number(stat.mode) & ownerAll) !== ownerAll)
    attempt(folder, removal, (path) => chmodSync(path, ownerAll));
  if (Buffer.byteLength(folder) > longestPath) {
    moveUp(folder, removal);
    return;
  }
  const entries = entriesOf(folder, removal);
  const isRoot = folder === removal.root;
  if (removal.passOn !== undefined && !isRoot && typeof folder === "string" && isLeaf(entries)) {
    removal.passOn(folder);
    removal.passedOn++;
    return;
  }
  for (const { path, isFolder } of entries) {
    if (isLast(path, removal)) continue;
    if (isFolder) removeFolder(path, removal);
    else removeEntry(path, removal);
  }
  // A folder that keeps something cannot go either: that is said once, of what it keeps.
  const isKept = removal.left.length > keptBefore || removal.passedOn > passedOnBefore;
  if (!isRoot && !isKept) attempt(folder, removal, rmdirSync);
}

/** A name that is not text makes every path of its folder bytes. */
function isLast(path: Path, { last }: Progress): boolean {
  return last !== undefined && (typeof path === "string" ? path === last : path.equals(Buffer.from(last)));
}

const ownerAll = 0o700;

// A path handed to the system has at most 1024 bytes on macOS and 4096 on Linux, one more name included; and
// a short one is walked faster.
const longestPath = 600;

function removeIfThere(path: string, removal: Progress): void {
  if (lookAt(path, removal) !== undefined) removeEntry(path, removal);
}

/** What stands at `path`; undefined if nothing does, or if it cannot be seen, which is noted. */
function lookAt(path: Path, removal: Progress): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    keep(path, removal, error);
    return undefined;
  }
}

function removeEntry(path: Path, removal: Progress): void {
  try {
    // Windows removes no file that is read-only. Links have no such mark of their own.
    if (process.platform === "win32" && lstatSync(path).isFile()) chmodSync(path, ownerAll);
    unlinkSync(path);
  } catch (error) {
    // Some file systems do not say in the listing that an entry is a folder.
    const stat = lookAt(path, removal);
    if (stat?.isDirectory()) removeFolder(path, removal);
    else if (stat !== undefined) keep(path, removal, error);
  }
}

interface Entry {
  readonly path: Path;
  readonly isFolder: boolean;
  /** Known to be one. */
  readonly isFile: boolean;
}

/** Fewer files are removed faster than handed on. */
function isLeaf(entries: readonly Entry[]): boolean {
  return entries.length >= 16 && entries.every((entry) => entry.isFile);
}

function entriesOf(folder: Path, removal: Progress): readonly Entry[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    if (typeof folder === "string" && entries.every(({ name }) => !name.includes(replacement))) {
      return entries.map((entry) => ({
        path: `${folder}/${entry.name}`,
        isFolder: entry.isDirectory(),
        isFile: entry.isFile(),
      }));
    }
    const prefix = Buffer.concat([Buffer.from(folder), separator]);
    const names = readdirSync(folder, { encoding: "buffer" });
    return names.map((name) => ({ path: Buffer.concat([prefix, name]), isFolder: false, isFile: false }));
  } catch (error) {
    keep(folder, removal, error);
    return [];
  }
}

// What stands in a decoded name for bytes that are not UTF-8.
const replacement = "\ufffd";
const separator = Buffer.from("/");

/** Gives a folder whose path is about to grow too long a short one, at the root, to be removed later. */
function moveUp(folder: Path, removal: Progress): void {
  for (;;) {
    const target = `${removal.root}/.deep-${removal.moved++}`;
    if (existsSync(target)) continue;
    attempt(folder, removal, (path) => {
      renameSync(path, target);
      removal.deep.push(target);
    });
    return;
  }
}

function attempt(path: Path, removal: Progress, step: (path: Path) => void): void {
  try {
    step(path);
  } catch (error) {
    keep(path, removal, error);
  }
}

/** What is not there any more, because somebody else removes it too, is no failure. */
function keep(path: Path, removal: Progress, error: unknown): void {
  if (isAbsence(error)) return;
  removal.left.push(`'${shown(path)}' could not be removed: ${systemReason(error)}`);
}

function isAbsence(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function shown(path: Path): string {
  return oneLine(path.toString());
}

/**
 * A mount point below the folder, or null. On Linux a mount of the same file system (`mount --bind`) shows in
 * no identity, and to remove what is below it would be to remove it elsewhere: /proc/self/mountinfo of
 * proc(5), whose fifth field is the mount point, blanks and backslashes in octal.
 */
function mountedBelow(path: string): string | null {
  if (process.platform !== "linux") return null;
  const prefix = `${realpathSync(path)}/`;
  const table = readFileSync("/proc/self/mountinfo", "utf8");
  if (!table.includes(` ${prefix.replace(/[ \t\n\\]/g, asOctal)}`)) return null;
  const points = table
    .split("\n")
    .map((line) => (line.split(" ")[4] ?? "").replace(/\\(\d{3})/g, (_, octal) => fromOctal(octal)));
  return points.find((point) => point.startsWith(prefix)) ?? null;
}

/** As the kernel writes what would end a field. */
function asOctal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`;
}

function fromOctal(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 8));
}
