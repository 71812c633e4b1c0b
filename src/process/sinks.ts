/** Where a command's output goes. */
import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { type Libc, libc } from "./libc.ts";
import { pause } from "./pause.ts";

/**
 * Takes one chunk of output. The chunk is the sink's to read until the returned promise settles (at once, if
 * it returns none); output is not read on before that, so that a slow sink slows the command and memory
 * stays flat. Once `cut` is aborted a sink drops what it cannot take without waiting. It never throws.
 */
export type Sink = (chunk: Uint8Array, cut: AbortSignal) => void | Promise<void>;

/** A sink that keeps the last `limit` bytes, and a look at what it has kept. */
export function keepLast(limit: number): { readonly sink: Sink; kept(): Kept } {
  let bytes = new Uint8Array(0);
  let truncated = false;
  return {
    sink: (chunk) => {
      truncated ||= bytes.length + chunk.length > limit;
      const older = bytes.subarray(Math.max(0, bytes.length + chunk.length - limit));
      const newer = chunk.subarray(Math.max(0, chunk.length - limit));
      const joined = new Uint8Array(older.length + newer.length);
      joined.set(older);
      joined.set(newer, older.length);
      bytes = joined;
    },
    kept: () => ({ bytes, truncated }),
  };
}

export interface Kept {
  readonly bytes: Uint8Array;
  /** Whether anything before these bytes was dropped. */
  readonly truncated: boolean;
}

/**
 * A sink that writes to one of the engine's own descriptors and never blocks the engine, so that a deadline
 * stays a deadline when nobody reads. A descriptor that is closed, or fails, swallows everything from then
 * on, and `onGone` is told. The flags of the open file, which the engine shares with its caller, are left alone.
 */
export function forward(descriptor: number, onGone: () => void = () => {}): Sink {
  let target: Target | null | undefined;
  return async (chunk, cut) => {
    if (target === undefined) {
      target = targetOf(descriptor);
      if (target === null) onGone();
    }
    let written = 0;
    let wait = 1;
    while (target !== null && written < chunk.length) {
      const taken = offer(target, chunk.subarray(written), wait === 1 ? briefWait : 0);
      if (taken === "gone") {
        target.release();
        target = null;
        onGone();
      } else if (taken === "full") {
        if (cut.aborted) return;
        await pause(wait, cut);
        wait = Math.min(wait * 2, longestWait);
      } else {
        written += taken;
        wait = 1;
      }
    }
  };
}

const longestWait = 50;

// A reader that keeps up empties a full pipe within this many milliseconds. To sit it out in poll(2), which
// holds up the event loop, moves 1 GB in 1.2 s; coming back by timer took 16 s and more.
const briefWait = 2;

interface Target {
  readonly descriptor: number;
  /** The most bytes one write may hold. */
  readonly atOnce: number;
  release(): void;
}

// POSIX: a pipe that poll(2) calls writable takes PIPE_BUF bytes without blocking: 4096 on Linux, 512 at least.
const pipeBuffer = process.platform === "linux" ? 4096 : 512;

/**
 * The pipe or terminal behind `descriptor`, opened anew where the system can (Linux: /proc/self/fd), which
 * gives flags of our own: then non-blocking is safe to set, and no writer that shares the pipe can take the
 * room between the question and the write. Elsewhere writes are kept small enough not to block.
 */
function targetOf(descriptor: number): Target | null {
  const unowned = { descriptor, release: () => {} };
  try {
    const kind = fstatSync(descriptor);
    if (kind.isFile()) return { ...unowned, atOnce: 65536 };
    if (!kind.isFIFO() && !kind.isCharacterDevice()) return { ...unowned, atOnce: pipeBuffer };
  } catch {
    return null;
  }
  // Elsewhere the name is nobody's, or anybody's who may make folders at the root of a drive.
  if (process.platform !== "linux") return { ...unowned, atOnce: pipeBuffer };
  try {
    const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
    const own = openSync(`/proc/self/fd/${descriptor}`, flags);
    return { descriptor: own, atOnce: 65536, release: () => closeSync(own) };
  } catch {
    return { ...unowned, atOnce: pipeBuffer };
  }
}

function offer(target: Target, bytes: Uint8Array, patience: number): number | "full" | "gone" {
  const calls = libc();
  if (calls !== null && !isReady(calls, target.descriptor, pollOut, patience)) return "full";
  try {
    return writeSync(target.descriptor, bytes, 0, Math.min(bytes.length, target.atOnce));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    return code === "EAGAIN" || code === "EINTR" ? "full" : "gone";
  }
}

const pollIn = 1;
const pollOut = 4;

/** Whether reading the descriptor would not block: there are bytes, or the other end is closed. */
export function readable(calls: Libc, descriptor: number): boolean {
  return isReady(calls, descriptor, pollIn, 0);
}

// struct pollfd: int fd; short events; short revents. An error or a hang-up counts as ready.
function isReady(calls: Libc, descriptor: number, events: number, milliseconds: number): boolean {
  const entry = new Uint8Array(8);
  const view = new DataView(entry.buffer);
  view.setInt32(0, descriptor, true);
  view.setInt16(4, events, true);
  return calls.poll(entry, 1, milliseconds) > 0;
}
