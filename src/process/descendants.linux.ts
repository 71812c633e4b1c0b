/** The command's processes on Linux: every descendant, also one that escaped. */
import { readdirSync, readFileSync } from "node:fs";
import { type Libc, libc } from "./libc.ts";
import { ownChildren } from "./own-children.ts";
import type { Descendants, Process, Table } from "./processes.ts";

/**
 * Makes this process a subreaper, PR_SET_CHILD_SUBREAPER of prctl(2): a descendant whose parents are gone,
 * a daemon for one, becomes a child of this process instead of init's, so that a walk down from here finds
 * it whatever session or group it moved to. Ends with `release`.
 *
 * Null where the kernel has no subreapers, or /proc does not list children (CONFIG_PROC_CHILDREN).
 */
export function linuxDescendants(): Descendants | null {
  const calls = libc();
  const self = readProcess(process.pid);
  const children = childrenOf(process.pid);
  if (calls?.prctl == null || self === null || children === null) return null;
  const there = children.length === 0 ? [] : descendantsOf(process.pid);
  const before = new Map(there.map(({ pid, started }) => [pid, started]));
  const wasSubreaper = isSubreaper(calls);
  if (calls.prctl(setChildSubreaper, 1) !== 0) return null;

  // The command began a session, and a process can enter no session but a new one: whatever is still in
  // ours was started by somebody else, and so was whatever was there before.
  const isStranger = (found: Stat) =>
    before.get(found.pid) === found.started || found.session === self.session || ownChildren.has(found.pid);

  return {
    reach: "tree",
    living: (leader) => living(calls, leader, isStranger),
    isAlive: ({ pid, started }) => {
      const now = readProcess(pid);
      return now !== null && now.started === started && !isDead(now);
    },
    release: () => {
      if (!wasSubreaper) calls.prctl?.(setChildSubreaper, 0);
    },
  };
}

const setChildSubreaper = 36;
const getChildSubreaper = 37;

function isSubreaper(calls: Libc): boolean {
  const answer = new Uint8Array(4);
  return calls.prctl?.(getChildSubreaper, answer) === 0 && answer.some((byte) => byte !== 0);
}

/**
 * Walks down from this process, past strangers, and reaps the dead among those it has adopted.
 *
 * A process that dies during the walk hands its children to this one, whose list has been read by then. So the
 * walk is repeated after each reaping; and, since the leader is not ours to reap but the runtime's, no walk
 * that finds nothing is believed before a second one finds nothing.
 */
function living(calls: Libc, leader: number, isStranger: (found: Stat) => boolean): readonly Process[] {
  for (let foundNone = false; ; ) {
    const found = descendantsOf(process.pid, isStranger);
    const adopted = found.filter((one) => one.parent === process.pid && one.pid !== leader && isDead(one));
    const reaped = adopted.filter(({ pid }) => calls.waitpid(pid, null, withoutHanging) === pid);
    if (reaped.length > 0) continue;
    const alive = found.filter((one) => !isDead(one));
    if (alive.length > 0 || foundNone) return alive;
    foundNone = true;
  }
}

const withoutHanging = 1;

function descendantsOf(root: number, isStranger: (found: Stat) => boolean = () => false): readonly Stat[] {
  const found = new Map<number, Stat>();
  const queue = [root];
  for (let parent = queue.pop(); parent !== undefined; parent = queue.pop()) {
    for (const pid of childrenOf(parent) ?? []) {
      const child = found.has(pid) ? null : readProcess(pid);
      if (child === null || isStranger(child)) continue;
      found.set(pid, child);
      queue.push(pid);
    }
  }
  return [...found.values()];
}

/**
 * Each thread lists the children it made itself: /proc/[pid]/task/[tid]/children of proc(5). Null if the
 * process is gone, or its threads list none because the kernel was built without. A thread that ended has
 * handed its children to another.
 */
function childrenOf(pid: number): readonly number[] | null {
  const threads = read(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  const lists = threads.map((thread) =>
    read(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1")),
  );
  const listed = lists.filter((list) => list !== null);
  return listed.length === 0 ? null : listed.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

function read<Value>(reading: () => Value): Value | null {
  try {
    return reading();
  } catch {
    return null;
  }
}

/** Every process of the system, for where children are not listed. A question takes some milliseconds. */
export const linuxTable: Table = {
  read: (pid) => {
    const found = readProcess(pid);
    return found === null || isDead(found) ? null : found;
  },
  members: (group) => pidsOf((each) => each.group === group),
  children: (parent) => pidsOf((each) => each.parent === parent),
};

function pidsOf(isWanted: (found: Stat) => boolean): readonly number[] {
  return everyProcess().flatMap((each) => (isWanted(each) ? [each.pid] : []));
}

/** Every process of the system that this one can see, zombies among them. */
export function everyProcess(): readonly Stat[] {
  const names = read(() => readdirSync("/proc")) ?? [];
  const found = names.filter((name) => /^\d+$/.test(name)).map((name) => readProcess(Number(name)));
  return found.filter((each) => each !== null);
}

export interface Stat extends Process {
  readonly state: string;
  readonly parent: number;
  readonly session: number;
}

export function isDead({ state }: Stat): boolean {
  return state === "Z" || state === "X";
}

/** When the process started, also if it has ended and was not asked after; undefined if there is none. */
export function startOf(pid: number): string | undefined {
  return readProcess(pid)?.started;
}

function readProcess(pid: number): Stat | null {
  const line = read(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  return line === null ? null : parseStat(line);
}

/** Reads /proc/[pid]/stat of proc(5). The name, in parentheses, may itself hold parentheses and blanks. */
export function parseStat(line: string): Stat | null {
  const [opening, closing] = [line.indexOf("("), line.lastIndexOf(")")];
  const fields = line.slice(closing + 2).split(" ");
  const [state, parent, group, session] = fields;
  const started = fields[startTimeField];
  if (opening < 0 || state === undefined || started === undefined) return null;
  return {
    pid: Number(line.slice(0, opening)),
    name: line.slice(opening + 1, closing),
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started,
  };
}

// starttime is field 22 of the line, counted from 1; the list here begins at field 3.
const startTimeField = 22 - 3;
