/** Runs one declared check and keeps its raw output. */
import type { VerificationCommand } from "../expected/shape.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { commandLine } from "../process/command-line.ts";
import type { Environment } from "../process/environment.ts";
import type { Interruption } from "../process/interruption.ts";
import { runTree, type TreeResult } from "../process/tree.ts";
import { createEvidenceFile, type EvidenceFolder } from "./evidence.ts";
import type { StreamSeen } from "./stream.ts";
import { defaultTimeoutSec, judge, watchFor } from "./verdict.ts";
import type { CommandRecord, Outcome, StreamRecord } from "./verification-schema.ts";

export interface CheckRun {
  readonly command: VerificationCommand;
  /** Its place in the list of commands. */
  readonly index: number;
  /** Directory to run in. */
  readonly worktree: string;
  /** What the command finds in its environment, apart from what is set here. */
  readonly environment: Environment;
  readonly evidence: EvidenceFolder;
  readonly interruption: Interruption | null;
}

/** `INTERRUPTED`, `NO_EVIDENCE` (a stream could not be kept), `SURVIVORS` (processes could not be ended). */
export type CheckTrouble = "INTERRUPTED" | "NO_EVIDENCE" | "SURVIVORS";

/**
 * Runs the command in the worktree, with the null device as its input, until it ends or its limit has
 * passed; its whole process tree is torn down either way. Its streams go straight to `cmd-<i>.stdout` and
 * `cmd-<i>.stderr`; the text of a failure to start stands in the latter.
 */
export async function runCheck(run: CheckRun): Promise<Result<CommandRecord, CheckTrouble>> {
  const { command, index, worktree, evidence } = run;
  const stdout = keepStream(run, "stdout");
  const stderr = keepStream(run, "stderr");
  const environment = { ...run.environment, PYTHONDONTWRITEBYTECODE: "1" };
  const line = await commandLine(command, worktree, environment);
  const timeoutSec = command.timeout_sec ?? defaultTimeoutSec;
  const tree: TreeResult = line.ok
    ? await runTree({
        ...line.value,
        cwd: worktree,
        environment,
        deadline: timeoutSec * 1000,
        interruption: run.interruption === null ? null : { by: run.interruption, send: "SIGTERM" },
        output: { kind: "apart", stdout: stdout.take, stderr: stderr.take },
      })
    : neverStarted(line.message);
  if (tree.ending.kind === "spawn_error") stderr.take(Buffer.from(tree.ending.error, "utf8"));
  const [out, err] = [stdout.finish(), stderr.finish()];
  if (!tree.gone)
    return refusal("SURVIVORS", `command ${index} left processes: ${tree.survivors.join(", ")}`);
  if (tree.ending.kind === "interrupted") return refusal("INTERRUPTED", `command ${index} was interrupted`);
  if (!out.ok) return out;
  if (!err.ok) return err;
  const outcome = outcomeOf(tree.ending, timeoutSec);
  return success({
    index,
    outcome,
    stdout: recordOf(evidence, index, "stdout", out.value),
    stderr: recordOf(evidence, index, "stderr", err.value),
    ...judge(command, outcome, out.value, err.value),
    ...declared(command),
  });
}

/** The fields of a record that the declaration determines. */
export function declared(command: VerificationCommand): Pick<CommandRecord, "command" | "contract_refs"> {
  return {
    command: command.cmd === undefined ? { argv: command.argv ?? [] } : { cmd: command.cmd },
    contract_refs: command.contract_refs ?? [],
  };
}

type StreamName = "stdout" | "stderr";

interface KeptStream {
  readonly take: (chunk: Uint8Array) => void;
  readonly finish: () => Result<StreamSeen, "NO_EVIDENCE">;
}

function keepStream({ command, index, evidence }: CheckRun, name: StreamName): KeptStream {
  const watch = watchFor(command);
  const file = createEvidenceFile(evidence, `cmd-${index}.${name}`);
  return {
    take: (chunk) => {
      watch.take(chunk);
      file.write(chunk);
    },
    finish: () => {
      const problem = file.close();
      return problem === undefined ? success(watch.finish()) : refusal("NO_EVIDENCE", problem);
    },
  };
}

function recordOf(evidence: EvidenceFolder, index: number, name: StreamName, seen: StreamSeen): StreamRecord {
  return { path: evidence.recorded(`cmd-${index}.${name}`), sha256: seen.sha256, bytes: seen.bytes };
}

function neverStarted(error: string): TreeResult {
  return { ending: { kind: "spawn_error", error }, gone: true, survivors: [], reach: "tree" };
}

function outcomeOf(ending: TreeResult["ending"], timeoutSec: number): Outcome {
  switch (ending.kind) {
    case "exit":
      return { kind: "exit", exit_code: ending.status };
    case "signal":
    case "spawn_error":
      return ending;
    case "timeout":
    case "interrupted":
      return { kind: "timeout", timeout_sec: timeoutSec };
  }
}
