/** A pipe from a command to a sink, on Windows. */
import { closeSync, constants, openSync } from "node:fs";
import { type Kernel32, kernel32 } from "./kernel32.ts";
import { type Channel, type Drain, mostAPipeHolds, untilBug } from "./output.ts";
import { pause } from "./pause.ts";
import type { Sink } from "./sinks.ts";

/**
 * A named pipe of one instance: its reading end is a handle, its writing end a descriptor that a child can be given,
 * for both its streams. Null where the system's calls are not to be had, or give none.
 *
 * An anonymous pipe has no writing end that the runtime knows: its descriptors are a table of its own, which only
 * what it opens by name gets into. No other process can open this one: the name is random, the system refuses a name that
 * is there already, and the one instance is taken at once.
 */
export function openNamedPipe(): Channel | null {
  const calls = kernel32();
  if (calls === null) return null;
  const name = `\\\\.\\pipe\\satyrn-engine-${crypto.randomUUID()}`;
  const terminated = Buffer.from(`${name}\0`, "utf16le");
  const mode = inbound | firstInstance;
  const reading = calls.CreateNamedPipeW(terminated, mode, rejectRemote, 1, capacity, capacity, 0, null);
  if (reading === invalidHandle) return null;
  const writing = opened(name);
  if (writing === null) {
    calls.CloseHandle(reading);
    return null;
  }
  return {
    stdio: writing,
    handedOver: () => closeSync(writing),
    drainInto: (sink, cut) => drainPolled(reader(calls, reading), sink, cut),
    close: () => calls.CloseHandle(reading),
  };
}

function opened(name: string): number | null {
  try {
    return openSync(name, constants.O_WRONLY);
  } catch {
    return null;
  }
}

type Taken = Uint8Array | "nothing yet" | "the end";

/** Takes what is in the pipe, and never waits: a read of what is known to be there does not block its only reader. */
function reader(calls: Kernel32, pipe: bigint): () => Taken {
  const chunk = new Uint8Array(65536);
  const count = new Uint32Array(1);
  return () => {
    if (calls.PeekNamedPipe(pipe, null, 0, null, count, null) === 0) return "the end";
    const held = count[0] ?? 0;
    if (held === 0) return "nothing yet";
    if (calls.ReadFile(pipe, chunk, Math.min(held, chunk.length), count, null) === 0) return "the end";
    return chunk.subarray(0, count[0] ?? 0);
  };
}

/** Asks again and again: the runtime waits for no handle that is not its own. */
function drainPolled(take: () => Taken, sink: Sink, cut: AbortSignal): Drain {
  const finishing = new AbortController();
  let giveUp = Number.POSITIVE_INFINITY;
  const delivery = untilBug(sink, cut);

  async function readAll(): Promise<void> {
    let wait = 1;
    let last = 0;
    while (last < mostAPipeHolds) {
      const taken = take();
      if (taken === "the end") return;
      if (taken === "nothing yet") {
        if (performance.now() > giveUp) return;
        await pause(wait, Number.isFinite(giveUp) ? undefined : finishing.signal);
        wait = Number.isFinite(giveUp) ? 1 : Math.min(wait * 2, longestWait);
      } else {
        if (finishing.signal.aborted) last += taken.length;
        await delivery.deliver(taken);
        // A program that never stops printing must not keep deadlines from being noticed.
        await new Promise<void>((resolve) => setImmediate(resolve));
        wait = 1;
      }
    }
  }

  const all = readAll();
  return {
    finish: async () => {
      giveUp = performance.now() + longestWaitForEnd;
      finishing.abort();
      await all;
      delivery.throwBug();
    },
  };
}

const longestWait = 16;

// The end comes once the system has closed what the ended processes held, their working directory too, which cannot be
// removed before. Somebody outside the tree may keep it from coming.
const longestWaitForEnd = 250;

// winbase.h
const inbound = 0x1;
const firstInstance = 0x80000;
const rejectRemote = 0x8;
const capacity = 65536;
const invalidHandle = 0xffff_ffff_ffff_ffffn;
