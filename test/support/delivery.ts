/** Deliveries into real repositories, each followed by the proof that the caller's side is as it was. */
import { afterEach, expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deliver } from "../../src/delivery/deliver.ts";
import { renderReceipt } from "../../src/delivery/receipt.ts";
import type { Receipt } from "../../src/delivery/receipt-schema.ts";
import { interruption } from "../../src/process/interruption.ts";
import { receiptProblems } from "./published.ts";
import { git, gitEnvironment, makeRepository, snapshot, temporaryFolder } from "./repository.ts";

export interface Scene {
  /** Holds all of the scene; its name has a space and an umlaut. */
  readonly folder: string;
  readonly repo: string;
  /** What deliveries use as `TMPDIR`. */
  readonly temporary: string;
  readonly contract: string;
  dispose(): void;
}

export const baseFiles = { "a.txt": "one\n", "src/b.txt": "two\n", "run.sh": "echo\n" };

/** A repository with one commit, a contract beside it, and an empty temporary folder. */
export function scene(
  contract = "id: fix-1\ntask: change a file\n",
  files: Readonly<Record<string, string | Uint8Array>> = baseFiles,
  init: readonly string[] = [],
): Scene {
  const { path: folder, dispose } = temporaryFolder("satyrn dälivery ");
  const repo = join(folder, "repo");
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  makeRepository(repo, files, init);
  const path = join(folder, "contract.yaml");
  writeFileSync(path, contract);
  return { folder, repo, temporary, contract: path, dispose };
}

export interface DeliveryOptions {
  readonly base?: string;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly repo?: string;
  readonly contract?: string;
  /** The command itself changes the caller's side, so the comparison is left to the test. */
  readonly touchesSource?: boolean;
}

/** Gives scenes to the tests of one file, and removes them after each. Called once, at the top of the file. */
export function scenes(): typeof scene {
  let made: Scene[] = [];
  afterEach(() => {
    for (const at of made) at.dispose();
    made = [];
  });
  return (...args) => {
    const at = scene(...args);
    made.push(at);
    return at;
  };
}

/**
 * What a delivery done by hand makes of a command, so that a test can show that a hazard bites: a worktree, the
 * command in it, `git add -A`, and the paths that the resulting tree changes. The worktree is removed.
 */
export function byHand(at: Scene, command: string): readonly string[] {
  const path = join(at.folder, `by hand ${crypto.randomUUID()}`);
  git(at.repo, "worktree", "add", "--detach", path);
  const run = Bun.spawnSync(["sh", "-c", command], { cwd: path, env: gitEnvironment() });
  if (run.exitCode !== 0) throw new Error(`${command}: ${run.stderr.toString()}`);
  try {
    git(path, "add", "-A");
    const tree = git(path, "write-tree");
    const names = git(path, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "HEAD", tree);
    return names.split("\0").filter(Boolean);
  } finally {
    rmSync(path, { recursive: true, force: true });
    Bun.spawnSync(["git", "worktree", "prune"], { cwd: at.repo, env: gitEnvironment() });
  }
}

/**
 * Delivers `sh -c script` (or an argument vector), compares every byte, ref and setting before and after, and holds
 * the receipt against its published schema.
 */
export async function deliverIn(
  at: Scene,
  command: string | readonly string[],
  options: DeliveryOptions = {},
): Promise<Receipt> {
  const before = options.touchesSource ? {} : snapshot(at.repo);
  const by = interruption();
  try {
    const { receipt } = await deliver({
      repo: options.repo ?? at.repo,
      contract: options.contract ?? at.contract,
      command: typeof command === "string" ? ["sh", "-c", command] : command,
      timeoutMs: options.timeoutMs ?? 20_000,
      base: options.base,
      env: { ...gitEnvironment(), TMPDIR: at.temporary, ...options.env },
      interruption: by,
    });
    expect(receiptProblems(JSON.parse(renderReceipt(receipt)))).toEqual([]);
    if (!options.touchesSource) expectUntouched(at, before, receipt);
    return receipt;
  } finally {
    by.dispose();
  }
}

function expectUntouched(at: Scene, before: Record<string, string>, receipt: Receipt): void {
  const after = snapshot(at.repo);
  if (receipt.code === "OK") {
    const added = `${receipt.candidate_ref} ${receipt.candidate_commit} \n`;
    expect(`${after["refs"]}\n`).toContain(added);
    after["refs"] = `${after["refs"]}\n`.replace(added, "").replace(/\n$/, "");
  }
  if (receipt.code === "CLEANUP_FAILED") {
    expect({ ...after, worktrees: "" }).toEqual({ ...before, worktrees: "" });
  } else {
    expect(after).toEqual(before);
    expectNothingLeft(at);
  }
}

/** No temporary folder, no registration, no keep file. */
export function expectNothingLeft(at: Scene): void {
  expect(readdirSync(at.temporary)).toEqual([]);
  const common = git(at.repo, "rev-parse", "--path-format=absolute", "--git-common-dir");
  const packs = existsSync(join(common, "objects/pack")) ? readdirSync(join(common, "objects/pack")) : [];
  expect(packs.filter((name) => !/\.(pack|idx|rev|promisor)$/.test(name))).toEqual([]);
}

/** The content of `path` in the candidate. */
export function candidateFile(at: Scene, receipt: Receipt, path: string): string {
  return git(at.repo, "show", `${receipt.candidate_commit}:${path}`);
}
