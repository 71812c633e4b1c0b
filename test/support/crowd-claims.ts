/** What is claimed of each delivery of a crowd, and of the recoveries beside it. */
import { expect } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Receipt } from "../../src/delivery/receipt-schema.ts";
import type { Finding } from "../../src/recovery/recover.ts";
import type { CrowdOptions, Ended } from "./crowd.ts";
import type { Scene } from "./delivery.ts";
import { git } from "./repository.ts";

/** Every receipt says what is so. */
export function expectTrue(
  at: Scene,
  options: CrowdOptions,
  ended: readonly Ended[],
): Record<string, number> {
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  for (const id of new Set(ended.map((each) => each.id))) {
    const all = ended.filter((each) => each.id === id);
    const ref = `refs/satyrn/candidates/${id}/head`;
    const published = git(at.repo, "for-each-ref", "--format=%(objectname)", ref);
    const winners: Ended[] = [];
    let excused = 0;
    for (const each of all) {
      if (each.killed && each.stdout === "") {
        count("killed");
        continue;
      }
      const receipt = JSON.parse(each.stdout) as Receipt;
      count(receipt.code);
      expectTold(each, receipt, options);
      if (receipt.code === "OK") {
        winners.push(each);
        expect([id, receipt.candidate_commit, receipt.changed_paths]).toEqual([id, published, each.changes]);
        expect(git(at.repo, "rev-parse", `${published}^`)).toBe(receipt.base_commit as string);
        const files = git(
          at.repo,
          "diff-tree",
          "-r",
          "--name-only",
          receipt.base_commit as string,
          published,
        );
        expect(files.split("\n")).toEqual([...each.changes]);
      } else if (receipt.code !== "CANDIDATE_EXISTS") {
        excused++;
        expectExcused(receipt, options);
      }
    }
    const mayHavePublished = all.some((each) => each.killed);
    if (published === "") expect([id, winners.length, excused]).toEqual([id, 0, all.filter(printed).length]);
    else expect([id, winners.length === 1 || (winners.length === 0 && mayHavePublished)]).toEqual([id, true]);
  }
  return counts;
}

function printed({ stdout }: Ended): boolean {
  return stdout !== "";
}

/** What people are told beside the receipt: its own line, a warning if the person moved, and a note of the killed. */
function expectTold(each: Ended, receipt: Receipt, { person, kills }: CrowdOptions): void {
  const lines = each.stderr.split("\n").filter(Boolean);
  const others = lines.filter((line) => line !== `satyrn-engine: ${receipt.code}: ${receipt.message}`);
  const unforeseen = others.filter((line) => {
    if (person === "restless" && line.startsWith("satyrn-engine: warning: the working tree changed"))
      return false;
    return !(kills > 0 && line.startsWith("satyrn-engine: note: worktrees left by engines"));
  });
  expect(unforeseen).toEqual([]);
  if (person === "calm") expect(receipt.source_drift ?? []).toEqual([]);
}

function expectExcused(receipt: Receipt, { person }: CrowdOptions): void {
  const said = `${receipt.code}: ${receipt.message}`;
  if (person === "calm") throw new Error(`beside a calm person: ${said}`);
  const isExcused =
    said === "GIT_FAILED: HEAD moved while it was looked at, before the command ran: deliver again" ||
    said === "REPO_DIRTY: the working tree has uncommitted changes in 1 path: moving.txt";
  if (!isExcused) throw new Error(`no excuse: ${said}`);
}

/** Recovery took nobody but the killed, and found no more to say of the others than that they run. */
export function expectRightlyTaken(ended: readonly Ended[], findings: readonly Finding[]): void {
  const killed = new Set(ended.filter((each) => each.killed).map((each) => each.child.pid));
  for (const { result, path, reason } of findings) {
    const engine = Number(/its engine, process (\d+), is gone/.exec(reason)?.[1]);
    const isRight =
      result === "in_use" || (result === "recovered" && (killed.has(engine) || (!engine && killed.size > 0)));
    if (!isRight) throw new Error(`recover said of ${path}: ${result}, ${reason}`);
  }
}

/** The repository keeps every receipt that was printed. */
export function expectKeptReceipts(at: Scene, ended: readonly Ended[]): void {
  for (const id of new Set(ended.map((each) => each.id))) {
    const folder = join(at.repo, ".git/satyrn/receipts", id);
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const kept = names.map((name) => readFileSync(join(folder, name), "utf8"));
    for (const { stdout } of ended.filter((each) => each.id === id && printed(each))) {
      expect(kept).toContain(stdout);
    }
  }
}
