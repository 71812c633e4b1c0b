/** The one place that reads and writes the process's standard streams. */
import { readSync, writeSync } from "node:fs";

/**
 * Writes the machine-readable result to stdout, whole. False if the reader is gone or the device is full:
 * the caller then exits 1.
 *
 * A synchronous loop, because an asynchronous write followed by an exit is cut at the pipe's capacity.
 */
export function writeResult(text: string): boolean {
  return writeAll(1, text);
}

/** Writes one line for people to stderr. A stderr that cannot be written changes nothing. */
export function writeNote(line: string): void {
  writeAll(2, `${line}\n`);
}

/** All of stdin, but no more than `maxBytes`. A stdin that cannot be read holds nothing. */
export function readInput(maxBytes: number): Uint8Array {
  let buffer = Buffer.allocUnsafe(Math.min(1 << 16, maxBytes));
  let length = 0;
  for (;;) {
    const count = patiently(() => readSync(0, buffer, length, buffer.length - length, null));
    length += count ?? 0;
    if (!count || length === maxBytes) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafe(Math.min(buffer.length * 2, maxBytes));
    buffer.copy(larger);
    buffer = larger;
  }
}

function writeAll(descriptor: number, text: string): boolean {
  const bytes = Buffer.from(text, "utf8");
  let written = 0;
  while (written < bytes.length) {
    const count = patiently(() => writeSync(descriptor, bytes, written));
    if (count === undefined) return false;
    written += count;
  }
  return true;
}

/** The result of `transfer`, waiting while a non-blocking stream is not ready; undefined if it fails. */
function patiently(transfer: () => number): number | undefined {
  for (;;) {
    try {
      return transfer();
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return undefined;
      Bun.sleepSync(1);
    }
  }
}
