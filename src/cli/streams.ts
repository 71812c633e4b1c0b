/** The one place that writes to the process's standard streams. */
import { fstatSync, readFileSync, writeSync } from "node:fs";

/**
 * Writes the machine-readable result to stdout, whole. False if it is closed, its reader gone or the device
 * full: the caller then exits 1.
 *
 * A synchronous loop, because an asynchronous write followed by an exit is cut at the pipe's capacity.
 */
export function writeResult(text: string): boolean {
  return text === "" || (!isStandIn(1) && writeAll(1, text));
}

/**
 * Whether `descriptor` was closed when the process started: the runtime opens /dev/null in its place, which
 * takes everything. Linux can tell, since a descriptor that was handed down never bears O_CLOEXEC (execve(2)),
 * and shows that flag in /proc/self/fdinfo (proc(5)).
 */
export function isStandIn(descriptor: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"));
    return (Number.parseInt(flags?.[1] ?? "0", 8) & closeOnExec) !== 0;
  } catch {
    return false;
  }
}

const closeOnExec = 0o2000000;

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
