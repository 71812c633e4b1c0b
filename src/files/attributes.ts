/** Extended attributes, access control lists among them, of the file that takes another's place (xattr(7), acl(5)). */
import { closeSync, constants, openSync } from "node:fs";
import { libc, linuxFunctions } from "../process/libc.ts";

/**
 * Gives the open file `into` the attributes that decide who may use the file at `from`, and those that people and
 * programs keep with it; takes from it an access control list that it has of its folder. Gives why it could not, or
 * undefined. On Linux alone; elsewhere nothing is carried. Throws what the system does when it opens `from`.
 *
 * Its owner may set the `user.` ones and the list, and without the list the permission bits would mean something else:
 * not to be able to is a reason. The system's security modules may refuse theirs, which they gave the new file as well.
 */
export function carryAttributes(from: string, into: number): string | undefined {
  const list = libc()?.flistxattr ?? null;
  if (list === null) return undefined;
  const descriptor = openSync(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (list(descriptor, null, 0) <= 0 && list(into, null, 0) <= 0) return undefined;
    const calls = open();
    return calls === null
      ? undefined
      : carry(calls, namesOf(list, descriptor), namesOf(list, into), descriptor, into);
  } finally {
    closeSync(descriptor);
  }
}

const accessList = "system.posix_acl_access";

function carry(
  calls: Calls,
  names: readonly string[],
  inherited: readonly string[],
  from: number,
  into: number,
): string | undefined {
  const failed = (name: string) => `its attribute ${name} cannot be kept (${reasonOf(calls.errno())})`;
  if (inherited.includes(accessList) && !names.includes(accessList) && calls.remove(into, accessList) !== 0)
    return failed(accessList);
  for (const name of names.filter(isCarried)) {
    const value = calls.get(from, name);
    if (value === null || calls.get(into, name)?.equals(value)) continue;
    if (calls.set(into, name, value) !== 0 && !name.startsWith("security.")) return failed(name);
  }
  return undefined;
}

/** By Linux's numbers. */
function reasonOf(errno: number): string {
  const names: Readonly<Record<number, string>> = {
    1: "EPERM",
    13: "EACCES",
    28: "ENOSPC",
    95: "ENOTSUP",
    122: "EDQUOT",
  };
  return names[errno] ?? `errno ${errno}`;
}

/** A capability is like setuid; and what measures the old content does not hold of the new. */
function isCarried(name: string): boolean {
  if (name === accessList || name.startsWith("user.")) return true;
  return (
    name.startsWith("security.") && !["security.capability", "security.ima", "security.evm"].includes(name)
  );
}

/** The largest list of names, and the largest value (xattr(7)). */
const largest = 65_536;

type List = (descriptor: number, names: Uint8Array | null, size: number) => number;

function namesOf(list: List, descriptor: number): readonly string[] {
  const names = Buffer.alloc(largest);
  const length = list(descriptor, names, largest);
  return names.toString("latin1", 0, Math.max(0, length)).split("\0").slice(0, -1);
}

interface Calls {
  /** Null if there is none, or it cannot be read. */
  get(descriptor: number, name: string): Buffer | null;
  /** 0, or -1: then `errno()` says why. */
  set(descriptor: number, name: string, value: Buffer): number;
  remove(descriptor: number, name: string): number;
  errno(): number;
}

/** By themselves, and late: few files have attributes. */
function open(): Calls | null {
  const functions = linuxFunctions(signatures);
  if (functions === null) return null;
  const { fgetxattr, fsetxattr, fremovexattr } = functions;
  return {
    get: (descriptor, name) => {
      const value = Buffer.alloc(largest);
      const length = fgetxattr(descriptor, ended(name), value, largest);
      return length < 0 ? null : Buffer.from(value.subarray(0, length));
    },
    set: (descriptor, name, value) => fsetxattr(descriptor, ended(name), value, value.length, 0),
    remove: (descriptor, name) => fremovexattr(descriptor, ended(name)),
    errno: libc()?.errno ?? (() => 0),
  };
}

// What is longer than an int is cut off, and none of these is: the largest value is 65,536.
const signatures = {
  fgetxattr: { args: ["i32", "ptr", "ptr", "usize"], returns: "i32" },
  fsetxattr: { args: ["i32", "ptr", "ptr", "usize", "i32"], returns: "i32" },
  fremovexattr: { args: ["i32", "ptr"], returns: "i32" },
} as const;

/** The name as C reads it; its bytes are those that the system gave. */
function ended(name: string): Buffer {
  return Buffer.from(`${name}\0`, "latin1");
}
