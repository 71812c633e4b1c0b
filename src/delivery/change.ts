/** From a fresh worktree to a commit that may be published, or to the reason why not. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { matchesAny } from "../contract/patterns.ts";
import { readRegularFile } from "../files/read.ts";
import { type DeliveryCode, oneLine, type Refusal, type Result, refusal, success } from "../outcome.ts";
import { commitCandidate } from "../repository/commit.ts";
import { git } from "../repository/git.ts";
import { type GitState, stateDrift } from "../repository/git-state.ts";
import { isObjectId } from "../repository/preflight.ts";
import { keepPack, lostObject, packCandidate } from "../repository/publish.ts";
import { isAtHead } from "../repository/refs.ts";
import {
  prepareStage,
  type Stage,
  type StagedTree,
  stageAll,
  stageAnew,
  stageDrift,
  touchesGitlink,
} from "../repository/stage.ts";
import { workingTreeStatus } from "../repository/status.ts";
import { untilTimesDiffer } from "../repository/untouched.ts";
import type { Worktree } from "../repository/worktree.ts";
import { runCommand } from "./command.ts";
import type { Change, Job, Workspace } from "./job.ts";
import type { Findings } from "./receipt.ts";
import { verifyResult } from "./verification.ts";

/**
 * Runs the command in `worktree` and makes its result a commit. `before` is the Git state when it was made, `folder`
 * private and outside it. The look at the caller's tree may still go on in the end, and is then in `beside`.
 */
export async function makeChange(
  job: Job,
  { folder: { path: folder }, beside }: Workspace,
  worktree: Worktree,
  before: GitState,
  findings: Findings,
): Promise<Change> {
  const frozen = join(folder, "contract.yaml");
  const prepared = await prepare(job, folder, worktree, frozen);
  if (!prepared.ok) return prepared;
  const stage = prepared.value;
  const command = await runCommand(job, worktree.path, frozen);
  findings.command_exit = command.exit;
  if (command.unproven !== undefined) return { ...(command.refused ?? noResult), unproven: command.unproven };
  if (!command.started) return command.refused ?? noResult;
  const changed = await changedSince(job, worktree, before, stage);
  if (changed !== undefined) return command.refused ?? changed;
  const stateChanged = async () =>
    (await changedSince(job, worktree, before, stage)) ?? (await headMoved(job, worktree));
  let looked: Promise<void> | undefined;
  const lookAtSource = () => {
    looked ??= noteDrift(job, findings);
    beside.push(looked);
    return looked;
  };
  const tools = { folder, frozenContract: frozen, stage, stateChanged, lookAtSource };
  const change = command.refused ?? (await commitResult(job, worktree, tools, findings));
  void lookAtSource();
  return change;
}

/** Writes the frozen contract and the stage. GIT_FAILED where the private folder does not take them. */
async function prepare(
  job: Job,
  folder: string,
  worktree: Worktree,
  frozen: string,
): Promise<Result<Stage, "GIT_FAILED">> {
  try {
    writeFileSync(frozen, job.contractBytes, { mode: 0o600 });
    const stage = prepareStage(job.source, worktree, folder);
    await untilTimesDiffer(folder);
    return success(stage);
  } catch (error) {
    return refusal("GIT_FAILED", `cannot prepare ${folder}: ${(error as Error).message}`);
  }
}

const noResult = refusal("CLEANUP_FAILED", "the command ended");

/**
 * Compares the caller's working tree with what preflight saw. Only for an unchanged Git state. Runs to its end also
 * when the engine was told to stop.
 */
async function noteDrift(job: Job, findings: Findings): Promise<void> {
  const status = await workingTreeStatus({ ...job.source.git, interruption: undefined });
  if (!status.ok) return;
  const moved = status.value.head === job.source.head ? [] : ["HEAD"];
  findings.source_drift = [...moved, ...status.value.paths].slice(0, 20);
}

/** Refuses COMMAND_CHANGED_GIT_STATE if the Git state is not `before`. Plain files are compared first. */
async function changedSince(
  job: Job,
  worktree: Worktree,
  before: GitState,
  stage: Stage,
): Promise<Refusal<DeliveryCode> | undefined> {
  const differences = [...stageDrift(stage), ...(await stateDrift(job.source, worktree, before))];
  return differences.length > 0 ? changedState(differences) : undefined;
}

function changedState(what: readonly string[]): Refusal<"COMMAND_CHANGED_GIT_STATE"> {
  const shown = what.slice(0, 5).map(oneLine).join(", ");
  return refusal("COMMAND_CHANGED_GIT_STATE", `Git state is not what it was before the command: ${shown}`);
}

interface Tools {
  readonly folder: string;
  readonly frozenContract: string;
  readonly stage: Stage;
  readonly stateChanged: () => Promise<Refusal<DeliveryCode> | undefined>;
  /** Begins to compare the caller's tree with what preflight saw, once. */
  readonly lookAtSource: () => Promise<void>;
}

