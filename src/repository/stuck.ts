/** Git that would wait for ever, for the other end of a named pipe that stands where it reads a file. */
import { readFileSync } from "node:fs";

/** The watch over one Git process. */
export interface Watch {
  isStuck(): boolean;
  stop(): void;
}

const unwatched: Watch = { isStuck: () => false, stop: () => {} };

/**
 * Looks once a second whether the process waits in open(2) for the other end of a pipe, as it does over one that is
 * called `.gitignore` or that the configuration includes, and calls `onStuck` when it has done so for three seconds.
 * On Linux alone.
 */
export function watchForPipe(pid: number, onStuck: () => void): Watch {
  if (process.platform !== "linux") return unwatched;
  const one = { pid, looks: 0, onStuck };
  watched.add(one);
  timer ??= setInterval(lookAtAll, 1000).unref();
  return { isStuck: () => one.looks >= patience, stop: () => void watched.delete(one) };
}

interface Watched {
  readonly pid: number;
  readonly onStuck: () => void;
  /** In a row that found it waiting. */
  looks: number;
}

/** All by one timer: to start and stop one takes as long as a twentieth of what a process of Git does. */
const watched = new Set<Watched>();
let timer: NodeJS.Timeout | undefined;

function lookAtAll(): void {
  for (const each of watched) {
    each.looks = waitsForPipe(each.pid) ? each.looks + 1 : 0;
    if (each.looks === patience) each.onStuck();
  }
  if (watched.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

/** The first look can come at once. */
const patience = 4;

/** What of the kernel the process sleeps in (proc(5), /proc/pid/wchan): opening a pipe has a place of its own. */
function waitsForPipe(pid: number): boolean {
  try {
    return /^(?:wait_for_partner|fifo_open)/.test(readFileSync(`/proc/${pid}/wchan`, "latin1"));
  } catch {
    return false;
  }
}
