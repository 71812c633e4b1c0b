/** Guards: what the change itself must or must not hold, from the two commits alone. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parsePattern } from "../expected/pattern/parse.ts";
import { searchPattern } from "../expected/pattern/search.ts";
import type { Expected } from "../expected/shape.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { type GitContext, gitFailed } from "../repository/git.ts";
import { dependencyNames } from "./dependencies.ts";
import { type DiffPlace, placeInDiff } from "./diff-place.ts";
import { ask, type Change, changedPaths } from "./git.ts";
import { type GitObject, readObjects } from "./objects.ts";

export interface Guard {
  readonly rule: string;
  readonly subject: string;
  readonly passed: boolean;
  /** Whether it fails the task if it did not pass. */
  readonly blocking: boolean;
}

/** A guard, and where in the change it is broken; null if it passed, or is broken at no one place. */
export interface Evaluated {
  readonly guard: Guard;
  readonly place: DiffPlace | null;
}

/** Git did not answer, or a pattern did not finish. */
export type GuardTrouble = "GIT_FAILED" | "PATTERN_UNFINISHED";

/**
 * Evaluates every guard, in this order: forbidden patterns, required files, forbidden files, added
 * dependencies. Starts two or three Git processes; a pattern keeps the thread busy for at most five seconds.
 */
export async function evaluateGuards(
  question: GuardQuestion,
): Promise<Result<readonly Evaluated[], GuardTrouble>> {
  const [patterns, files] = await Promise.all([patternGuards(question), fileGuards(question)]);
  if (!patterns.ok) return patterns;
  return files.ok ? success([...patterns.value, ...files.value]) : files;
}

export interface GuardQuestion {
  readonly git: GitContext;
  /** Absolute path of the worktree's own Git directory. */
  readonly gitDirectory: string;
  readonly expected: Expected;
  readonly change: Change;
}

async function patternGuards(question: GuardQuestion): Promise<Result<readonly Evaluated[], GuardTrouble>> {
  const patterns = question.expected.forbidden_patterns ?? [];
  if (patterns.length === 0) return success([]);
  const diff = await readDiff(question);
  if (!diff.ok) return diff;
  const evaluated: Evaluated[] = [];
  for (const [index, forbidden] of patterns.entries()) {
    const text = forbidden.files === undefined ? diff.value : partsOf(diff.value, forbidden.files);
    const searched = search(forbidden.pattern, text);
    if (!searched.ok) {
      return refusal("PATTERN_UNFINISHED", `forbidden_patterns[${index}].pattern ${searched.message}`);
    }
    const guard = {
      rule: `forbidden_patterns/${index}`,
      subject: forbidden.description,
      passed: searched.value === null,
      blocking: forbidden.severity === "disqualifier",
    };
    evaluated.push({ guard, place: searched.value === null ? null : placeInDiff(text, searched.value) });
  }
  return success(evaluated);
}

const patternLimitMs = 5000;

/** Where `pattern` first occurs in `text`, or null. */
function search(pattern: string, text: string): Result<number | null, "UNFINISHED"> {
  const name = JSON.stringify(pattern);
  const parsed = parsePattern(pattern);
  if ("problem" in parsed) return refusal("UNFINISHED", `${name} cannot be read: ${parsed.problem}`);
  const outcome = searchPattern(parsed, text, patternLimitMs);
  if (typeof outcome === "number") return success(outcome);
  if (outcome === "absent") return success(null);
  const limit =
    outcome === "out of time" ? `within ${patternLimitMs / 1000} s` : "within the memory it may use";
  return refusal("UNFINISHED", `${name} did not finish ${limit}`);
}

/**
 * The whole unified diff of the change, decoded leniently: the same for the same two commits, whatever else is
 * there. Plumbing, which a person's `diff.*` settings do not reach, with the defaults that could still be
 * changed pinned; and run where there is no working tree and no index, because attributes are read from both,
 * and a candidate could hide its lines with `* -diff`. So could a person's own file of attributes.
 */
