/** Whether a candidate is the owned, committed source of its task, in a worktree that holds nothing else. */
import { dirname, relative, sep } from "node:path";
import { type Result, success } from "../outcome.ts";
import { type GitContext, gitFailed } from "../repository/git.ts";
import { isObjectId } from "../repository/preflight.ts";
import { listEntries } from "./entries.ts";
import { ask, changedPaths, worktreeChanges } from "./git.ts";
import { hiddenEdits } from "./hidden-edits.ts";
import { hiddenRules } from "./hidden-rules.ts";
import { readObjects } from "./objects.ts";
import { placeIn } from "./places.ts";
import type { Packet } from "./schema.ts";

export interface SourceQuestion {
  readonly git: GitContext;
  /** Canonical path of the worktree. */
  readonly worktree: string;
  readonly packet: Packet;
  /** The commit that is claimed. */
  readonly source: string;
}

/**
 * Everything that keeps `source` from being accepted, in a fixed order; empty if nothing does. Asked before
 * the checks run and again after them. `GIT_FAILED` if it cannot be told.
 */
export async function sourceProblems(
  question: SourceQuestion,
): Promise<Result<readonly string[], "GIT_FAILED">> {
  const { git, source } = question;
  const owned = await ownership(question);
  if (!owned.ok) return owned;
  const commit = owned.value.tip === source ? success(true) : await isCommit(git, source);
  if (!commit.ok) return commit;
  if (!commit.value) return success([`candidate '${source}' is not a commit`]);
  const [descends, inputs, delta] = await Promise.all([
    doesDescend(question),
    inputProblems(question),
    deltaProblems(question),
  ]);
  const problems = [...owned.value.problems];
  if (!descends) problems.push(`candidate ${source} does not descend from the committed inputs`);
  // Inputs that are no commit of this repository are told by the question of descent.
  if (descends && !inputs.ok) return inputs;
  if (inputs.ok) problems.push(...inputs.value);
  if (!delta.ok) return delta;
  return success([...problems, ...delta.value]);
}

type Problems = Promise<Result<readonly string[], "GIT_FAILED">>;

async function isCommit(git: GitContext, source: string): Promise<Result<boolean, "GIT_FAILED">> {
  if (!isObjectId(source)) return success(false);
  const objects = await readObjects(git, [{ name: source, asking: "info" }]);
  return objects.ok ? success(objects.value[0]?.type === "commit") : objects;
}

interface Ownership {
  readonly tip: string | undefined;
  readonly problems: readonly string[];
}

async function ownership({ git, packet, source }: SourceQuestion): Promise<Result<Ownership, "GIT_FAILED">> {
  const branch = await findBranch(git, packet.branch);
  if (!branch.ok) return branch;
  const tip = branch.value?.tip;
  if (tip === source && branch.value?.checkedOut) return success({ tip, problems: [] });
  const found = `branch ${tip ?? "missing"}, HEAD ${(await headRef(git)) ?? "detached"}`;
  const problem = `candidate ${source} is not the owned task commit checked out on its branch (${found})`;
  return success({ tip, problems: [problem] });
}

export interface Branch {
  /** The commit it points to. */
  readonly tip: string;
  /** Whether HEAD is on it. */
  readonly checkedOut: boolean;
}

/** The branch of exactly this name; undefined if there is none. */
export async function findBranch(
  git: GitContext,
  name: string,
): Promise<Result<Branch | undefined, "GIT_FAILED">> {
  // A name that is no valid part of a ref names no branch; as a pattern it could name others.
  if (/[\u0000-\u0020*?[\\^:~\u007f]/.test(name)) return success(undefined);
  const ref = `refs/heads/${name}`;
  const args = ["for-each-ref", "--format=%(HEAD)%(objectname) %(refname)", ref];
  const run = await ask(git, args);
  if (run.status !== 0) return gitFailed(args, run);
  const lines = run.stdout.toString("utf8").split("\n");
  const line = lines.find((each) => each.endsWith(` ${ref}`));
  if (line === undefined) return success(undefined);
  return success({ tip: line.slice(1, line.indexOf(" ", 1)), checkedOut: line.startsWith("*") });
}

/** The branch that HEAD is on; undefined if it is detached. */
async function headRef(git: GitContext): Promise<string | undefined> {
  const run = await ask(git, ["symbolic-ref", "--quiet", "HEAD"]);
  return run.status === 0 ? run.stdout.toString("utf8").trimEnd() : undefined;
}

async function doesDescend({ git, packet, source }: SourceQuestion): Promise<boolean> {
  return (await ask(git, ["merge-base", "--is-ancestor", packet.inputs_sha, source])).status === 0;
}

/** The queue and whatever lies beside `meta` are the loop's, not the candidate's. */
async function inputProblems({ git, worktree, packet, source }: SourceQuestion): Problems {
  const changed = await changedPaths(git, { base: packet.inputs_sha, commit: source });
  if (!changed.ok) return changed;
  // By its name as well: a candidate can put a link in the folder's place.
  const folder = dirname(packet.meta.path);
  const named = relative(packet.worktree, folder).split(sep).join("/");
  const places = [placeIn(worktree, folder) ?? named, named];
  const edited = changed.value.filter(
    (path) => path === queue || places.some((place) => path === place || path.startsWith(`${place}/`)),
  );
  return success(edited.length === 0 ? [] : [`candidate edits loop inputs: ${edited.join(", ")}`]);
}

const queue = "docs/specs/queue.md";

async function deltaProblems({ git, worktree }: SourceQuestion): Problems {
  const [status, entries] = await Promise.all([worktreeChanges(git), listEntries(git)]);
  if (!status.ok) return status;
  if (!entries.ok) return entries;
  const hidden = await hiddenEdits(git, worktree, entries.value);
  if (!hidden.ok) return hidden;
  const rules = await hiddenRules(git, worktree, entries.value);
  if (!rules.ok) return rules;
  const untracked = entries.value.filter(({ mark }) => mark === "?").map(({ path }) => path);
  const paths = [...new Set([...status.value, ...untracked, ...hidden.value, ...rules.value])].filter(
    (path) => !path.startsWith(".devlyn/"),
  );
  if (paths.length === 0) return success([]);
  const problem = "worktree has uncommitted or untracked changes (undeclared source delta)";
  return success([`${problem}: ${paths.join(", ")}`]);
}
