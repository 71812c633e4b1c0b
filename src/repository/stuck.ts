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
  let looks = 0;
  const timer = setInterval(() => {
    looks = waitsForPipe(pid) ? looks + 1 : 0;
    if (looks === patience) onStuck();
  }, 1000);
  return { isStuck: () => looks >= patience, stop: () => clearInterval(timer) };
}

const patience = 3;

/** What of the kernel the process sleeps in (proc(5), /proc/pid/wchan): opening a pipe has a place of its own. */
function waitsForPipe(pid: number): boolean {
  try {
    return /^(?:wait_for_partner|fifo_open)/.test(readFileSync(`/proc/${pid}/wchan`, "latin1"));
  } catch {
    return false;
  }
}
