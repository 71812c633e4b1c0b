/** The place a delivery works in: made before the command, and proven gone after it. */
import { existsSync } from "node:fs";
import { openUp, removePrivateFolder } from "../files/private-folder.ts";
import { removeLargeTree } from "../files/remove.ts";
import { refusal } from "../outcome.ts";
import { contains } from "../process/trusted-program.ts";
import { gitState } from "../repository/git-state.ts";
import type { Source } from "../repository/preflight.ts";
import { addWorktree, fillWorktree, registeredFolders, removeRegistration } from "../repository/worktree.ts";
import { isSystemError, systemFailure } from "../system-error.ts";
import type { Change, PlacedRequest, Workspace } from "./job.ts";
import { makeDeliveryFolder } from "./private-folder.ts";
import type { Findings } from "./receipt.ts";

/**
 * Makes the private folder and the worktree, lets the command change it, and removes both. Gives the candidate
 * that is ready to be published, or why there is none: CLEANUP_FAILED supersedes whatever came before, and then
 * `worktree_path` says what was kept.
 */
export async function workInWorkspace(job: PlacedRequest, findings: Findings): Promise<Change> {
  const made = makeDeliveryFolder(job.env, job.worktrees, job.source.commonDirectory);
  if (!made.ok) {
    const admitted = await job.admit();
    return admitted.ok ? made : admitted;
  }
  const folder = made.value;
  const workspace: Workspace = { folder, worktree: undefined, beside: [] };
  const work = await changeInWorktree(job, workspace, findings).catch(async (error): Promise<Change> => {
    if (isSystemError(error)) return refusal("GIT_FAILED", systemFailure(error));
    await dismantle(job.source, workspace);
    throw error;
  });
  const left = work.unproven ?? (await dismantle(job.source, workspace).catch(systemFailure));
  await Promise.all(workspace.beside);
  if (left === undefined) return work;
  findings.worktree_path = existsSync(folder.worktree) ? folder.worktree : folder.path;
  const pending = work.ok ? "the change was acceptable" : `${work.code}: ${work.message}`;
  const kept = refusal(
    "CLEANUP_FAILED",
    `${left}; kept for a person to look at (pending result: ${pending})`,
  );
  return { ...kept, ...(work.ok ? { abandoned: work.candidate } : {}) };
}

async function changeInWorktree(
  job: PlacedRequest,
  workspace: Workspace,
  findings: Findings,
): Promise<Change> {
  const settings = [`core.ignoreCase=${workspace.folder.ignoresCase}`];
  const source = { ...job.source, git: { ...job.source.git, settings } };
  const added = await addWorktree(source, workspace.folder.worktree);
  if (!added.ok) {
    const admitted = await job.admit();
    return admitted.ok ? added : admitted;
  }
  const worktree = added.value;
  workspace.worktree = worktree;
  const unwanted = new AbortController();
  const interruption = AbortSignal.any([job.interruption.signal, unwanted.signal]);
  const filling = fillWorktree({ ...worktree, git: { ...worktree.git, interruption } });
  // Beside the checkout, which is ended if this refuses.
  const admission = job.admit();
  workspace.beside.push(admission.catch(() => {}));
  try {
    const loading = import("./change.ts");
    const admitted = await admission;
    if (!admitted.ok) return admitted;
    const { bounds, told } = admitted.value;
    const before = await gitState(source, worktree, told);
    if (!before.ok) return before;
    const filled = await filling;
    if (!filled.ok) return filled;
    const { makeChange } = await loading;
    return await makeChange({ ...job, ...bounds, source }, workspace, worktree, before.value, findings);
  } finally {
    // A refusal ends the checkout.
    unwanted.abort();
    await filling;
  }
}

/** Removes worktree, registration and folder, each only if it is the one that was made. Undefined once all are gone, else what is left. */
async function dismantle(source: Source, workspace: Workspace): Promise<string | undefined> {
  const { folder, worktree } = workspace;
  openUp(folder);
  if (worktree !== undefined) {
    const removal = await removeLargeTree(worktree.path, worktree.identity);
    if (!removal.ok) return removal.left;
  }
  const registration = worktree?.adminDirectory ?? findRegistration(source, folder.worktree);
  if (registration !== undefined) {
    const left = await removeRegistration(source.commonDirectory, registration, folder.worktree);
    if (left !== undefined) return left;
  }
  const guest = registeredFolders(source.commonDirectory).find(([, path]) => contains(folder.path, path));
  if (guest !== undefined) return `another worktree of the repository lies in ${folder.path}`;
  const removal = removePrivateFolder(folder);
  return removal.ok ? undefined : removal.left;
}

/** Git's folder for a worktree that could not be filled. */
function findRegistration(source: Source, path: string): string | undefined {
  return registeredFolders(source.commonDirectory).find(([, registered]) => registered === path)?.[0];
}
