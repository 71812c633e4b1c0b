/** Guards: what the change itself must or must not hold, from the two commits alone. */
import { parsePattern } from "../expected/pattern/parse.ts";
import { searchPattern } from "../expected/pattern/search.ts";
import type { Expected } from "../expected/shape.ts";
import { type Result, refusal, success } from "../outcome.ts";
import type { GitContext } from "../repository/git.ts";
import { dependencyNames } from "./dependencies.ts";
import { fileDiffs, readDiff } from "./diff.ts";
import { type DiffPlace, placeInDiff } from "./diff-place.ts";
import { type Change, changedPaths, listNames } from "./git.ts";
import { type GitObject, readObjects } from "./objects.ts";
import type { Guard } from "./verification-schema.ts";

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
  /** Absolute path of the directory that holds the commits' objects. */
  readonly objects: string;
  readonly expected: Expected;
  readonly change: Change;
}

async function patternGuards(question: GuardQuestion): Promise<Result<readonly Evaluated[], GuardTrouble>> {
  const patterns = question.expected.forbidden_patterns ?? [];
  if (patterns.length === 0) return success([]);
  const diff = await readDiff(question.git, question.objects, question.change);
  if (!diff.ok) return diff;
  const evaluated: Evaluated[] = [];
  for (const [index, forbidden] of patterns.entries()) {
    const { files = [] } = forbidden;
    const text = files.length === 0 ? diff.value : partsOf(diff.value, files);
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

/** The parts of a diff about files whose `diff --git` line contains one of `names`. */
function partsOf(diff: string, names: readonly string[]): string {
  const isMeant = (part: string) => {
    const header = part.slice(0, part.indexOf("\n") + 1 || part.length);
    return names.some((name) => header.includes(name));
  };
  return [...fileDiffs(diff)].filter(isMeant).join("");
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
  const links = required_files.some((_, index) => present[index] === undefined)
    ? await gitlinks(git, commit)
    : success([]);
  if (!links.ok) return links;
  const changed = forbidden_files.length === 0 ? success([]) : await changedPaths(git, change);
  if (!changed.ok) return changed;
  const dependencies = dependencyGuard(namesIn(before), namesIn(after), max_deps_added, change);
  return success([
    ...required_files.map((subject, index) => {
      const passed = present[index] !== undefined || links.value.includes(subject.replace(/\/$/, ""));
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

/** Paths of the commit's nested repositories: their commits are objects of another repository. */
async function gitlinks(git: GitContext, commit: string): Promise<Result<readonly string[], "GIT_FAILED">> {
  const entries = await listNames(git, ["ls-tree", "-r", "-z", "--full-tree", commit]);
  if (!entries.ok) return entries;
  const links = entries.value.filter((entry) => entry.startsWith("160000 "));
  return success(links.map((entry) => entry.slice(entry.indexOf("\t") + 1)));
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
