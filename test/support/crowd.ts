/**
 * Many deliveries into one repository at once, beside a person's own Git, collections, prunes and recoveries.
 *
 * What is allowed: a delivery ends as OK, or as CANDIDATE_EXISTS if another of its id published. A person who
 * switches between branches whose files differ leaves moments in which the working tree is not clean, or in which
 * HEAD moves between two looks; beside such a person, and no other, a delivery may also say so: REPO_DIRTY that
 * names nothing but the files that differ, or GIT_FAILED with `HEAD moved while it was looked at`.
 */
import { expect } from "bun:test";
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../src/recovery/recover.ts";
import { expectKeptReceipts, expectRightlyTaken, expectTrue } from "./crowd-claims.ts";
import { expectNothingLeft, type Scene } from "./delivery.ts";
import { executable } from "./engine.ts";
import { git, gitEnvironment } from "./repository.ts";
import { runningWith } from "./tree.ts";

export interface CrowdOptions {
  /** Names the round in its ids, which no other round of the repository may use. */
  readonly round: number;
  readonly deliveries: number;
  /** A calm person's tree stays clean: branches of one commit, and commits in a worktree of their own. */
  readonly person: "calm" | "restless";
  /** How many of the engines are killed, each at a moment of chance. */
  readonly kills: number;
  /** Gives numbers from 0 to 1. */
  readonly random: () => number;
}

/** How many deliveries ended how, and how often what ran beside them came round. */
export type CrowdReport = Readonly<Record<string, number>>;

interface Runner {
  readonly id: string;
  readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  readonly changes: readonly string[];
  killed: boolean;
}

export interface Ended extends Runner {
  readonly stdout: string;
  readonly stderr: string;
}

/** What `crowd` needs in a repository, on top of a scene's: the branches and the worktree of the person. */
export function settle(at: Scene): void {
  // The background work of its own that a commit begins outlasts the round.
  git(at.repo, "config", "gc.auto", "0");
  git(at.repo, "branch", "same");
  git(at.repo, "worktree", "add", "-q", "-b", "side", join(at.folder, "side"));
  writeFileSync(join(at.folder, "side/side.txt"), "side\n");
  git(join(at.folder, "side"), "add", "side.txt");
  git(at.repo, "switch", "-q", "-c", "other");
  writeFileSync(join(at.repo, "moving.txt"), "other\n");
  git(at.repo, "add", "moving.txt");
  git(at.repo, "commit", "-q", "-m", "other");
  git(at.repo, "switch", "-q", "main");
}

/** One round of deliveries, all started at once, with all that is claimed of them asserted. */
export async function crowd(at: Scene, options: CrowdOptions): Promise<CrowdReport> {
  const mark = `crowd-${crypto.randomUUID()}`;
  const env = { ...gitEnvironment(), TMPDIR: at.temporary, SATYRN_TEST_MARK: mark };
  const before = callersSide(at);
  const beside = besides(at, options, env);
  const runners = Array.from({ length: options.deliveries }, (_, n) => start(at, options, n, env));
  const killing = killSome(runners, options);
  const ended = await Promise.all(runners.map(end));
  await killing;
  const turns = await beside.stop();
  const findings = [...beside.findings, ...(await recoverAll(at, options, env))];

  const counts = expectTrue(at, options, ended);
  expectRightlyTaken(ended, findings);
  expectKeptReceipts(at, ended);
  expect(runningWith(mark)).toEqual([]);
  expectNothingLeft(at);
  expect(readdirSync(join(at.repo, ".git/worktrees"))).toEqual(["side"]);
  expect(locksIn(join(at.repo, ".git"))).toEqual([]);
  if (options.person === "calm") expect(callersSide(at)).toEqual(before);
  git(at.repo, "fsck", "--full", "--strict", "--no-dangling");
  git(at.repo, "rev-list", "--objects", "--all");
  return { ...counts, ...turns, findings: findings.length };
}

