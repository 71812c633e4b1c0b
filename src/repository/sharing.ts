/** Permissions in a repository that several people share (git-config manual page, core.sharedRepository). */
import { chmodSync, lstatSync } from "node:fs";

/** Permission bits of a file that its owner may write: granted beyond what the umask leaves, or in its place. */
export interface Sharing {
  readonly bits: number;
  readonly inPlace: boolean;
}

/** What a value of `core.sharedRepository` asks for; null if it leaves permissions to the umask. */
export function readSharing(value: string): Sharing | null {
  const word = value.toLowerCase();
  if (["umask", "false", "no", "off", ""].includes(word)) return null;
  if (["all", "world", "everybody", "2"].includes(word)) return { bits: 0o664, inPlace: false };
  const number = /^[0-7]+$/.test(word) ? Number.parseInt(word, 8) : 1;
  if (number <= 1) return number === 0 ? null : { bits: 0o660, inPlace: false };
  return { bits: number & 0o666, inPlace: true };
}

/** Gives a new file or folder of the repository the permissions that Git would give it. Throws what the system does. */
export function share(path: string, sharing: Sharing | null | undefined): void {
  if (sharing === null || sharing === undefined || process.platform === "win32") return;
  const stat = lstatSync(path);
  const before = stat.mode & 0o7777;
  const mode = sharedMode(before, stat.isDirectory(), sharing);
  if (mode !== before) chmodSync(path, mode);
}

/** As `adjust_shared_perm` of Git has it: who may read a folder may enter it, and it hands its group on. */
export function sharedMode(before: number, isFolder: boolean, { bits, inPlace }: Sharing): number {
  const unwritable = (before & 0o200) === 0 ? bits & ~0o222 : bits;
  const granted = (before & 0o100) === 0 ? unwritable : unwritable | entered(unwritable);
  const mode = inPlace ? (before & ~0o777) | granted : before | granted;
  if (!isFolder) return mode;
  const folder = mode | entered(mode);
  return (folder & 0o060) === 0 ? folder : folder | 0o2000;
}

/** The permission to enter, for whoever has that to read. */
function entered(mode: number): number {
  return (mode & 0o444) >> 2;
}
