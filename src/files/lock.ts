/** An advisory lock on an open file. */
import { libc } from "../process/libc.ts";

/** What became of a try: "unavailable" where the system or the file system has no such lock. */
export type LockAnswer = "locked" | "busy" | "unavailable";

/**
 * Tries to lock the open file `descriptor` for this process alone, without waiting (flock(2), exclusive).
 *
 * The lock ends when the descriptor is closed or the process ends, however it ends. It binds only those
 * who ask for it. Windows has no such call, some network file systems neither.
 */
export function tryLock(descriptor: number): LockAnswer {
  const calls = libc();
  if (calls === null) return "unavailable";
  for (;;) {
    if (calls.flock(descriptor, exclusive | withoutWaiting) === 0) return "locked";
    const reason = calls.errno();
    if (reason === interrupted) continue;
    return reason === wouldBlock() ? "busy" : "unavailable";
  }
}

const exclusive = 2;
const withoutWaiting = 4;
const interrupted = 4;

function wouldBlock(): number {
  return process.platform === "darwin" ? 35 : 11;
}
