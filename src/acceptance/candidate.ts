/** Verification of a delivery's candidate: the checks and guards of a contract's `acceptance`. */

import { join } from "node:path";
import type { Expected } from "../expected/shape.ts";
import { datedName, makeFolders } from "../files/make-folders.ts";
import { type Result, refusal, success } from "../outcome.ts";
import type { Environment } from "../process/environment.ts";
import type { Interruption } from "../process/interruption.ts";
import type { GitContext } from "../repository/git.ts";
import type { Source } from "../repository/preflight.ts";
import { share } from "../repository/sharing.ts";
import { derive, type Observer, type Trouble } from "./derive.ts";
import type { EvidenceFolder } from "./evidence.ts";
import type { Verification } from "./verification-schema.ts";

export interface CandidateRequest {
  /** The contract's `acceptance`, as it was validated. */
  readonly expected: Expected;
  /** Directory the checks run in: a worktree that holds the commit. */
  readonly worktree: string;
  /** Git for this repository, with the private object directory if the commit lies there. */
  readonly git: GitContext;
  /** Absolute path of the directory that holds the commits' objects. */
  readonly objects: string;
  /** The commands' environment; `PYTHONDONTWRITEBYTECODE` is added here. */
  readonly environment: Environment;
  /** Full names of two commits: what the change starts from, and what holds it. */
  readonly base: string;
  readonly commit: string;
  /** Where raw output goes: `makeCandidateEvidence`. Called before the first command runs, if any does. */
  readonly evidence: () => Result<EvidenceFolder, "NO_EVIDENCE">;
  readonly interruption: Interruption | null;
  /**
   * Asked once after commands ran: in words, how the worktree (ignored files aside) or its Git state differs
   * from the candidate; empty if it does not.
   */
  readonly changes: () => Promise<Result<readonly string[], "GIT_FAILED">>;
  readonly observer?: Observer | undefined;
}

/**
 * Runs every declared check in the worktree, asks what changed there, and evaluates every guard on the diff
 * from `base` to `commit`.
 *
 *     const { verification, trouble } = await verifyCandidate({
 *       expected: contract.acceptance, worktree, git, objects, environment, base, commit, interruption,
 *       evidence: () => makeCandidateEvidence(source, contract.id, new Date()),
 *       changes: () => compareWithCandidate(...),
 *     });
 *
 * `trouble` is what stopped the derivation, if anything did: `INTERRUPTED`, `SURVIVORS` (processes of a check
 * could not be ended, so the worktree may be in use), `NO_EVIDENCE`, `GIT_FAILED`, or `PATTERN_UNFINISHED`.
 * `verification` has not passed then, and its one reason says why; a caller with a more exact word for the
 * trouble uses it.
 */
export async function verifyCandidate(
  request: CandidateRequest,
): Promise<{ readonly verification: Verification; readonly trouble: Trouble | null }> {
  const { base, commit, changes } = request;
  const derived = await derive({
    ...request,
    change: { base, commit },
    reused: new Map(),
    evidence: async () => request.evidence(),
    sourceProblems: changes,
  });
  const { commands, guards, trouble } = derived;
  const reasons = trouble === null ? derived.reasons : [`failed: ${trouble.message}`];
  return { verification: { passed: reasons.length === 0, commands, guards, reasons }, trouble };
}

/**
 * Makes `satyrn/evidence/<id>/<UTC timestamp>-<random>` in the repository's common directory, following no
 * link. Records name files in it by absolute paths, since the worktree goes away. `id` must be one path
 * component that is safe on this system.
 */
export function makeCandidateEvidence(
  { commonDirectory, sharing }: Pick<Source, "commonDirectory" | "sharing">,
  id: string,
  now: Date,
): Result<EvidenceFolder, "NO_EVIDENCE"> {
  const made = makeFolders(commonDirectory, ["satyrn", "evidence", id, datedName(now)], (path) =>
    share(path, sharing),
  );
  if (!made.ok) return refusal("NO_EVIDENCE", `no evidence can be kept: ${made.message}`);
  const path = made.value;
  return success({ path, recorded: (file) => join(path, file) });
}