/** Of four deliveries three have an id of their own; of the others, five and five have the same. One of five is checked. */
function start(
  at: Scene,
  { round, random }: CrowdOptions,
  n: number,
  env: Readonly<Record<string, string>>,
): Runner {
  const isShared = n % 4 === 3;
  const id = isShared ? `r${round}-shared-${Math.floor(n / 20)}` : `r${round}-own-${n}`;
  // Of the shared, some make the very same commit.
  const content = isShared && n % 8 === 3 ? id : `${id} ${n}`;
  const pause = (random() * 0.4).toFixed(2);
  const more = n % 3 === 0 ? "head -c 30000 /dev/urandom > big; mkdir -p d/e; cp big d/e/f; " : "";
  const script = `sleep ${pause}; echo '${content}' > a.txt; ${more}rm run.sh; sleep ${pause}`;
  const contract = join(at.folder, `${id}-${n}.yaml`);
  writeFileSync(contract, `id: ${id}\ntask: t\n${n % 5 === 1 ? checks : ""}`);
  const argv = ["deliver", "--repo", at.repo, "--timeout", "120", contract, "--", "sh", "-c", script];
  const child = Bun.spawn([executable, ...argv], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const changes = ["a.txt", ...(more === "" ? [] : ["big", "d/e/f"]), "run.sh"];
  return { id, child, changes, killed: false };
}

const checks = `acceptance:
  verification_commands: [{ cmd: sleep 0.2; test -f a.txt }]
  forbidden_patterns: [{ pattern: nowhere, description: d, severity: disqualifier }]
`;

async function end(runner: Runner): Promise<Ended> {
  const [stdout, stderr] = await Promise.all([runner.child.stdout.text(), runner.child.stderr.text()]);
  await runner.child.exited;
  return Object.assign(runner, { stdout, stderr });
}

/** Kills some that run, spread over the round: each when a share of the others, of chance, has ended. */
async function killSome(runners: readonly Runner[], { kills, random }: CrowdOptions): Promise<void> {
  const living = () => runners.filter(({ child }) => child.exitCode === null && child.signalCode === null);
  const killing = Array.from({ length: kills }, async () => {
    const share = random() * 0.9 * runners.length;
    while (runners.length - living().length < share) await Bun.sleep(20);
    await Bun.sleep(random() * 300);
    const left = living();
    const runner = left[Math.floor(random() * left.length)];
    if (runner === undefined) return;
    runner.killed = true;
    runner.child.kill("SIGKILL");
  });
  await Promise.all(killing);
}

/** What runs beside the deliveries, each in a loop of its own, until `stop`. */
function besides(at: Scene, { person, kills }: CrowdOptions, env: Readonly<Record<string, string>>) {
  const findings: Finding[] = [];
  let isBusy = true;
  const run = async (argv: readonly string[], cwd = at.repo) => {
    const child = Bun.spawn([...argv], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { status: await child.exited, stdout, stderr };
  };
  const side = join(at.folder, "side");
  // Git dies now and then over a neighbour's half-made worktree; a person tries again.
  const persist = async (acts: string, cwd?: string) => {
    for (;;) {
      const { status, stderr } = await run(["sh", "-ec", acts], cwd);
      if (status === 0) return;
      if (!/worktrees\/satyrn-|commondir/.test(stderr)) throw new Error(`the person's ${acts}: ${stderr}`);
    }
  };
  const recover = async () => {
    const { status, stdout, stderr } = await run([executable, "recover", "--repo", at.repo]);
    expect([status, stderr]).toEqual([0, ""]);
    findings.push(...parsed(stdout, at));
  };
  const loops: Readonly<Record<string, () => Promise<unknown>>> = {
    // One after the other: a collection beside a person's own commit may take objects of that commit.
    "collections and switches": async () => {
      const acts = person === "calm" ? calmActs : restlessActs;
      await persist(acts);
      await persist("date +%N > side.txt; git commit -qam side", side);
      await run(["git", "gc", "--quiet", "--prune=now"]);
    },
    prunes: () => run(["git", "worktree", "prune", "--expire=now"]),
    recoveries: recover,
    // Of two people who recover at once, neither may stumble over the other.
    ...(kills > 0 ? { "recoveries beside": recover } : {}),
  };
  const turns: Record<string, number> = {};
  const going = Promise.all(
    Object.entries(loops).map(async ([name, step]) => {
      while (isBusy) {
        await step();
        turns[name] = (turns[name] ?? 0) + 1;
      }
    }),
  );
  // What fails is told by `stop`, not in the middle of the deliveries.
  going.catch(() => {});
  const stop = async () => {
    isBusy = false;
    await going;
    return turns;
  };
  return { findings, stop };
}

const calmActs =
  "git switch -q same; git switch -q main; git tag -f at-times main >/dev/null; git tag -d at-times >/dev/null";
const restlessActs = "git switch -q other; echo x >> moving.txt; git commit -qam moved; git switch -q main";

function parsed(lines: string, at: Scene): readonly Finding[] {
  const findings = lines.split("\n").filter(Boolean);
  return findings
    .map((line) => JSON.parse(line) as Finding)
    .filter(({ path }) => path.startsWith(`${at.folder}/`));
}

/** The last look of `recover`, after which nothing may be left of those that were killed. */
async function recoverAll(
  at: Scene,
  { kills }: CrowdOptions,
  env: Readonly<Record<string, string>>,
): Promise<readonly Finding[]> {
  if (kills === 0) return [];
  for (const name of readdirSync(at.temporary)) {
    // An engine that was killed before its record was written leaves an empty folder, which nobody takes at once.
    const path = join(at.temporary, name);
    if (readdirSync(path).every((each) => each === "owner.json.new")) utimesSync(path, 1, 1);
  }
  const argv = [executable, "recover", "--repo", at.repo];
  const child = Bun.spawn(argv, { env, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  return parsed(await child.stdout.text(), at);
}

/** Of the repository, what no delivery may change, and a calm person does not. */
function callersSide(at: Scene): Record<string, string> {
  return {
    status: git(at.repo, "status", "--porcelain=v2", "--branch", "--untracked-files=all"),
    config: readFileSync(join(at.repo, ".git/config"), "utf8"),
    refs: git(at.repo, "rev-parse", "main", "other", "same"),
  };
}

function locksIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true }) as string[];
  return names.filter((name) => name.endsWith(".lock") && name !== "satyrn/worktrees.lock");
}
