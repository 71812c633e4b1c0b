/** The contract's own checks and guards, on the committed candidate, before it may be published. */
import { type DeliveryCode, oneLine, type Refusal, type Result, refusal, success } from "../outcome.ts";
import { git } from "../repository/git.ts";
import { everyGitlink, type Stage, stageAll } from "../repository/stage.ts";
import type { Worktree } from "../repository/worktree.ts";
import { commandWorld } from "./command.ts";
import type { Job } from "./job.ts";
import type { Findings } from "./receipt.ts";

export interface CommittedResult {
  readonly stage: Stage;
  readonly tree: string;
  readonly commit: string;
  readonly frozenContract: string;
  /** Refuses if the Git state or the worktree's HEAD is not what it was before the command. */
  readonly stateChanged: () => Promise<Refusal<DeliveryCode> | undefined>;
}

/** Why a candidate may not be published; `unproven` if a check's processes may still run. */
export type VerificationRefusal = Refusal<DeliveryCode> & { readonly unproven?: string };

/**
 * Runs the contract's checks in the worktree and evaluates its guards, and records the outcome. Undefined if all
 * passed or none is declared; VERIFICATION_FAILED, COMMAND_CHANGED_GIT_STATE, INTERRUPTED or GIT_FAILED if not.
 */
export async function verifyResult(
  job: Job,
  worktree: Worktree,
  result: CommittedResult,
  findings: Findings,
): Promise<VerificationRefusal | undefined> {
  if (job.acceptance === undefined) return undefined;
  // Most contracts declare none, and need not wait for this to be loaded.
  const { makeCandidateEvidence, verifyCandidate } = await import("../acceptance/candidate.ts");
  let drifted: Refusal<DeliveryCode> | undefined;
  const { verification, trouble } = await verifyCandidate({
    expected: job.acceptance,
    worktree: worktree.path,
    git: result.stage.git,
    objects: result.stage.objects,
    environment: commandWorld(job, worktree.path, result.frozenContract),
    base: job.source.base,
    commit: result.commit,
    evidence: () => makeCandidateEvidence(job.source, job.id, new Date()),
    interruption: job.interruption,
    observer: job.observer,
    changes: async () => {
      drifted = await result.stateChanged();
      return drifted === undefined ? differences(job, result) : refusal("GIT_FAILED", drifted.message);
    },
  });
  findings.verification = verification;
  if (trouble === null) {
    if (verification.passed) return undefined;
    return refusal("VERIFICATION_FAILED", oneLine(verification.reasons.join("; ")));
  }
  const { code, message } = trouble;
  if (code === "SURVIVORS") return { ...refusal("VERIFICATION_FAILED", message), unproven: message };
  if (job.interruption.signal.aborted) return refusal("INTERRUPTED", message);
  return drifted ?? refusal(code === "GIT_FAILED" ? code : "VERIFICATION_FAILED", oneLine(message));
}

/** How the worktree differs from the candidate by now, ignored files aside. */
async function differences(
  job: Job,
  { stage, tree }: CommittedResult,
): Promise<Result<readonly string[], "GIT_FAILED">> {
  const staged = await stageAll(job.source, stage);
  if (!staged.ok) {
    return staged.code === "NESTED_REPOSITORY"
      ? success([staged.message])
      : refusal("GIT_FAILED", staged.message);
  }
  if (staged.value.tree === tree) return success([]);
  const names = await git(stage.git, [
    "diff-tree",
    "-r",
    "-z",
    "--name-only",
    "--no-renames",
    everyGitlink,
    tree,
    staged.value.tree,
  ]);
  if (!names.ok) return refusal("GIT_FAILED", names.message);
  const paths = names.value.toString("utf8").split("\0").filter(Boolean);
  return success([`the worktree is no longer the candidate: ${paths.map(oneLine).join(", ")}`]);
}
