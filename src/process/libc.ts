/**
 * The few calls of the C library that the engine needs and the runtime does not offer.
 *
 * Opened at the first call (0.5 ms), so that operations which start no process pay nothing. None of the
 * functions is variadic: those take their arguments differently on Apple arm64, where a foreign call
 * to them passes garbage.
 */

/** The C library of this system, or null where there is none that is known. */
export function libc(): Libc | null {
  if (opened === undefined) opened = open();
  return opened;
}

/** Every function returns what the C function does; -1 is a failure, then `errno()` names it. */
export interface Libc {
  poll(entries: Uint8Array, count: number, milliseconds: number): number;
  waitpid(pid: number, status: null, options: number): number;
  flock(descriptor: number, operation: number): number;
  /** Gives the previous disposition: 0 default, 1 ignored, else the address of a handler. */
  signal(signal: number, disposition: number | bigint): number | bigint;
  errno(): number;
  /** Two descriptors, reading end first, that no child inherits. Null when there are none left. */
  pipe(): readonly [number, number] | null;
  /** A new file in memory that no child inherits, or -1. Null but on Linux, and before glibc 2.27. */
  readonly memoryFile: (() => number) | null;
  /** Linux alone; null elsewhere. */
  readonly prctl: ((option: number, argument: number | Uint8Array) => number) | null;
  /** Linux alone; null elsewhere. */
  readonly flistxattr: ((descriptor: number, names: Uint8Array | null, size: number) => number) | null;
}

let opened: Libc | null | undefined;

const shared = {
  poll: { args: ["ptr", "u32", "i32"], returns: "i32" },
  waitpid: { args: ["i32", "ptr", "i32"], returns: "i32" },
  flock: { args: ["i32", "i32"], returns: "i32" },
  signal: { args: ["i32", "usize"], returns: "usize" },
} as const;

const linux = {
  ...shared,
  pipe2: { args: ["ptr", "i32"], returns: "i32" },
  flistxattr: { args: ["i32", "ptr", "usize"], returns: "i32" },
  prctl: { args: ["i32", "usize", "usize", "usize", "usize"], returns: "i32" },
  __errno_location: { args: [], returns: "ptr" },
} as const;

const newerLinux = { ...linux, memfd_create: { args: ["ptr", "u32"], returns: "i32" } } as const;

const macos = {
  ...shared,
  pipe: { args: ["ptr"], returns: "i32" },
  __error: { args: [], returns: "ptr" },
} as const;

function open(): Libc | null {
  if (process.platform === "linux") return openLinux();
  if (process.platform === "darwin") return openMacos();
  return null;
}

/** What functions take and give, as `bun:ffi` has it. */
type Signatures = Parameters<typeof import("bun:ffi").dlopen>[1];
type Functions<Declared extends Signatures> = ReturnType<
  typeof import("bun:ffi").dlopen<Declared>
>["symbols"];

// glibc's name, then musl's, which carries the processor.
const linuxNames = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

/** These functions of Linux's C library; null if it is another system, or a library that lacks one of them. */
export function linuxFunctions<Declared extends Signatures>(
  signatures: Declared,
): Functions<Declared> | null {
  if (process.platform !== "linux") return null;
  const { dlopen }: typeof import("bun:ffi") = require("bun:ffi");
  for (const name of linuxNames) {
    try {
      return dlopen(name, signatures).symbols;
    } catch {
      // Another C library, then.
    }
  }
  return null;
}

function openLinux(): Libc | null {
  const newer = linuxFunctions(newerLinux);
  // An older C library has all that the engine cannot do without.
  const calls = newer ?? linuxFunctions(linux);
  if (calls === null) return null;
  const ffi: typeof import("bun:ffi") = require("bun:ffi");
  return {
    ...calls,
    errno: () => errnoAt(ffi, calls.__errno_location()),
    pipe: () => pair((ends) => calls.pipe2(ends, closeOnExec)),
    memoryFile: newer === null ? null : () => newer.memfd_create(memoryName, memoryCloseOnExec),
    prctl: (option, argument) => calls.prctl(option, wordOf(ffi, argument), 0, 0, 0),
  };
}

// MFD_CLOEXEC of memfd_create(2), and the name that /proc shows.
const memoryCloseOnExec = 1;
const memoryName = Buffer.from("satyrn-engine\0");

// O_CLOEXEC of Linux, the same on x86-64 and arm64; node:fs does not name it.
const closeOnExec = 0o2000000;

function openMacos(): Libc | null {
  const ffi: typeof import("bun:ffi") = require("bun:ffi");
  try {
    const calls = ffi.dlopen("/usr/lib/libSystem.B.dylib", macos).symbols;
    return {
      ...calls,
      errno: () => errnoAt(ffi, calls.__error()),
      // The runtime spawns with POSIX_SPAWN_CLOEXEC_DEFAULT there: a child gets what it is given, no more.
      pipe: () => pair((ends) => calls.pipe(ends)),
      prctl: null,
      memoryFile: null,
      flistxattr: null,
    };
  } catch {
    return null;
  }
}

function pair(make: (ends: Int32Array) => number): readonly [number, number] | null {
  const ends = new Int32Array([-1, -1]);
  if (make(ends) !== 0) return null;
  const [reading = -1, writing = -1] = ends;
  return [reading, writing];
}

function wordOf(ffi: typeof import("bun:ffi"), argument: number | Uint8Array): number {
  return typeof argument === "number" ? argument : ffi.ptr(argument);
}

function errnoAt(ffi: typeof import("bun:ffi"), location: number | bigint | null): number {
  return location === null ? 0 : ffi.read.i32(location, 0);
}
