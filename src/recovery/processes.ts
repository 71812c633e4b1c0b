/** The processes around a private folder whose engine is gone. Linux. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Leader } from "../files/owner.ts";
import { everyProcess, isDead, linuxTable, type Stat } from "../process/descendants.linux.ts";
import { pause } from "../process/pause.ts";
import { tearDown } from "../process/teardown.ts";

/**
 * The processes that the engine started for the folder: those that were given a path in it by a variable of the
 * engine's own, which no other process has, and the session of the command while its leader is the process that
 * was recorded. A number alone proves nothing, it may have passed to another process.
 */
export function remainsOf(folder: string, leader: Leader | null): readonly Stat[] {
  const isLed = leader !== null && linuxTable.read(leader.pid)?.started === leader.started;
  return living().filter((each) => (isLed && each.session === leader.pid) || isMarked(each.pid, folder));
}

/** Ends them: SIGTERM, two seconds, SIGKILL. Gives those that could not be ended. */
export async function endRemains(folder: string, leader: Leader | null): Promise<readonly Stat[]> {
  const watch = {
    reach: "tree" as const,
    living: () => remainsOf(folder, leader),
    isAlive: (each: { readonly pid: number; readonly started: string }) =>
      linuxTable.read(each.pid)?.started === each.started,
    release: () => {},
  };
  if (watch.living().length === 0) return [];
  // The leader is nobody's child here: its number may pass on at any moment, so no signal goes to its group.
  await tearDown(
    watch,
    { pid: leader?.pid ?? 0, isUnreaped: () => false },
    { signal: "SIGTERM", grace: 2000 },
  );
  return watch.living();
}

/**
 * Other processes that are in the folder, hold a file of it open, or were asked to work on it; and what is left of the
 * session of a leader that is gone, which may be of a user whose processes cannot be looked into. A session's number
 * passes on when nobody is in it, so that proves too little to end a process, and enough to keep what it may use.
 */
export function usersOf(folder: string, leader: Leader | null, remains: readonly Stat[]): readonly Stat[] {
  const isOrphaned = leader !== null && linuxTable.read(leader.pid) === null;
  return living().filter(
    ({ pid, session }) =>
      !remains.some((each) => each.pid === pid) &&
      ((isOrphaned && session === leader.pid) || isUsing(pid, folder)),
  );
}

/** Those that still are after two seconds: a Git process of the engine's ends by itself. */
export async function usersStaying(folder: string, leader: Leader | null): Promise<readonly Stat[]> {
  for (let waited = 0; ; waited += 50) {
    const users = usersOf(folder, leader, []);
    if (users.length === 0 || waited >= 2000) return users;
    await pause(50);
  }
}

function living(): readonly Stat[] {
  return everyProcess().filter((each) => each.pid !== process.pid && !isDead(each));
}

const markingVariables =
  /^(?:SATYRN_CONTRACT|SATYRN_MUTATION_CONTEXT|GIT_WORK_TREE|GIT_INDEX_FILE|GIT_OBJECT_DIRECTORY)=/;

function isMarked(pid: number, folder: string): boolean {
  const variables = textOf(`/proc/${pid}/environ`).split("\0");
  return variables.some((each) => markingVariables.test(each) && each.includes(`${folder}/`));
}

function isUsing(pid: number, folder: string): boolean {
  const isInside = (path: string) => path === folder || path.startsWith(`${folder}/`);
  if (textOf(`/proc/${pid}/cmdline`).includes(folder)) return true;
  return ["cwd", "root", "exe", ...descriptors(pid)].some((name) => isInside(linkOf(`/proc/${pid}/${name}`)));
}

function descriptors(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => `fd/${name}`);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
