/** `accept`: a task's result, derived by its caller from committed source, raw evidence, guards and reviews. */
import { join } from "node:path";
import { makeFolders } from "../files/make-folders.ts";
import { publishFile } from "../files/publish.ts";
import { commandEnvironment } from "../process/environment.ts";
import type { Interruption } from "../process/interruption.ts";
import { systemFailure } from "../system-error.ts";
import { bindContract } from "./binding.ts";
import { derive, type Observer } from "./derive.ts";
import { loopFolder, makeRunFolder } from "./evidence.ts";
import { readPacket } from "./packet.ts";
import { type AcceptanceResult, fileText, taskFields } from "./result.ts";
import { intactOutcomes } from "./reuse.ts";
import { judgeReviews, type Reviews } from "./reviews.ts";
import type { Packet } from "./schema.ts";
import { findBranch, sourceProblems } from "./source.ts";
import { readSubmission } from "./submission.ts";
import { openTask, type Task } from "./task.ts";
import type { CommandRecord, Guard } from "./verification-schema.ts";
import { type Blocked, blocked } from "./verify.ts";
import { watchSource } from "./watched-source.ts";

export interface AcceptRequest {
  /** Path of the task packet. */
  readonly packet: string;
  /** Path of the submission. */
  readonly submission: string;
  /** Fails the task with this one reason; the submission is not read. */
  readonly failure?: string | undefined;
  readonly interruption?: Interruption;
  readonly observer?: Observer | undefined;
}

export interface Accepted {
  readonly status: "ACCEPTED" | "FAILED";
  readonly reasons: readonly string[];
  /** Absolute path of the result file. */
  readonly result: string;
}

/**
 * Derives the verdict and writes it to `.devlyn/loop/acceptance.json` in the task's worktree. An unusable
 * packet, worktree or branch blocks, and then nothing is written; anything else that is wrong is a reason
 * of a FAILED verdict.
 */
export function accept(request: AcceptRequest): Promise<Accepted | Blocked> {
  return deriveVerdict(request).catch((error) => blocked(systemFailure(error)));
}

async function deriveVerdict(request: AcceptRequest): Promise<Accepted | Blocked> {
  const packet = readPacket(request.packet);
  if (!packet.ok) return blocked(packet.message);
  const task = await openTask(packet.value, request.interruption?.signal);
  if (!task.ok) return blocked(task.message);
  const branch = await findBranch(task.value.git, packet.value.branch);
  if (!branch.ok) return blocked(branch.message);
  if (branch.value === undefined) return blocked(`branch '${packet.value.branch}' does not exist`);
  const folder = makeFolders(task.value.worktree, loopFolder.split("/"));
  if (!folder.ok) return blocked(folder.message);

  const nothing = { ...noFindings, source: branch.value.tip };
  const findings =
    request.failure === undefined
      ? await judge(request, packet.value, task.value, nothing)
      : { ...nothing, reasons: [request.failure] };
  if ("status" in findings) return findings;
  // What Git did not answer, because it was ended, is no verdict.
  if (request.interruption?.signal.aborted) return blocked("the engine was told to stop");
  const result = resultOf(packet.value, findings);
  const written = publishFile(join(folder.value, "acceptance.json"), fileText(result));
  if (!written.ok) return blocked(`the result cannot be written: ${written.message}`);
  const place = join(packet.value.worktree, loopFolder, "acceptance.json");
  return { status: result.verdict, reasons: result.reasons, result: place };
}

/** What a verdict is made of. */
interface Findings extends Omit<Reviews, "reasons"> {
  readonly source: string;
  readonly commands: readonly CommandRecord[];
  readonly guards: readonly Guard[];
  readonly assumptions: readonly string[];
  readonly reasons: readonly string[];
}

const noFindings = {
  commands: [],
  guards: [],
  reviews: [],
  ignored_reviews: [],
  assumptions: [],
  reasons: [],
} as const;

/** Everything that is asked, in order; the first answer that settles the verdict ends it. */
async function judge(
  request: AcceptRequest,
  packet: Packet,
  task: Task,
  nothing: Findings,
): Promise<Findings | Blocked> {
  const { git, objects, worktree } = task;
  const failed = (...reasons: readonly string[]): Findings => ({ ...nothing, reasons });
  const expected = await bindContract(git, worktree, packet);
  if (!expected.ok) return failed(`failed: ${expected.message}`);
  const read = readSubmission(request.submission, packet.task);
  if (!read.ok) return failed(`failed: ${read.message}`);
  const submission = read.value;
  const assumptions = submission.assumptions ?? [];
  const blockers = (submission.blockers ?? []).map(({ kind, detail }) => `${kind}: ${detail}`);
  if (blockers.length > 0) return { ...failed(...blockers), assumptions };

  const source = submission.source_sha;
  const question = { git, worktree, packet, source };
  const problems = await sourceProblems(question);
  if (!problems.ok) return { ...failed(`failed: ${problems.message}`), assumptions };
  if (problems.value.length > 0) {
    return { ...failed(...problems.value.map((problem) => `failed: ${problem}`)), assumptions };
  }
  const passed = { ...nothing, source, assumptions };
  const listed = submission.runner_results ?? [];
  const reused = intactOutcomes({ worktree, packet, source, expected: expected.value, listed });
  if (!reused.ok) return { ...passed, reasons: [`failed: ${reused.message}`] };

  const watched = watchSource(task, question);
  const derived = await derive({
    git,
    objects,
    expected: expected.value,
    change: { base: packet.inputs_sha, commit: source },
    worktree,
    environment: commandEnvironment(process.env, worktree),
    reused: reused.value,
    evidence: async () => {
      const remembered = await watched.remember();
      return remembered.ok ? makeRunFolder(worktree) : remembered;
    },
    interruption: request.interruption ?? null,
    sourceProblems: watched.problems,
    observer: request.observer,
  });
  const { commands, guards, trouble } = derived;
  if (trouble?.code === "INTERRUPTED") return blocked(trouble.message);
  if (trouble !== null) return { ...passed, commands, reasons: [`failed: ${trouble.message}`] };
  const judged = judgeReviews({ worktree, packet, source, listed: submission.reviews ?? [] });
  const { reviews, ignored_reviews } = judged;
  const reasons = [...derived.reasons, ...judged.reasons];
  return { ...passed, commands, guards, reviews, ignored_reviews, reasons };
}

function resultOf(packet: Packet, findings: Findings): AcceptanceResult {
  const { source, commands, reviews, reasons, ...rest } = findings;
  const streams = commands.flatMap(({ stdout, stderr }) => [stdout.path, stderr.path]);
  return {
    ...taskFields(packet),
    ...rest,
    kind: "loop",
    source_sha: source,
    commands,
    reviews,
    reasons,
    verdict: reasons.length === 0 ? "ACCEPTED" : "FAILED",
    evidence: [...new Set([...streams, ...reviews.map(({ path }) => path)])].sort(byBytes),
  };
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
