/** A recovery of what a delivery left that was killed while its result was staged. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../../src/recovery/recover.ts";
import { engine } from "../../support/engine.ts";
import {
  differences,
  everythingIn,
  isStrikingStdout,
  type Operation,
  type Run,
  type World,
} from "../operation.ts";
import { copied, environmentIn, expectRecovered, privateFolders, smallRepository } from "./world.ts";

/** `faulty` is the executable with the seam, which the delivery is killed in. */
export function recoverBy(faulty: string): Operation {
  return {
    name: "recover",
    async world(): Promise<World> {
      const { path: folder, dispose } = await copied("recover", (path) =>
        smallRepository(join(path, "repo")),
      );
      const repo = join(folder, "repo");
      const env = environmentIn(folder);
      const look = () => everythingIn(repo, /^\.git\/(objects|satyrn|worktrees)$/);
      const before = look();
      await killDelivery(faulty, folder, env);
      const left = privateFolders(env);
      if (left.length !== 1) throw new Error("the delivery that is killed leaves no folder");
      const argv = ["recover", "--repo", repo];
      return {
        folder,
        cwd: folder,
        env,
        argv,
        // The same, beside it.
        async interfere(release) {
          const beside = engine(argv, { env });
          await Bun.sleep(60);
          release();
          const run = await beside;
          return run.status === 0 ? [] : [`the other got ${run.status}: ${run.stderr}`];
        },
        async judge(run) {
          const problems: string[] = [...differences(before, look())];
          const found = run.killed ? "killed" : expectTrue(run, left, problems);
          const then = await expectRecovered(repo, env, () => privateFolders(env), problems);
          problems.push(...differences(before, look()));
          const worktrees = join(repo, ".git/worktrees");
          if (existsSync(worktrees) && readdirSync(worktrees).length > 0)
            problems.push("a worktree is registered");
          return { problems, found: `${found}, ${then === "recovered" ? "recovered by the next" : then}` };
        },
        dispose,
      };
    },
  };
}

async function killDelivery(
  faulty: string,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const contract = join(folder, "contract.yaml");
  writeFileSync(contract, "id: fix-1\ntask: change a file\n");
  const plan = { root: folder, log: join(folder, "delivery.log"), at: "spawn git add", fault: "kill before" };
  const argv = [
    "deliver",
    "--repo",
    join(folder, "repo"),
    contract,
    "--",
    "sh",
    "-c",
    "echo changed > a.txt; sleep 0.05",
  ];
  const delivery = Bun.spawn([faulty, ...argv], {
    env: { ...env, SATYRN_FAULT: JSON.stringify(plan) },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  await delivery.exited;
  if (delivery.signalCode !== "SIGKILL") throw new Error("the delivery was not killed");
}

/** What it printed is so; in a word, how it ended. */
function expectTrue(run: Run, left: readonly string[], problems: string[]): string {
  if (isStrikingStdout(run) && !run.stdout.endsWith("\n")) {
    if (run.status !== 1) problems.push(`its result was cut off, and it exited ${run.status}`);
    return "cut off";
  }
  const findings = run.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Finding);
  for (const { result, path } of findings.filter((finding) => left.includes(finding.path))) {
    if ((result === "recovered") === existsSync(path)) problems.push(`it says ${result} of ${path}`);
  }
  if (run.status === 0) return findings.find(({ path }) => left.includes(path))?.result ?? "not found";
  if (!/^satyrn-engine: (GIT_FAILED|REPO_UNAVAILABLE|REPO_NOT_GIT): /m.test(run.stderr)) {
    problems.push(`it exited ${run.status} and said ${run.stderr}`);
  }
  return `exit ${run.status}`;
}
