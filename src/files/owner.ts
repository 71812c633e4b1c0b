/**
 * The record in a private folder that says whose it is, so that what a killed engine left can be told from what
 * is in use.
 */
import { lstatSync, readFileSync, renameSync, type Stats, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isFields } from "../fields.ts";
import { startOf } from "../process/descendants.linux.ts";
import { ownIdentity, type ProcessIdentity, parseIdentity } from "../process/identity.ts";
import type { Identity } from "./identity.ts";
import { readJson } from "./json.ts";

/** The name of the record in its folder. It is removed last, so that what is left still says whose it is. */
export const ownerFile = "owner.json";
/** The record before it is whole. */
export const unfinishedOwnerFile = "owner.json.new";
const commandFile = "command.json";
const packFile = "pack.json";
const unfinishedFile = "unfinished.json";

export interface Purpose {
  /** The common directory of the repository that the folder serves, or null for none. */
  readonly repository: string | null;
  /** The name of the worktree that will lie in the folder, or null for none. */
  readonly worktree: string | null;
}

export interface Owner extends Purpose {
  /** The engine, or null where the system does not tell who it is. */
  readonly engine: ProcessIdentity | null;
  /** Where the folder was made, and which it was. */
  readonly path: string;
  readonly identity: Identity;
}

/** Writes the record, whole or not at all. Throws what the system says. */
export function writeOwner(path: string, { dev, ino }: Identity, purpose: Purpose): void {
  const folder = { path, device: String(dev), inode: String(ino) };
  const record = { version: 1, engine: ownIdentity(), ...purpose, folder };
  writeWhole(path, ownerFile, record);
}

/** The owner of the folder at `path`; null if it has no record of this version, or the folder is not the caller's alone. */
export function readOwner(path: string): Owner | null {
  const stat = look(path);
  const isOurs =
    stat?.isDirectory() === true && (process.getuid === undefined || stat.uid === process.getuid());
  if (!isOurs || (process.platform !== "win32" && (stat.mode & 0o022) !== 0)) return null;
  const record = readRecord(path, ownerFile);
  if (record?.["version"] !== 1 || !isFields(record["folder"])) return null;
  const { repository, worktree } = record;
  const { path: made, device, inode } = record["folder"];
  if (typeof made !== "string" || !isNumber(device) || !isNumber(inode)) return null;
  if (!isTextOrNull(repository) || !isTextOrNull(worktree)) return null;
  // The name is joined to the folder, and what is there removed.
  if (worktree !== null && !/^satyrn-[0-9a-f]{12}$/.test(worktree)) return null;
  const identity = { dev: BigInt(device), ino: BigInt(inode) };
  return { engine: parseIdentity(record["engine"]), repository, worktree, path: made, identity };
}

/** Undefined for what is not there or cannot be seen. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

export interface Leader {
  readonly pid: number;
  readonly started: string;
}

/** Adds the process that leads the command's session to the record, as far as the system tells and lets. */
export function writeLeader(path: string, pid: number): void {
  // What it left in its session may outlive it by far.
  const started = process.platform === "linux" ? startOf(pid) : undefined;
  if (started === undefined) return;
  try {
    writeWhole(path, commandFile, { pid, started });
  } catch {
    // A full disk must not end a command that runs: its processes are also known by their environment.
  }
}

/** The leader of the last command that was started from the folder at `path`, or null. */
export function readLeader(path: string): Leader | null {
  const record = readRecord(path, commandFile);
  const { pid, started } = record ?? {};
  return typeof pid === "number" && typeof started === "string" ? { pid, started } : null;
}

/** Adds the name, without suffix, of the pack that is about to be brought into the repository. Throws what the system says. */
export function writePackName(path: string, name: string): void {
  writeWhole(path, packFile, { name });
}

/** The name of the pack that was, or was about to be, brought into the repository; null if none was. */
export function readPackName(path: string): string | null {
  const name = readRecord(path, packFile)?.["name"];
  return typeof name === "string" && /^pack-[0-9a-f]+$/.test(name) ? name : null;
}

/** Adds the path of a file that is about to be written elsewhere, and named once it is whole. Throws what the system says. */
export function writeUnfinishedPath(path: string, file: string): void {
  writeWhole(path, unfinishedFile, { path: file });
}

/** The path of the file that was, or was about to be, written elsewhere; null if none was. */
export function readUnfinishedPath(path: string): string | null {
  const file = readRecord(path, unfinishedFile)?.["path"];
  return typeof file === "string" ? file : null;
}

function writeWhole(path: string, name: string, record: object): void {
  const unfinished = join(path, `${name}.new`);
  writeFileSync(unfinished, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(unfinished, join(path, name));
}

function readRecord(path: string, name: string): Readonly<Record<string, unknown>> | null {
  try {
    const file = join(path, name);
    if (!lstatSync(file).isFile()) return null;
    const read = readJson(readFileSync(file), { maxBytes: 65_536 });
    return read.ok && isFields(read.value) ? read.value : null;
  } catch {
    return null;
  }
}

function isNumber(value: unknown): value is string {
  return typeof value === "string" && /^\d{1,20}$/.test(value);
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
