/** A file in memory for what a program writes that ends by itself. */
import { closeSync, fstatSync, readSync } from "node:fs";
import { libc } from "./libc.ts";

export interface MemoryFile {
  /** Open for writing; to be given to the program. */
  readonly descriptor: number;
  /** All that was written to it. */
  read(): Buffer;
  close(): void;
}

/**
 * On Linux, in place of a pipe: nothing has to be read while the program writes, and nobody who holds it keeps its end
 * from being seen. With it a process of Git takes 0.25 ms less. Null elsewhere, for a C library before glibc 2.27, and
 * where the system gives none.
 */
export function memoryFile(): MemoryFile | null {
  const descriptor = libc()?.memoryFile?.() ?? -1;
  if (descriptor < 0) return null;
  return { descriptor, read: () => contentOf(descriptor), close: () => closeSync(descriptor) };
}

/** Most of what is written is short, and one read tells that it was all. */
function contentOf(descriptor: number): Buffer {
  scratch ??= Buffer.allocUnsafeSlow(64 * 1024);
  const length = readSync(descriptor, scratch, 0, scratch.length, 0);
  if (length < scratch.length) return Buffer.from(scratch.subarray(0, length));
  const bytes = Buffer.alloc(fstatSync(descriptor).size);
  // A read gives 2 GiB at most.
  for (let at = 0, taken = -1; at < bytes.length && taken !== 0; at += taken)
    taken = readSync(descriptor, bytes, at, bytes.length - at, at);
  return bytes;
}

let scratch: Buffer | undefined;
