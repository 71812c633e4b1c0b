import { check } from "../check.ts";
import { matchesAny } from "../contract/patterns.ts";
import { type Sha256, sha256 } from "../files/digest.ts";
import { type Folder, type Opening, openFolder } from "../files/folder.ts";
import type { tryLock } from "../files/lock.ts";
import { lockFolder } from "../files/lock-folder.ts";
import { readInFolder } from "../files/read-in-folder.ts";
import { isUtf8 } from "../files/utf8.ts";
import { replaceFile, type WriteStep } from "../files/write.ts";
import {
  type CheckRefusalCode,
  type MutationRefusalCode,
  oneLine,
  type Refusal,
  type Result,
  refusal,
  success,
} from "../outcome.ts";
import { applyEdits, type Edit, roomFor } from "./edits.ts";
import { leadsIntoGit, pathProblem } from "./path.ts";
import { region } from "./region.ts";

/** What to replace, in which file, and by which contract. */
export interface ReplaceRequest {
  /** The folder that `path` is relative to, as `check` accepts it. */
  readonly repo: string;
  /** Path of the contract file. */
  readonly contract: string;
  /** Relative, separated by `/`. */
  readonly path: string;
  /** The revision the edits are meant for; null if the caller has none. */
  readonly expected_sha256: string | null;
  /** 1 to 16, applied one after the other, all or none. */
  readonly edits: readonly Edit[];
}

export interface Replaced {
  readonly path: string;
  /** The next revision: of the exact bytes written. */
  readonly sha256: Sha256;
  /** The changed lines with their numbers, three lines of context on each side, at most 40 lines. */
  readonly region: string;
  /** `crlf` if a line feed of an edit was read as CRLF, as it is in a file whose lines all end so. */
  readonly match: "exact" | "crlf";
}

export type ReplaceResult =
  | { readonly ok: true; readonly code: "OK"; readonly message: ""; readonly result: Replaced }
  | (Refusal<CheckRefusalCode | MutationRefusalCode> & { readonly result: null })
  | Refusal<"INVALID_REQUEST">;

/** What a test puts in: interruptions between the steps of the write, the ways of another system, less patience. */
export interface ReplaceSeams {
  readonly onStep?: (step: WriteStep) => void;
  readonly lock?: typeof tryLock;
  readonly opening?: Opening;
  /** How long to wait for another replacement in the same folder, in milliseconds. */
  readonly patience?: number;
}

/** The largest file, before and after, in bytes. */
const largestFile = 16 * 1024 * 1024;

/**
 * Replaces exact text in one file of `repo`, within the bounds of the contract. Gives the next revision and
 * the changed lines, or the first refusal: `INVALID_REQUEST` for a malformed path or edit, those of `check`, then
 * those of `MutationRefusalCode` in their order. A refused file is untouched.
 *
 * The folder is opened and locked before the file in it is read, and kept until the new bytes are in place:
 * neither a swapped folder nor another replacement of the same revision leads the write astray.
 */
export function replace(request: ReplaceRequest, seams: ReplaceSeams = {}): ReplaceResult {
  const malformed = whyMalformed(request);
  if (malformed !== undefined) return refusal("INVALID_REQUEST", oneLine(malformed));
  const checked = check(request);
  if (checked.code !== "OK") return { ...refusal(checked.code, checked.message), result: null };
  const replaced = replaceInBounds(request, checked.contract.writable_paths, seams);
  if (replaced.ok) return { ok: true, code: "OK", message: "", result: replaced.value };
  return { ...refusal(replaced.code, oneLine(replaced.message)), result: null };
}

function whyMalformed({ path, edits }: ReplaceRequest): string | undefined {
  const problem = pathProblem(path);
  if (problem !== undefined) return `field 'path' ${problem}`;
  if (edits.length < 1 || edits.length > mostEdits)
    return `field 'edits' has ${edits.length} edits, not 1 to ${mostEdits}`;
  for (const [index, { old_text, new_text }] of edits.entries()) {
    if (old_text === "") return `field 'edits[${index}].old_text' is empty`;
    if (!old_text.isWellFormed() || !new_text.isWellFormed())
      return `field 'edits[${index}]' holds a lone surrogate`;
  }
  return undefined;
}

const mostEdits = 16;

function replaceInBounds(
  request: ReplaceRequest,
  writablePaths: readonly string[] | undefined,
  seams: ReplaceSeams,
): Result<Replaced, MutationRefusalCode> {
  const { path, repo } = request;
  const outOfBounds = whyOutOfBounds(path, writablePaths);
  if (outOfBounds !== undefined) return refusal("PATH_UNDECLARED", outOfBounds);
  const failed = (reason: string) => refusal("MUTATION_FAILED", `cannot replace ${path}: ${reason}`);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const opened = openFolder(repo, path.split("/").slice(0, -1), seams.opening);
  if (!opened.ok) return failed(opened.message);
  const folder = opened.value;
  try {
    const locked = lockFolder(folder, seams.patience ?? 10_000, seams.lock);
    if (!locked.ok) return failed(locked.message);
    try {
      // A file that somebody else changed meanwhile is read again: its revision decides.
      for (let attempt = 0; attempt < 3; attempt++) {
        const result = replaceInFolder(folder, name, request, seams);
        if (result !== "changed meanwhile") return result;
      }
      return failed("it keeps changing");
    } finally {
      locked.value.release();
    }
  } finally {
    folder.close();
  }
}

function whyOutOfBounds(path: string, writablePaths: readonly string[] | undefined): string | undefined {
  if (leadsIntoGit(path)) return `${path} leads into Git's own folder, which is never writable`;
  if (writablePaths === undefined) return "the contract has no writable_paths, so no file can be replaced";
  if (matchesAny(writablePaths, path)) return undefined;
  const patterns = writablePaths.length === 0 ? "is empty" : `has ${writablePaths.join(", ")}`;
  const shown = patterns.length <= 500 ? patterns : `${patterns.slice(0, 500)}...`;
  return `no pattern of the contract matches ${path}: writable_paths ${shown}`;
}

function replaceInFolder(
  folder: Folder,
  name: string,
  { path, expected_sha256: expected, edits }: ReplaceRequest,
  seams: ReplaceSeams,
): Result<Replaced, MutationRefusalCode> | "changed meanwhile" {
  const failed = (reason: string) => refusal("MUTATION_FAILED", `cannot replace ${path}: ${reason}`);
  const read = readInFolder(folder, name, largestFile, roomFor(edits));
  if (!read.ok) return failed(read.message);
  const { buffer, length, stat } = read.value;
  const before = buffer.subarray(0, length);
  if (!isUtf8(before)) return failed("it is not valid UTF-8");
  const revision = sha256(before);
  if (expected === null) {
    return refusal(
      "REVISION_UNAVAILABLE",
      `expected_sha256 is null; read ${path} first: it is at ${revision}`,
    );
  }
  if (expected !== revision) {
    return refusal(
      "REVISION_STALE",
      `${path} is at ${revision}, not at the expected ${expected}; read it again`,
    );
  }
  const edited = applyEdits(buffer, length, edits);
  if (!edited.ok) return edited;
  const { text, changed, match } = edited.value;
  if (text.length > largestFile)
    return failed(`it would have ${text.length} bytes, more than ${largestFile}`);
  const replaced = { path, sha256: sha256(text), region: region(text, changed), match };
  const written = replaceFile(folder, name, text, { stat, sha256: revision }, seams.onStep);
  if (written.ok) return success(replaced);
  return written.code === "CHANGED" ? "changed meanwhile" : failed(written.message);
}
