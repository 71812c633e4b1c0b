/** Which process of which machine something belongs to, told so that another process can check it later. */
import { readFileSync, readlinkSync } from "node:fs";
import { isFields } from "../fields.ts";
import { linuxTable } from "./descendants.linux.ts";

/** Every field is the system's own text: compared, never read. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started: a number passes to another process, but never with the start time. */
  readonly started: string;
  /** The boot of the machine: proc(5), /proc/sys/kernel/random/boot_id. */
  readonly boot: string;
  /** The PID namespace, a container's for one: the same number means another process in each. */
  readonly namespace: string;
  readonly host: string;
  /** machine-id(5), empty where there is none: hosts share names. */
  readonly machine: string;
}

/** This process, or null where the system does not tell. Linux alone does. Learnt once. */
export function ownIdentity(): ProcessIdentity | null {
  own ??= readOwnIdentity();
  return own;
}

let own: ProcessIdentity | null = null;

function readOwnIdentity(): ProcessIdentity | null {
  if (process.platform !== "linux") return null;
  const started = linuxTable.read(process.pid)?.started;
  const boot = textOf("/proc/sys/kernel/random/boot_id");
  if (started === undefined || boot === "") return null;
  return {
    pid: process.pid,
    started,
    boot,
    namespace: namespaceOfProcesses(),
    host: textOf("/proc/sys/kernel/hostname"),
    machine: textOf("/etc/machine-id"),
  };
}

/** Whether a process still runs, or why that cannot be told from here. */
export type Life = "alive" | "gone" | { readonly unknown: string };

/** A zombie is gone: it runs no code and holds no file. */
export function lifeOf(identity: ProcessIdentity | null, here: ProcessIdentity | null): Life {
  if (here === null) return { unknown: "only Linux tells whether its engine still runs" };
  if (identity === null) return { unknown: "it does not say which engine made it" };
  if (identity.boot !== here.boot) {
    // Another boot of this machine ended all that ran; what another machine runs, nobody here knows.
    const isHere = identity.host === here.host && identity.machine === here.machine;
    return isHere ? "gone" : { unknown: `its engine ran on another machine, ${identity.host}` };
  }
  if (identity.namespace !== here.namespace) return { unknown: "its engine ran in another container" };
  return linuxTable.read(identity.pid)?.started === identity.started ? "alive" : "gone";
}

/** The identity that `value`, read from outside, holds; null if it holds none. */
export function parseIdentity(value: unknown): ProcessIdentity | null {
  if (!isFields(value)) return null;
  const { pid, started, boot, namespace, host, machine } = value;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0) return null;
  if (typeof started !== "string" || typeof boot !== "string" || typeof namespace !== "string") return null;
  if (typeof host !== "string" || typeof machine !== "string") return null;
  return { pid, started, boot, namespace, host, machine };
}

function namespaceOfProcesses(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
