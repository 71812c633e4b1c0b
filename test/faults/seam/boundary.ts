/**
 * Where the executable meets the system, as a test sees it: every call has a name, and one of them can fail, stop
 * the process, or be the last thing it does. Is in the test build alone; what is to happen stands in the variable
 * `SATYRN_FAULT`, as JSON.
 */
import { existsSync, openSync, writeSync } from "node:fs";

/** What a call is about. */
export type Call =
  | "open"
  | "create"
  | "write"
  | "sync"
  | "close"
  | "rename"
  | "link"
  | "unlink"
  | "mkdir"
  | "rmdir"
  | "chmod"
  | "chown"
  | "utimes"
  | "read"
  | "list"
  | "stat"
  | "lock"
  | "pipe"
  | "spawn";

export type Failure = "ENOSPC" | "EACCES" | "EIO" | "EMFILE" | "ENOMEM";

/**
 * `... on`: also every later call that a full disk, or a full table of descriptors, makes fail. `git ...`: what
 * becomes of a Git process. `pause` stops the process (SIGSTOP) before the call, until it is continued.
 */
export type Fault =
  | Failure
  | "ENOSPC on"
  | "EMFILE on"
  | "kill before"
  | "kill midway"
  | "kill after"
  | "pause"
  | "git fails"
  | "git fails late"
  | "git is killed";

export interface Plan {
  /** The folder that holds all of the scene; names of boundaries leave it out. */
  readonly root: string;
  /** Receives the name of every boundary as it is met, one a line, `! ` before the one where the fault struck. */
  readonly log: string;
  /** The name of the boundary, and what happens there. */
  readonly at?: string;
  readonly fault?: Fault;
}

const plan = readPlan();
const log = plan === undefined ? -1 : openSync(plan.log, "a");

function readPlan(): Plan | undefined {
  const text = process.env["SATYRN_FAULT"];
  return text === undefined ? undefined : (JSON.parse(text) as Plan);
}

const met = new Map<string, number>();
let lasting: "ENOSPC on" | "EMFILE on" | undefined;

const needsSpace: readonly Call[] = ["create", "write", "mkdir"];
const needsDescriptor: readonly Call[] = ["open", "create", "pipe", "spawn"];

/** The fault that strikes at this call, if any does. Every call is asked for exactly once. */
export function faultAt(call: Call, path: string): Fault | undefined {
  if (plan === undefined) return undefined;
  const kind = `${call} ${shown(path, plan.root)}`;
  const occurrence = (met.get(kind) ?? 0) + 1;
  met.set(kind, occurrence);
  const name = occurrence === 1 ? kind : `${kind} #${occurrence}`;
  const strikes = name === plan.at;
  writeSync(log, `${strikes ? "! " : ""}${name}\n`);
  if (strikes && (plan.fault === "ENOSPC on" || plan.fault === "EMFILE on")) lasting = plan.fault;
  const fault = strikes ? plan.fault : lastingAt(call, path);
  return fault !== undefined && isSpared(call, path, fault) ? undefined : fault;
}

function lastingAt(call: Call, path: string): Failure | undefined {
  const isStream = path === "stdout" || path === "stderr";
  if (lasting === "ENOSPC on" && needsSpace.includes(call) && !isStream) return "ENOSPC";
  return lasting === "EMFILE on" && needsDescriptor.includes(call) ? "EMFILE" : undefined;
}

/** What is there already needs neither room nor permission: Linux looks for it first, and says EEXIST or opens it. */
function isSpared(call: Call, path: string, fault: Fault): boolean {
  if (!/^(ENOSPC|EACCES)/.test(fault) || (call !== "mkdir" && call !== "create")) return false;
  return existsSync(path);
}

/** Performs `act`, or what the fault makes of it. `half` does a part of what `act` would have done. */
export function pass<Value>(call: Call, path: string, act: () => Value, half: () => void = () => {}): Value {
  const fault = faultAt(call, path);
  switch (fault) {
    case undefined:
      return act();
    case "kill before":
      return die();
    case "kill midway":
      half();
      return die();
    case "kill after":
      return lastly(act);
    case "pause":
      process.kill(process.pid, "SIGSTOP");
      return act();
    default:
      half();
      throw failure(fault.split(" ")[0] as Failure, call, path);
  }
}

function lastly(act: () => unknown): never {
  try {
    act();
  } finally {
    die();
  }
  return die();
}

export function die(): never {
  process.kill(process.pid, "SIGKILL");
  writeSync(2, "this process is dead\n");
  throw new Error("SIGKILL did not end the process");
}

const numbers: Readonly<Record<Failure, readonly [number: number, words: string]>> = {
  EIO: [5, "i/o error"],
  ENOMEM: [12, "not enough memory"],
  EACCES: [13, "permission denied"],
  EMFILE: [24, "too many open files"],
  ENOSPC: [28, "no space left on device"],
};

export function errnoOf(name: Failure): number {
  return numbers[name][0];
}

/** The error as the runtime throws it. */
export function failure(code: Failure, call: Call, path: string): Error {
  const [errno, words] = numbers[code];
  return Object.assign(new Error(`${code}: ${words}, ${call} '${path}'`), {
    code,
    errno: -errno,
    syscall: call,
    path,
  });
}

/** The path with what differs from run to run replaced by `*`. */
function shown(path: string, root: string): string {
  return path
    .replaceAll(root, "")
    .replace(/satyrn-engine-[A-Za-z0-9]{6}/g, "satyrn-engine-*")
    .replace(/satyrn-[0-9a-f]{12}\b/g, "satyrn-*")
    .replace(/objects\/[0-9a-f]{2}(\/[0-9a-f]{38,62})?(?=\/|$)/g, "objects/*")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "*")
    .replace(/\d{8}T\d{6}Z-[0-9a-f]{12}/g, "*")
    .replace(/[0-9a-f]{40,64}/g, "*")
    .replace(/\.\d+-[0-9a-f]{8}\.tmp/g, ".*.tmp")
    .replace(/^\/proc\/\d+/, "/proc/*")
    .replace(/\/(task|fd|fdinfo)\/\d+/g, "/$1/*");
}
