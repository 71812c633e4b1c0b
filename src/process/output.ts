/** A pipe from a command to a sink. */
import { closeSync } from "node:fs";
import { type Libc, libc } from "./libc.ts";
import { pause } from "./pause.ts";
import { readable, type Sink } from "./sinks.ts";

/**
 * A pipe whose writing end a child can be given. Null when the system has no descriptors left.
 *
 * A real pipe, because the runtime's own "pipe" is a socket pair, and a child that opens /dev/stderr on a
 * socket fails; not a file, because such an open truncates a file.
 */
export function openPipe(): OutputPipe | null {
  const calls = libc();
  const ends = calls?.pipe() ?? null;
  if (calls === null || ends === null) return null;
  const [reading, writing] = ends;
  return {
    writing,
    closeWriting: () => closeSync(writing),
    closeReading: () => closeSync(reading),
    drainInto: (sink, cut) => drain(calls, reading, sink, cut),
  };
}

export interface OutputPipe {
  /** The descriptor for the child. */
  readonly writing: number;
  closeWriting(): void;
  closeReading(): void;
  /** Begins to hand everything that comes to the sink, chunk by chunk. */
  drainInto(sink: Sink, cut: AbortSignal): Drain;
}

export interface Drain {
  /**
   * Takes what is in the pipe now and stops, whoever still holds the other end. Waits for the sink until
   * the drain's `cut` is aborted, never for the pipe.
   */
  finish(): Promise<void>;
}

/**
 * The runtime's stream over the descriptor, which waits in the event loop. Measured against asking poll(2)
 * from a timer that backs off to 20 ms: 1 GB in 0.45 s instead of 8 s, a line arrives within 1 ms instead
 * of 8, and an idle second costs nothing instead of 5 ms of processor time. It reads no further than one
 * chunk of 64 KiB ahead of the sink, and works on a duplicate of the descriptor.
 */
function drain(calls: Libc, reading: number, sink: Sink, cut: AbortSignal): Drain {
  const reader = Bun.file(reading).stream().getReader();
  let waiting = true;
  let ended = false;
  let received = 0;
  let bug: { readonly error: unknown } | null = null;

  async function readAll(): Promise<void> {
    for (;;) {
      waiting = true;
      const { value, done } = await reader.read();
      waiting = false;
      if (done) break;
      received += value.length;
      await deliver(value);
    }
    ended = true;
  }

  // A sink that throws is a bug, to be heard of once the tree is down: until then the pipe is drained.
  async function deliver(chunk: Uint8Array): Promise<void> {
    if (bug !== null) return;
    try {
      await sink(chunk, cut);
    } catch (error) {
      bug = { error };
    }
  }

  async function finish(): Promise<void> {
    const limit = received + mostAPipeHolds;
    const isEmpty = () => waiting && !readable(calls, reading);
    while (!ended && received < limit) {
      if (isEmpty()) {
        await pause(0);
        if (isEmpty()) break;
      }
      await Promise.race([all, pause(1)]);
    }
    await reader.cancel();
    await all;
    if (bug !== null) throw bug.error;
  }

  const all = readAll();
  return { finish };
}

// F_SETPIPE_SZ goes up to 1 MiB (/proc/sys/fs/pipe-max-size). More than that was written after the tree was
// down, by somebody outside it who would keep us here for ever.
const mostAPipeHolds = 1024 * 1024 + 2 * 65536;
