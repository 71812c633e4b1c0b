/** `verify`: what an executor runs on its committed candidate, before review. */
import { join } from "node:path";
import { publishFile } from "../files/publish.ts";
import { commandEnvironment } from "../process/environment.ts";
import type { Interruption } from "../process/interruption.ts";
import { systemFailure } from "../system-error.ts";
import { bindContract } from "./binding.ts";
import { derive, type Observer } from "./derive.ts";
import { makeRunFolder } from "./evidence.ts";
import { readPacket } from "./packet.ts";
import { type ChecksResult, fileText, taskFields } from "./result.ts";
import { sourceProblems } from "./source.ts";
import { openTask } from "./task.ts";
import { watchSource } from "./watched-source.ts";

export interface VerifyRequest {
  /** Path of the task packet. */
  readonly packet: string;
  /** The candidate's full commit id; the worktree's HEAD if it is left out. */
  readonly source?: string | undefined;
  readonly interruption?: Interruption;
  readonly observer?: Observer | undefined;
}

/** What stopped the derivation, in words. */
export interface Blocked {
  readonly status: "BLOCKED";
  readonly reason: string;
}

export interface Checked {
  readonly status: "CHECKED";
  readonly passed: boolean;
  readonly reasons: readonly string[];
  /** Absolute path of the result file. */
  readonly result: string;
}

/**
 * Runs the declared checks and guards on the committed candidate, and writes
 * `.devlyn/loop/runs/<n>/result.json` in the task's worktree, with the raw streams beside it. Whatever keeps
 * the result from being derived blocks; then there is no result file.
 */
export function verify(request: VerifyRequest): Promise<Checked | Blocked> {
  return checkCandidate(request).catch((error) => blocked(systemFailure(error)));
}

async function checkCandidate(request: VerifyRequest): Promise<Checked | Blocked> {
  const packet = readPacket(request.packet);
  if (!packet.ok) return blocked(packet.message);
  const task = await openTask(packet.value, request.interruption?.signal);
  if (!task.ok) return blocked(task.message);
  const { git, objects, worktree, head } = task.value;
  const expected = await bindContract(git, worktree, packet.value);
  if (!expected.ok) return blocked(expected.message);
  const source = request.source ?? head;
  const question = { git, worktree, packet: packet.value, source };
  const problems = await sourceProblems(question);
  if (!problems.ok) return blocked(problems.message);
  if (problems.value.length > 0) return blocked(problems.value.join("; "));

  const folder = makeRunFolder(worktree);
  if (!folder.ok) return blocked(folder.message);
  const watched = watchSource(task.value, question);
  const derived = await derive({
    git,
    objects,
    expected: expected.value,
    change: { base: packet.value.inputs_sha, commit: source },
    worktree,
    environment: commandEnvironment(process.env, worktree),
    reused: new Map(),
    evidence: async () => {
      const remembered = await watched.remember();
      return remembered.ok ? folder : remembered;
    },
    interruption: request.interruption ?? null,
    sourceProblems: watched.problems,
    observer: request.observer,
  });
  const { commands, guards, reasons, trouble } = derived;
  if (trouble !== null) return blocked(trouble.message);
  const result: ChecksResult = {
    ...taskFields(packet.value),
    kind: "loop-checks",
    source_sha: source,
    commands,
    guards,
    reasons,
  };
  const written = publishFile(join(folder.value.path, "result.json"), fileText(result));
  if (!written.ok) return blocked(`the result cannot be written: ${written.message}`);
  const place = join(packet.value.worktree, folder.value.recorded("result.json"));
  return { status: "CHECKED", passed: reasons.length === 0, reasons, result: place };
}

export function blocked(reason: string): Blocked {
  return { status: "BLOCKED", reason };
}
