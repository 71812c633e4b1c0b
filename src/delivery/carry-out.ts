/**
 * A delivery from its contract to its receipt.
 *
 * The order is what keeps the promises: no command runs before the contract is accepted and the source known to be
 * clean, no Git after it before its state is known to be unchanged, and the candidate is published when all else is gone.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { check } from "../check.ts";
import { readOwner } from "../files/owner.ts";
import { absolutePath } from "../files/read.ts";
import { type DeliveryCode, oneLine, type Result, refusal, success } from "../outcome.ts";
import { lifeOf, ownIdentity } from "../process/identity.ts";
import type { Source } from "../repository/preflight.ts";
import { createRef, releasePack } from "../repository/publish.ts";
import { worktreeFolders } from "../repository/worktree.ts";
import { systemFailure } from "../system-error.ts";
import { version } from "../version.ts";
import type { Bounds, Change, DeliverRequest, Delivery, PlacedRequest } from "./job.ts";
import { preflight } from "./preflight.ts";
import type { Asked } from "./questions.ts";
import { type Findings, keepReceipt, receiptOf } from "./receipt.ts";
import { workInWorkspace } from "./workspace.ts";

/** How a delivery ended, before the receipt is made of it, and where its receipt can be kept. */
interface Ending {
  readonly code: DeliveryCode;
  readonly message: string;
  readonly source?: Source | undefined;
  /** The worktrees that were registered when it began. */
  readonly worktrees?: readonly string[];
}

/** Does what `deliver` promises. `asked` is what was asked before, `started` when that was. */
export async function carryOut(request: DeliverRequest, asked: Asked, started: number): Promise<Delivery> {
  const findings: Findings = {};
  const ending = await workOut(request, asked, findings).catch(refusedBySystem);
  const receipt = receiptOf(ending.code, oneLine(ending.message), findings, {
    repository: absolutePath(request.repo),
    engine_version: version.version,
    duration_ms: Math.round(performance.now() - started),
  });
  const notes: string[] = [];
  const drift = findings.source_drift ?? [];
  if (drift.length > 0)
    notes.push(`warning: the working tree changed meanwhile: ${drift.map(oneLine).join(", ")}`);
  const leftovers = deadWorktrees(ending.worktrees ?? []);
  if (leftovers > 0) {
    notes.push(
      `note: worktrees left by engines that were killed: ${leftovers}; recover --repo REPO removes them`,
    );
  }
  const lost = ending.source && keepReceipt(receipt, ending.source, new Date());
  if (lost) notes.push(`warning: the receipt could not be kept: ${lost}`);
  return { receipt, notes };
}

/**
 * The contract is read when the checkout has begun, or whatever refuses first; but what it is refused for comes before
 * all else, save what was kept.
 */
async function workOut(request: DeliverRequest, asked: Asked, findings: Findings): Promise<Ending> {
  let read: Result<Bounds, DeliveryCode> | undefined;
  const readBounds = () => {
    read ??= boundsOf(request, findings);
    return read;
  };
  const ending = await workWithin(request, readBounds, asked, findings).catch(refusedBySystem);
  const bounds = readBounds();
  if (bounds.ok || ending.code === "CLEANUP_FAILED") return ending;
  delete findings.base_commit;
  return bounds;
}

function boundsOf(request: DeliverRequest, findings: Findings): Result<Bounds, DeliveryCode> {
  const checked = check(request);
  if ("contract" in checked) findings.contract_id = checked.contract.id;
  if (checked.code !== "OK") return refusal(checked.code, checked.message);
  const { id, task, writable_paths: writablePaths, acceptance } = checked.contract;
  return success({ id, task, writablePaths, acceptance, contractBytes: checked.bytes });
}

async function workWithin(
  request: DeliverRequest,
  readBounds: () => Result<Bounds, DeliveryCode>,
  asked: Asked,
  findings: Findings,
): Promise<Ending> {
  if (!asked.ok) return asked;
  const ready = await preflight(request, readBounds, asked.value, findings);
  if (ready.refused !== undefined) return { ...ready.refused, source: ready.source };
  const { source, admit } = ready;
  const work = async (): Promise<Ending> => {
    const worktrees = worktreeFolders(source);
    const job = { ...request, source, worktrees, admit };
    const change = await workInWorkspace(job, findings);
    return { ...(await publish(job, change, findings)), worktrees };
  };
  return { ...(await work().catch(refusedBySystem)), source };
}

function refusedBySystem(error: unknown): Ending {
  return { code: "GIT_FAILED", message: systemFailure(error) };
}

/** How many of `worktrees` lie in a private folder whose engine is proven gone. */
function deadWorktrees(worktrees: readonly string[]): number {
  const dead = worktrees.map(dirname).filter((folder) => {
    const owner = readOwner(folder);
    return owner !== null && lifeOf(owner.engine, ownIdentity()) === "gone";
  });
  // An engine that ended by itself since its record was read has removed its folder.
  return dead.filter(existsSync).length;
}

/** Creates the ref, unless the engine was told to stop by now, and lets collections have the pack either way. */
async function publish(job: PlacedRequest, change: Change, findings: Findings): Promise<Ending> {
  const candidate = change.ok ? change.candidate : change.abandoned;
  try {
    if (!change.ok) return change;
    if (job.interruption.signal.aborted)
      return { code: "INTERRUPTED", message: "the engine was told to stop" };
    const arrived = await change.candidate.pack.arrived;
    if (!arrived.ok) return arrived;
    const ref = findings.candidate_ref as string;
    const created = await createRef(job.source, ref, change.candidate.commit);
    if (!created.ok) return created;
    return { code: "OK", message: `candidate ${change.candidate.commit} at ${ref}` };
  } finally {
    await candidate?.pack.arrived;
    if (candidate !== undefined) releasePack(candidate.pack.keepFile);
  }
}