async function commitResult(job: Job, worktree: Worktree, tools: Tools, findings: Findings): Promise<Change> {
  const moved = headIsBase(job, worktree) ? undefined : await headMoved(job, worktree);
  if (moved !== undefined) return moved;
  const made = await makeCommit(job, tools, findings);
  if (!made.ok) return made;
  // The checks could change what Git would run there.
  if (job.acceptance !== undefined) await tools.lookAtSource();
  const failed = await verifyResult(job, worktree, { ...tools, ...made.value }, findings);
  if (failed !== undefined) return failed;
  const pack = await packOnceMore(job, tools.stage, made.value);
  if (!pack.ok) return pack;
  const kept = keepPack(job.source, pack.value, tools.folder);
  return kept.ok ? { ok: true, candidate: { commit: made.value.commit, pack: kept.value } } : kept;
}

/** The pack, made again if checks, which can take minutes, left time for the base to lose what led to it. */
async function packOnceMore(
  { source, acceptance }: Job,
  stage: Stage,
  { pack, commit }: Made,
): Promise<Result<string, DeliveryCode>> {
  if (acceptance === undefined || isAtHead(source, source.base)) return success(pack);
  return packCandidate(source, stage, commit);
}

interface Made {
  readonly tree: string;
  readonly commit: string;
  /** Path of the pack, without suffix, that has all of the commit but what the base has. */
  readonly pack: string;
}

/**
 * The result as a commit, if it is within bounds. Tried again, twice, when a collection took an object that was in
 * the repository by chance: a file that another delivery made too, and nothing names any more.
 */
async function makeCommit(job: Job, tools: Tools, findings: Findings): Promise<Result<Made, DeliveryCode>> {
  for (let tries = 3; ; tries--) {
    const made = await tryCommit(job, tools, findings);
    if (made.ok || tries === 1 || !lostObject(made)) return made;
    stageAnew(tools.stage);
  }
}

async function tryCommit(
  job: Job,
  { stage, lookAtSource }: Tools,
  findings: Findings,
): Promise<Result<Made, DeliveryCode>> {
  const staged = await stageAll(job.source, stage);
  if (!staged.ok) return staged;
  findings.changed_paths = staged.value.changes.map((change) => change.path);
  const outOfBounds = unacceptable(job, staged.value);
  if (outOfBounds !== undefined) return outOfBounds;
  const { tree } = staged.value;
  const commit = commitCandidate(job.source, stage, tree, job.id);
  if (!commit.ok) return commit;
  findings.candidate_commit = commit.value;
  const packing = packCandidate(job.source, stage, commit.value);
  void lookAtSource();
  const pack = await packing;
  return pack.ok ? success({ tree, commit: commit.value, pack: pack.value }) : pack;
}

/** Refuses COMMAND_CHANGED_HEAD unless the worktree's HEAD is the base, detached. */
async function headMoved(job: Job, worktree: Worktree): Promise<Refusal<DeliveryCode> | undefined> {
  if (headIsBase(job, worktree)) return undefined;
  const { base } = job.source;
  const asked = await git(worktree.git, ["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"]);
  if (!asked.ok && asked.code === "INTERRUPTED") return asked;
  const [commit, name] = asked.ok ? asked.value.toString("utf8").split("\n") : [];
  if (commit === base && name === "HEAD") return undefined;
  const found =
    name === "HEAD" && isObjectId(commit)
      ? `at ${commit}`
      : `on ${oneLine(name ?? headFile(worktree)?.trim() ?? "nothing")}`;
  return refusal("COMMAND_CHANGED_HEAD", `the worktree's HEAD is ${found}, not detached at ${base}`);
}

/** Git keeps HEAD in a file, which answers without a process. Where refs are kept otherwise, Git has to be asked. */
function headIsBase({ source }: Job, worktree: Worktree): boolean {
  return headFile(worktree) === `${source.base}\n`;
}

/** Undefined where a link leads nowhere, too: Git once kept HEAD as a link. */
function headFile({ adminDirectory }: Worktree): string | undefined {
  const read = readRegularFile(join(adminDirectory, "HEAD"), 65_536);
  return read.ok ? read.value.toString("utf8") : undefined;
}

function unacceptable(job: Job, staged: StagedTree): Refusal<DeliveryCode> | undefined {
  if (staged.changes.length === 0) return refusal("NO_CHANGES", "the command succeeded and changed nothing");
  const patterns = job.writablePaths;
  const undeclared =
    patterns === undefined ? [] : staged.changes.filter((change) => !matchesAny(patterns, change.path));
  if (undeclared.length > 0) {
    return refusal(
      "PATH_UNDECLARED",
      `no writable_paths pattern matches ${list(undeclared.map((change) => change.path))}`,
    );
  }
  const nested = staged.changes.filter(touchesGitlink);
  if (nested.length === 0) return undefined;
  const paths = list(nested.map((change) => change.path));
  return refusal("NESTED_REPOSITORY", `the change would add, move or drop a nested repository: ${paths}`);
}

function list(paths: readonly string[]): string {
  const more = paths.length > 20 ? ` and ${paths.length - 20} more` : "";
  return paths.slice(0, 20).map(oneLine).join(", ") + more;
}
