/** The one place that writes to the process's standard streams. */
import { writeSync } from "node:fs";

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
export function patiently(transfer: () => number): number | undefined {
  for (;;) {
    try {
      return transfer();
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return undefined;
      Bun.sleepSync(1);
    }
  }
}
