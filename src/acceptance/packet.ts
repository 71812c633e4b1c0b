/** The task packet: what an executor was given, and where. */
import { dirname, isAbsolute } from "node:path";
import { type Result, refusal, success } from "../outcome.ts";
import { placeIn } from "./places.ts";
import { readRecord } from "./records.ts";
import type { Packet } from "./schema.ts";
import { isPacket } from "./validate.generated.ts";

/** The packet at `path`. `BLOCKED` names the file and everything that is wrong with it. */
export function readPacket(path: string): Result<Packet, "BLOCKED"> {
  const record = readRecord(path, isPacket);
  const problems = record.ok ? pathProblems(record.value) : [record.message];
  if (record.ok && problems.length === 0) return success(record.value);
  return refusal("BLOCKED", `task packet ${path}: ${problems.join("; ")}`);
}

function pathProblems(packet: Packet): readonly string[] {
  const places: readonly (readonly [string, string])[] = [
    ["worktree", packet.worktree],
    ["contract.path", packet.contract.path],
    ["expected.path", packet.expected.path],
    ["meta.path", packet.meta.path],
  ];
  const problems = places
    .filter(([, path]) => !isAbsolute(path))
    .map(([place, path]) => `${place} must be an absolute path, not ${JSON.stringify(path)}`);
  if (problems.length > 0) return problems;
  const folder = placeIn(packet.worktree, dirname(packet.meta.path));
  if (folder !== undefined && folder !== "") return [];
  return ["meta.path must lie in a folder of its own below the worktree's root"];
}
