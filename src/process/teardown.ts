/** Ends a command's processes. POSIX. */

import { pause } from "./pause.ts";
import type { Descendants, Process } from "./processes.ts";
import type { Leader, Notice } from "./system.ts";

/**
 * Ends every process of the tree and gives those that could not be ended, empty if none lives.
 *
 * `notice` null means that the command ended by itself: what it left gets a moment to end as well (the `tee`
 * of a process substitution has output to write), then SIGTERM. After the notice's time, SIGKILL.
 */
export async function tearDown(
  watch: Descendants,
  leader: Leader,
  notice: Notice | null,
): Promise<readonly Process[]> {
  if (notice === null) {
    if (await endsWithin(watch, leader, momentToEnd, () => {})) return [];
    return tearDown(watch, leader, { signal: "SIGTERM", grace: leftoverGrace });
  }
  if (await endsWithin(watch, leader, notice.grace, notifier(watch, leader, notice.signal))) return [];
  return killAll(watch, leader);
}

const momentToEnd = 30;
const leftoverGrace = 500;
const killLimit = 5000;

async function endsWithin(
  watch: Descendants,
  leader: Leader,
  milliseconds: number,
  tell: (members: readonly Process[]) => void,
): Promise<boolean> {
  const end = performance.now() + milliseconds;
  for (let wait = 1; ; wait = Math.min(wait * 2, 20)) {
    const members = watch.living(leader.pid);
    if (members.length === 0) return true;
    tell(members);
    if (performance.now() >= end) return false;
    await pause(wait);
  }
}

/**
 * Sends the signal once to every process it is shown: to the group as a whole first, then one by one to those
 * outside it, and to those that come to light later. A stopped process is woken, to notice.
 */
function notifier(watch: Descendants, leader: Leader, signal: NodeJS.Signals) {
  const told = new Set<string>();
  return (members: readonly Process[]): void => {
    const asGroup = told.size === 0 && leader.isUnreaped() && wake(-leader.pid, signal);
    for (const member of members) {
      const name = `${member.pid} ${member.started}`;
      const isNew = !told.has(name);
      told.add(name);
      if (isNew && !(asGroup && member.group === leader.pid) && watch.isAlive(member))
        wake(member.pid, signal);
    }
  };
}

function wake(pid: number, signal: NodeJS.Signals): boolean {
  return send(pid, signal) && send(pid, "SIGCONT");
}

/**
 * Stops everything before killing anything: a stopped process starts no other, so that the list of them
 * becomes complete, also for a tree that forks without end. Repeated until a look finds none.
 */
async function killAll(watch: Descendants, leader: Leader): Promise<readonly Process[]> {
  const end = performance.now() + killLimit;
  for (let wait = 1; ; wait = Math.min(wait * 2, 20)) {
    const stopped = new Map<number, Process>();
    for (;;) {
      const fresh = watch.living(leader.pid).filter(({ pid }) => !stopped.has(pid));
      for (const member of fresh) {
        stopped.set(member.pid, member);
        if (watch.isAlive(member)) send(member.pid, "SIGSTOP");
      }
      if (fresh.length === 0) break;
    }
    if (stopped.size === 0) return [];
    for (const member of stopped.values()) if (watch.isAlive(member)) send(member.pid, "SIGKILL");
    if (performance.now() >= end) return watch.living(leader.pid);
    await pause(wait);
  }
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
