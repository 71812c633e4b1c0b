/** Where raw evidence is kept: the files a command's streams go to, and how records name them. */
import { closeSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { makeFolders, makeNewFolder } from "../files/make-folders.ts";
import { openNew, writeAll } from "../files/new-file.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";

export interface EvidenceFolder {
  /** Absolute path; it exists. */
  readonly path: string;
  /** How a record names the file `name` in it. */
  recorded(name: string): string;
}

/** Below a worktree: what the loop keeps there. */
export const loopFolder = ".devlyn/loop";

/**
 * Makes `.devlyn/loop/runs/<n>` in the worktree at the canonical path `worktree`; n is one more than the
 * largest number there. `NO_EVIDENCE` says why it cannot be made: a link in its place is not followed.
 */
export function makeRunFolder(worktree: string): Result<EvidenceFolder, "NO_EVIDENCE"> {
  const runs = makeFolders(worktree, [".devlyn", "loop", "runs"]);
  if (!runs.ok) return refusal("NO_EVIDENCE", runs.message);
  try {
    for (let number = nextNumber(runs.value); ; number++) {
      if (!makeNewFolder(join(runs.value, String(number)))) continue;
      const recorded = (name: string) => `${loopFolder}/runs/${number}/${name}`;
      return success({ path: join(runs.value, String(number)), recorded });
    }
  } catch (error) {
    return refusal("NO_EVIDENCE", `${loopFolder}/runs cannot be written: ${systemReason(error)}`);
  }
}

function nextNumber(runs: string): number {
  const numbers = readdirSync(runs)
    .filter((name) => /^[0-9]{1,15}$/.test(name))
    .map(Number);
  return Math.max(0, ...numbers) + 1;
}

/** A new file of evidence, written as its bytes come. */
export interface EvidenceFile {
  /** Never throws: what went wrong first is kept. */
  write(bytes: Uint8Array): void;
  /** Closes the file; gives what went wrong, if anything did. */
  close(): string | undefined;
}

/** Creates `name` in `folder`, which must not hold it yet. */
export function createEvidenceFile(folder: EvidenceFolder, name: string): EvidenceFile {
  let problem: string | undefined;
  let descriptor: number | undefined;
  const attempt = (action: () => void) => {
    try {
      action();
    } catch (error) {
      problem ??= `${folder.recorded(name)} cannot be written: ${systemReason(error)}`;
    }
  };
  attempt(() => {
    descriptor = openNew(join(folder.path, name), 0o644);
  });
  return {
    write: (bytes) =>
      attempt(() => {
        if (descriptor !== undefined && problem === undefined) writeAll(descriptor, bytes);
      }),
    close: () => {
      attempt(() => {
        if (descriptor !== undefined) closeSync(descriptor);
      });
      return problem;
    },
  };
}
