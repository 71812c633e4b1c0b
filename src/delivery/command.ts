/** The delivery's command: its world, and what its ending means. */
import { dirname } from "node:path";
import { writeLeader } from "../files/owner.ts";
import { type DeliveryCode, oneLine, type Refusal, refusal } from "../outcome.ts";
import { commandEnvironment, type Environment } from "../process/environment.ts";
import { forward } from "../process/sinks.ts";
import { type Ending, runTree } from "../process/tree.ts";
import type { Job } from "./job.ts";

export interface CommandRun {
  readonly started: boolean;
  /** The direct child's status, minus the signal's number, or null: never started, timed out, interrupted. */
  readonly exit: number | null;
  /** Why its result does not count; undefined after success. */
  readonly refused: Refusal<DeliveryCode> | undefined;
  /** What of its process tree could not be proven gone. */
  readonly unproven: string | undefined;
}

/** Runs the job's command in `worktree`, its output passed on, and tears its tree down. */
export async function runCommand(job: Job, worktree: string, frozenContract: string): Promise<CommandRun> {
  const run = await runTree({
    argv: job.command,
    cwd: worktree,
    environment: commandWorld(job, worktree, frozenContract),
    deadline: job.timeoutMs,
    interruption: { by: job.interruption, send: "SIGTERM" },
    output: { kind: "joined", sink: job.output ?? forward(2) },
    started: (pid) => writeLeader(dirname(frozenContract), pid),
  });
  const { ending } = run;
  return {
    started: ending.kind !== "spawn_error",
    exit: ending.kind === "exit" ? ending.status : ending.kind === "signal" ? -ending.signal : null,
    refused: refused(job, ending),
    unproven: run.gone ? undefined : `processes of the command may still run: ${run.survivors.join(", ")}`,
  };
}

function refused(job: Job, ending: Ending): Refusal<DeliveryCode> | undefined {
  const name = oneLine(job.command[0] ?? "");
  switch (ending.kind) {
    case "exit":
      if (ending.status === 0) return undefined;
      return refusal("COMMAND_FAILED", `${name} exited with status ${ending.status}`);
    case "signal":
      return refusal("COMMAND_FAILED", `${name} was ended by signal ${ending.signal}`);
    case "timeout":
      return refusal("COMMAND_TIMEOUT", `${name} did not end within ${job.timeoutMs / 1000} s`);
    case "interrupted":
      return refusal("INTERRUPTED", "the engine was told to stop while the command ran");
    case "spawn_error":
      return refusal("COMMAND_UNAVAILABLE", ending.error);
  }
}

/**
 * The environment of everything a contract has run in `worktree`: the caller's less what routes Git, and the
 * contract's variables, so that any agent's command line can be the command.
 */
export function commandWorld(job: Job, worktree: string, frozenContract: string): Environment {
  const world: Record<string, string> = {
    ...commandEnvironment(job.env, worktree),
    SATYRN_CONTRACT: frozenContract,
    SATYRN_CONTRACT_ID: job.id,
    SATYRN_BASE_COMMIT: job.source.base,
  };
  delete world["SATYRN_TASK"];
  if (fitsVariable(`SATYRN_TASK=${job.task}`)) world["SATYRN_TASK"] = job.task;
  return world;
}

/** Linux holds 131,072 bytes in one string with its end (MAX_ARG_STRLEN); Windows 32,767 characters. */
function fitsVariable(entry: string): boolean {
  if (entry.includes("\0")) return false;
  return process.platform === "win32" ? entry.length < 32_767 : Buffer.byteLength(entry) < 131_072;
}
