/** The diff that guards search: the same for the same two commits, whatever else is there. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder, removePrivateFolder } from "../files/private-folder.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { type GitContext, gitFailed } from "../repository/git.ts";
import { systemReason } from "../system-error.ts";
import { ask, type Change } from "./git.ts";

/**
 * The whole unified diff of the change, decoded leniently. `objects` is the absolute path of the directory that
 * holds the commits' objects.
 *
 * Git runs in an empty repository that borrows them. There is no file of attributes there, neither a person's nor
 * the repository's nor the candidate's, which could hide its lines with `* -diff`; and no setting, such as
 * `core.bigFileThreshold`, above which Git takes every file for binary, or `diff.default.xfuncname`, which decides
 * what stands in the header of a hunk.
 */
export async function readDiff(
  git: GitContext,
  objects: string,
  change: Change,
): Promise<Result<string, "GIT_FAILED">> {
  const folder = makePrivateFolder(process.env);
  if (!folder.ok) return refusal("GIT_FAILED", folder.message);
  const { path } = folder.value;
  try {
    makeRepository(path, change.base.length === 64 ? "sha256" : "sha1");
    const alone = borrowing(git, objects, path);
    const diff = await wholeDiff(alone, change);
    if (diff.ok) return diff;
    // A partial clone may lack the files as they were. Only the repository itself knows where to fetch them.
    await diffIn(git, change, ["--text"]);
    return await wholeDiff(alone, change);
  } catch (error) {
    return refusal("GIT_FAILED", `cannot prepare ${path}: ${systemReason(error)}`);
  } finally {
    removePrivateFolder(folder.value);
  }
}

/** What makes a folder a repository (gitrepository-layout manual page), its objects aside. */
function makeRepository(path: string, objectFormat: "sha1" | "sha256"): void {
  mkdirSync(join(path, "refs"));
  writeFileSync(join(path, "HEAD"), "ref: refs/heads/none\n");
  const format = `[core]\nrepositoryFormatVersion = 1\nbare = true\n[extensions]\nobjectFormat = ${objectFormat}\n`;
  writeFileSync(join(path, "config"), format);
}

/** Git in the repository at `path` alone, with the objects of another and nobody's configuration. */
function borrowing(git: GitContext, objects: string, path: string): GitContext {
  const { GIT_COMMON_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, ...env } = git.env;
  const alone = {
    GIT_DIR: path,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: join(path, "no-config"),
    GIT_ATTR_NOSYSTEM: "1",
  };
  return { ...git, cwd: path, env: { ...env, ...alone } };
}

/**
 * The diff as Git shows it, and after each `Binary files ... differ` the lines it stands for: one NUL at the beginning
 * of a file has Git take all of it for binary.
 */
async function wholeDiff(git: GitContext, change: Change): Promise<Result<string, "GIT_FAILED">> {
  const shown = await diffIn(git, change);
  if (!shown.ok || !shown.value.includes(binaryNote)) return shown;
  const asText = await diffIn(git, change, ["--text"]);
  if (!asText.ok) return asText;
  // The same two commits: part for part the same files.
  const texts = fileDiffs(asText.value);
  const parts: string[] = [];
  for (const part of fileDiffs(shown.value)) {
    const text: string = texts.next().value ?? "";
    parts.push(part, part.includes(binaryNote) ? text.slice(text.indexOf("\n--- ") + 1) : "");
  }
  return success(parts.join(""));
}

/** Each line of a file's own stands after a sign or a blank, and line feeds in names are quoted. */
const binaryNote = "\nBinary files ";

/** The parts of a diff, one a file. */
export function* fileDiffs(diff: string): Generator<string, undefined> {
  for (let start = 0; start < diff.length; ) {
    const next = diff.indexOf("\ndiff --git ", start);
    const end = next < 0 ? diff.length : next + 1;
    yield diff.slice(start, end);
    start = end;
  }
}

/** Every default that a later Git might change is given. */
async function diffIn(
  git: GitContext,
  { base, commit }: Change,
  more: readonly string[] = [],
): Promise<Result<string, "GIT_FAILED">> {
  const args = [
    ...["diff-tree", "-r", "--patch", "--abbrev=7", "--no-color", "--no-ext-diff", "--no-textconv"],
    ...["--no-renames", "--src-prefix=a/", "--dst-prefix=b/", "--unified=3", "--inter-hunk-context=0"],
    ...["--diff-algorithm=myers", "--indent-heuristic", "--submodule=short", "--ignore-submodules=none"],
    ...[...more, base, commit, "--"],
  ];
  const settings = ["core.quotePath=false", "core.attributesFile=", "core.bigFileThreshold=512m"];
  const run = await ask(git, args, { settings });
  if (run.status !== 0) return gitFailed(args, run);
  if (run.stdout.length <= maxDiffBytes) return success(new TextDecoder().decode(run.stdout));
  const found = `the diff has ${run.stdout.length} bytes, more than ${maxDiffBytes} to search`;
  return refusal("GIT_FAILED", found);
}

const maxDiffBytes = 512 * 1024 * 1024;
