/** Which faults apply to which boundary. */
import type { Call, Fault } from "./seam/boundary.ts";

const kills: readonly Fault[] = ["kill before", "kill after"];
const faults: Readonly<Record<Call, readonly Fault[]>> = {
  open: ["EACCES", "EIO", "EMFILE", "EMFILE on"],
  create: [...kills, "ENOSPC", "EACCES", "EIO", "EMFILE", "ENOSPC on", "EMFILE on", "pause"],
  write: ["kill before", "kill midway", "kill after", "ENOSPC", "EIO", "ENOSPC on", "pause"],
  sync: [...kills, "EIO", "ENOSPC"],
  close: ["EIO"],
  rename: [...kills, "ENOSPC", "EACCES", "EIO", "pause"],
  link: [...kills, "ENOSPC", "EACCES", "EIO", "pause"],
  unlink: [...kills, "EACCES", "EIO", "pause"],
  mkdir: [...kills, "ENOSPC", "EACCES", "EIO", "ENOSPC on", "pause"],
  rmdir: [...kills, "EACCES", "EIO", "pause"],
  chmod: [...kills, "EACCES", "EIO"],
  chown: [...kills, "EACCES", "EIO"],
  utimes: [...kills, "EACCES", "EIO"],
  read: ["EIO"],
  list: ["EACCES", "EIO"],
  stat: ["EACCES", "EIO"],
  lock: [...kills, "EIO", "pause"],
  pipe: ["EMFILE", "EMFILE on"],
  spawn: [...kills, "EMFILE", "EACCES", "ENOMEM", "EMFILE on", "pause"],
};

const ofGit: readonly Fault[] = ["git fails", "git fails late", "git is killed"];

export function callOf(boundary: string): Call {
  return boundary.slice(0, boundary.indexOf(" ")) as Call;
}

/** Every fault that a matrix tries at the boundary. */
export function faultsAt(boundary: string): readonly Fault[] {
  const occurrence = Number(/#(\d+)$/.exec(boundary)?.[1] ?? 1);
  // How often processes are looked at, and the file system's clock, differs from run to run; each look is like the last.
  if (occurrence > 2 && / \/proc\/|\/satyrn-engine-\*\/clock /.test(boundary)) return [];
  const all = faults[callOf(boundary)];
  return boundary.startsWith("spawn git ") ? [...all, ...ofGit] : all;
}

/**
 * Of those, the ones that are tried each time: where the boundary changes anything, a death and an error; at every
 * eighth of the others an error. Of the entries of a folder that is removed, every third.
 */
export function sampleAt(boundary: string, seed: number): readonly Fault[] {
  const all = faultsAt(boundary);
  if (!all.includes("kill before")) return seed % 8 === 0 ? all.slice(-1) : [];
  if (seed % 3 !== 0 && /^(unlink|rmdir) .*\/satyrn-engine-\*\/./.test(boundary)) return [];
  const deadly = all.includes("kill midway") ? "kill midway" : "kill before";
  const errors = all.filter((fault) => !fault.startsWith("kill") && fault !== "pause");
  return [deadly, errors[seed % errors.length] as Fault];
}
