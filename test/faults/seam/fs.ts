/**
 * `node:fs` for `src` in the test build: the same calls, each through its boundary. What the runtime does in several
 * calls of the system (writing a file, copying, removing a tree) is taken apart into them. A name that is not here
 * and that `src` imports fails the build.
 */
import * as real from "node:fs";
import { dirname, join } from "node:path";
import { type Call, pass } from "./boundary.ts";

export const constants = real.constants;

type Path = string | Buffer;

/** What each open descriptor leads to. */
const opened = new Map<number, string>([
  [0, "stdin"],
  [1, "stdout"],
  [2, "stderr"],
]);

/** The name of what is open. */
export function nameOfDescriptor(descriptor: number): string {
  return opened.get(descriptor) ?? "descriptor";
}

function nameOf(path: Path | number | URL): string {
  if (typeof path === "number") return nameOfDescriptor(path);
  const text = path.toString();
  const [, descriptor, rest] = /^\/proc\/self\/fd\/(\d+)(\/.*)?$/.exec(text) ?? [];
  return descriptor === undefined ? text : `${nameOfDescriptor(Number(descriptor))}${rest ?? ""}`;
}

function passing<Act extends (path: never, ...rest: never[]) => unknown>(call: Call, act: Act): Act {
  const passed = (path: Path | number, ...rest: readonly unknown[]) =>
    pass(call, nameOf(path), () =>
      (act as unknown as (...all: readonly unknown[]) => unknown)(path, ...rest),
    );
  return passed as unknown as Act;
}

export const accessSync = passing("stat", real.accessSync);
export const chmodSync = passing("chmod", real.chmodSync);
export const fchmodSync = passing("chmod", real.fchmodSync);
export const fchownSync = passing("chown", real.fchownSync);
export const fstatSync = passing("stat", real.fstatSync);
export const fsyncSync = passing("sync", real.fsyncSync);
export const lstatSync = passing("stat", real.lstatSync);
export const readSync = passing("read", real.readSync);
export const readdirSync = passing("list", real.readdirSync);
export const readlinkSync = passing("stat", real.readlinkSync);
export const realpathSync = Object.assign(passing("stat", real.realpathSync as (path: string) => string), {
  native: passing("stat", real.realpathSync.native as (path: string) => string),
});
export const rmdirSync = passing("rmdir", real.rmdirSync as (path: Path) => void);
export const statSync = passing("stat", real.statSync);
export const unlinkSync = passing("unlink", real.unlinkSync as (path: Path) => void);
export const utimesSync = passing("utimes", real.utimesSync as (path: Path, at: number, mt: number) => void);

/** Beside other work; what goes wrong is told later. */
export function fsync(descriptor: number, done: (error: unknown) => void): void {
  try {
    pass("sync", nameOfDescriptor(descriptor), () => real.fsync(descriptor, done));
  } catch (error) {
    setTimeout(done, 1, error);
  }
}

export function rm(path: string, options: RemoveOptions, done: (error: unknown) => void): void {
  try {
    pass("unlink", path, () => real.rm(path, options, done));
  } catch (error) {
    setTimeout(done, 1, error);
  }
}

/** As in the runtime, whatever goes wrong is an absence. */
export function existsSync(path: string): boolean {
  try {
    pass("stat", nameOf(path), () => real.statSync(path));
    return true;
  } catch {
    return false;
  }
}

export function linkSync(from: string, to: string): void {
  pass("link", nameOf(to), () => real.linkSync(from, to));
}

export function renameSync(from: Path, to: Path): void {
  pass("rename", nameOf(to), () => real.renameSync(from, to));
}

export function mkdtempSync(prefix: string): string {
  return pass("mkdir", `${prefix}XXXXXX`.replace(/X{6}$/, "AAAAAA"), () => real.mkdtempSync(prefix));
}

export function mkdirSync(
  path: string,
  options: { readonly recursive?: boolean; readonly mode?: number } = {},
): void {
  if (options.recursive === true) {
    if (real.existsSync(path)) return;
    mkdirSync(dirname(path), { recursive: true });
  }
  pass("mkdir", nameOf(path), () => real.mkdirSync(path, { mode: options.mode ?? 0o777 }));
}

export function openSync(path: string, flags: string | number, mode?: number): number {
  const makes = typeof flags === "number" ? (flags & constants.O_CREAT) !== 0 : /[wa]/.test(flags);
  return pass(makes ? "create" : "open", nameOf(path), () => {
    const descriptor = real.openSync(path, flags, mode);
    opened.set(descriptor, nameOf(path));
    if (makes) written.add(descriptor);
    return descriptor;
  });
}

/** Descriptors whose closing may report that what was written is lost, as network file systems do. */
const written = new Set<number>();

export function closeSync(descriptor: number): void {
  const name = nameOfDescriptor(descriptor);
  opened.delete(descriptor);
  const close = () => real.closeSync(descriptor);
  // The descriptor is gone also when closing it fails: close(2).
  if (written.delete(descriptor)) pass("close", name, close, close);
  else close();
}

export function writeSync(
  descriptor: number,
  data: string | Uint8Array,
  offset = 0,
  length?: number,
): number {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  const count = length ?? bytes.length - offset;
  return pass(
    "write",
    nameOfDescriptor(descriptor),
    () => real.writeSync(descriptor, bytes, offset, count),
    () => real.writeSync(descriptor, bytes, offset, Math.floor(count / 2)),
  );
}

export function appendFileSync(path: string, data: string): void {
  writeWhole(path, Buffer.from(data), { flag: "a" });
}

interface WriteOptions {
  readonly mode?: number;
  readonly flag?: string;
}

export function writeFileSync(path: string, data: string | Uint8Array, options: WriteOptions = {}): void {
  writeWhole(path, typeof data === "string" ? Buffer.from(data) : data, options);
}

function writeWhole(path: string, bytes: Uint8Array, { mode = 0o666, flag = "w" }: WriteOptions): void {
  const descriptor = openSync(path, flag, mode);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
  } finally {
    closeSync(descriptor);
  }
}

export function copyFileSync(from: string, to: string, mode = 0): void {
  const flag = (mode & constants.COPYFILE_EXCL) !== 0 ? "wx" : "w";
  const { mode: bits } = real.statSync(from);
  writeWhole(to, readFileSync(from), { flag, mode: bits & 0o777 });
}

export function readFileSync(path: string): Buffer;
export function readFileSync(path: string, encoding: BufferEncoding): string;
export function readFileSync(path: string, encoding?: BufferEncoding): Buffer | string {
  const bytes = pass("open", nameOf(path), () => real.openSync(path, "r"));
  try {
    return pass("read", nameOf(path), () =>
      encoding === undefined ? real.readFileSync(bytes) : real.readFileSync(bytes, encoding),
    );
  } finally {
    real.closeSync(bytes);
  }
}

interface RemoveOptions {
  readonly recursive?: boolean;
  readonly force?: boolean;
}

export function rmSync(path: string, options: RemoveOptions = {}): void {
  try {
    if (options.recursive === true && real.lstatSync(path).isDirectory()) {
      for (const name of readdirSync(path)) rmSync(join(path, name as string), options);
      rmdirSync(path);
    } else {
      unlinkSync(path);
    }
  } catch (error) {
    // Somebody else was faster.
    if (options.force !== true || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