async function readDiff({ git, gitDirectory, change }: GuardQuestion): Promise<Result<string, "GIT_FAILED">> {
  const nowhere = {
    GIT_DIR: gitDirectory,
    GIT_WORK_TREE: gitDirectory,
    GIT_INDEX_FILE: join(gitDirectory, "satyrn-no-index"),
    GIT_ATTR_NOSYSTEM: "1",
  };
  const args = [
    ...[
      "diff-tree",
      "-r",
      "--patch",
      "--abbrev=7",
      "--no-color",
      "--no-ext-diff",
      "--no-textconv",
      "--ignore-submodules=none",
    ],
    ...["--no-renames", "--src-prefix=a/", "--dst-prefix=b/", "--unified=3", "--inter-hunk-context=0"],
    ...(hasOwnAttributes(git) ? ["--text"] : []),
    ...["--diff-algorithm=myers", "--submodule=short", "--ignore-submodules=none"],
    ...[change.base, change.commit, "--"],
  ];
  const run = await ask({ ...git, cwd: gitDirectory, env: { ...git.env, ...nowhere } }, args, {
    settings: ["core.quotePath=false", "core.attributesFile=", "diff.suppressBlankEmpty=false"],
  });
  if (run.status !== 0) return gitFailed(args, run);
  if (run.stdout.length <= maxDiffBytes) return success(new TextDecoder().decode(run.stdout));
  return refusal(
    "GIT_FAILED",
    `the diff has ${run.stdout.length} bytes, more than ${maxDiffBytes} to search`,
  );
}

/**
 * Whether the repository keeps attributes in its own folder. No setting keeps Git from reading them, so the
 * diff shows every file as text then: a line too many is searched rather than one too few.
 */
function hasOwnAttributes({ env }: GitContext): boolean {
  const common = env["GIT_COMMON_DIR"];
  return common === undefined || existsSync(join(common, "info/attributes"));
}

const maxDiffBytes = 512 * 1024 * 1024;

/** The parts of a diff about files whose `diff --git` line contains one of `names`. */
function partsOf(diff: string, names: readonly string[]): string {
  const parts: string[] = [];
  for (let start = 0; start < diff.length; ) {
    const next = diff.indexOf("\ndiff --git ", start);
    const end = next < 0 ? diff.length : next + 1;
    const header = diff.slice(start, diff.indexOf("\n", start) + 1 || end);
    if (names.some((name) => header.includes(name))) parts.push(diff.slice(start, end));
    start = end;
  }
  return parts.join("");
}

/** What must be there, what must not have changed, and what `package.json` declares. */
async function fileGuards({
  git,
  expected,
  change,
}: GuardQuestion): Promise<Result<readonly Evaluated[], "GIT_FAILED">> {
  const { required_files = [], forbidden_files = [], max_deps_added = 0 } = expected;
  const { base, commit } = change;
  const objects = await readObjects(git, [
    ...[base, commit].map((at) => ({ name: `${at}:package.json`, asking: "contents" as const })),
    ...required_files.map((file) => ({ name: `${commit}:${file}`, asking: "info" as const })),
  ]);
  if (!objects.ok) return objects;
  const [before, after, ...present] = objects.value;
  const changed = forbidden_files.length === 0 ? success([]) : await changedPaths(git, change);
  if (!changed.ok) return changed;
  const dependencies = dependencyGuard(namesIn(before), namesIn(after), max_deps_added, change);
  return success([
    ...required_files.map((subject, index) => {
      const passed = present[index] !== undefined;
      return { guard: { rule: "required_files", subject, passed, blocking: true }, place: null };
    }),
    ...forbidden_files.map((subject) => {
      const passed = !changed.value.includes(subject);
      return {
        guard: { rule: "forbidden_files", subject, passed, blocking: true },
        place: passed ? null : { file: subject, line: null },
      };
    }),
    { guard: dependencies, place: dependencies.passed ? null : { file: "package.json", line: null } },
  ]);
}

type Names = Result<ReadonlySet<string>, "UNREADABLE">;

function dependencyGuard(before: Names, after: Names, limit: number, { base, commit }: Change): Guard {
  const guard = (subject: string, passed: boolean): Guard => {
    return { rule: "max_deps_added", subject, passed, blocking: true };
  };
  const unreadable = (at: string, why: string) =>
    guard(`package.json at ${at} cannot be read: ${why}`, false);
  if (!before.ok) return unreadable(base, before.message);
  if (!after.ok) return unreadable(commit, after.message);
  const added = [...after.value].filter((name) => !before.value.has(name)).length;
  return guard(`${added} added, limit ${limit}`, added <= limit);
}

/** A commit without a package.json declares nothing. */
function namesIn(manifest: GitObject | undefined): Names {
  if (manifest === undefined) return success(new Set());
  if (manifest.type !== "blob") return refusal("UNREADABLE", `it is a ${manifest.type}`);
  return dependencyNames(manifest.content);
}
