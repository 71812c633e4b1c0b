/** All that is asked before anything is made. The questions run beside each other; the answers are weighed in order. */
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { type DeliveryCode, oneLine, type Refusal, type Result, refusal, success } from "../outcome.ts";
import { candidateIdProblem, candidateRef } from "../repository/candidate-ref.ts";
import { locateGit, registeredWorktrees, resolveSource, type Source } from "../repository/preflight.ts";
import { candidateExists, isSymbolicRef, refsAt } from "../repository/publish.ts";
import { type WorkingTreeStatus, workingTreeStatus } from "../repository/status.ts";
import type { DeliverRequest } from "./job.ts";
import type { Findings } from "./receipt.ts";

export type Preflight =
  | { readonly source: Source; readonly refused?: undefined; readonly worktrees: readonly string[] }
  /** The source is there as soon as the root is resolved. */
  | { readonly source?: Source; readonly refused: Refusal<DeliveryCode> };

/**
 * Resolves the source and base, requires a clean working tree, a valid id and a free ref, in this order:
 * REPO_NOT_GIT, BASE_UNAVAILABLE, REPO_DIRTY, INVALID_CANDIDATE_ID, CANDIDATE_EXISTS, or GIT_FAILED, INTERRUPTED.
 * Starts Git processes that only read.
 */
export async function preflight(request: DeliverRequest, id: string, findings: Findings): Promise<Preflight> {
  const located = locateGit(request.repo, request.env, request.interruption.signal);
  if (!located.ok) return { refused: located };
  const git = located.value;
  const idProblem = candidateIdProblem(id);
  const ref = candidateRef(id);
  const [resolved, worktrees, status, taken] = await Promise.all([
    resolveSource(git, request.base),
    registeredWorktrees(git),
    workingTreeStatus(git),
    idProblem === undefined ? refTaken(git, id) : success(undefined),
  ]);
  if (!resolved.ok) return { refused: resolved };
  const source = resolved.value;
  findings.base_commit = source.base;
  const refuse = (refused: Refusal<DeliveryCode>): Preflight => ({ source, refused });
  if (!worktrees.ok) return refuse(worktrees);
  if (!status.ok) return refuse(status);
  const unclean = dirty(source, status.value, request.contract);
  if (unclean !== undefined) return refuse(unclean);
  if (idProblem !== undefined) {
    const shown = JSON.stringify(id.length > 200 ? `${id.slice(0, 200)}...` : id);
    return refuse(
      refusal("INVALID_CANDIDATE_ID", `id ${shown} ${idProblem}, so it cannot name ${candidateRef("<id>")}`),
    );
  }
  findings.candidate_ref = ref;
  return taken.ok ? { source, worktrees: worktrees.value } : refuse(taken);
}

async function refTaken(
  git: Source["git"],
  id: string,
): Promise<Result<undefined, "CANDIDATE_EXISTS" | "GIT_FAILED" | "INTERRUPTED">> {
  const ref = candidateRef(id);
  const parent = ref.slice(0, ref.lastIndexOf("/"));
  const [symbolic, refs] = await Promise.all([isSymbolicRef(git, ref), refsAt(git, parent)]);
  if (!symbolic.ok) return symbolic;
  if (!refs.ok) return refs;
  if (symbolic.value || refs.value.includes(ref)) return candidateExists(ref);
  const inTheWay = refs.value.find((name) => name === parent || name.startsWith(`${ref}/`));
  if (inTheWay === undefined) return success(undefined);
  return refusal("GIT_FAILED", `${inTheWay} exists, so ${ref} cannot be created beside it`);
}

function dirty(
  source: Source,
  status: WorkingTreeStatus,
  contract: string,
): Refusal<"REPO_DIRTY" | "GIT_FAILED"> | undefined {
  if (status.head !== source.head) return refusal("GIT_FAILED", "HEAD moved while it was looked at");
  const { paths } = status;
  if (paths.length === 0) return undefined;
  const shown = paths.slice(0, 5).map(oneLine).join(", ");
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : "";
  const own = paths.some((path) => join(source.root, path) === realpathSync.native(resolve(contract)));
  const hint = own ? "; the contract file itself is one of them: commit it, or keep it outside" : "";
  const count = paths.length === 1 ? "1 path" : `${paths.length} paths`;
  return refusal(
    "REPO_DIRTY",
    `the working tree has uncommitted changes in ${count}: ${shown}${more}${hint}`,
  );
}
