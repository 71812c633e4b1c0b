/** A contract's test command, asked for by the protocol. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { engine } from "../../support/engine.ts";
import {
  differences,
  everythingIn,
  isPause,
  isStrikingStdout,
  type Operation,
  parsed,
  type Run,
  type World,
} from "../operation.ts";
import { copied, environmentIn, expectRecovered, privateFolders, smallRepository } from "./world.ts";

export const testCommand: Operation = {
  name: "test",
  async world(): Promise<World> {
    const { path: folder, dispose } = await copied("test", (path) => smallRepository(join(path, "repo")));
    const repo = join(folder, "repo");
    const contract = join(folder, "contract.yaml");
    writeFileSync(contract, "id: a\ntask: b\ntest_command: [sh, -c, 'cat a.txt; exit 3']\n");
    const env = environmentIn(folder);
    const stdin = JSON.stringify({ version: 1, operation: "test", repo, contract });
    const look = () => everythingIn(repo, /^\.git\/satyrn$/);
    const before = look();
    return {
      folder,
      cwd: folder,
      env,
      argv: ["protocol"],
      stdin,
      // The same, beside it.
      async interfere(release) {
        const beside = engine(["protocol"], { env, stdin });
        release();
        const run = await beside;
        return run.status === 0 ? [] : [`the other got ${run.status}: ${run.stdout}`];
      },
      async judge(run) {
        const problems: string[] = [...differences(before, look())];
        const code = run.killed && !run.stdout.endsWith("\n") ? "killed" : expectTrue(run, problems);
        const left = privateFolders(env);
        // A copy that cannot be removed is recovered; the result of the tests is one all the same.
        const isRemoval =
          / \/(tmp\/satyrn-engine-\*|proc\/self\/mountinfo)/.test(run.at?.at ?? "") ||
          run.at?.fault.endsWith(" on");
        if (!run.killed && left.length > 0 && !isRemoval) problems.push(`left after ${code}: ${left}`);
        const then = await expectRecovered(repo, env, () => privateFolders(env), problems);
        problems.push(...differences(before, look()));
        return { problems, found: `${code}, ${then}` };
      },
      dispose,
    };
  },
};

function expectTrue(run: Run, problems: string[]): string {
  if (isStrikingStdout(run) && !run.stdout.endsWith("\n")) {
    if (run.status !== 1) problems.push(`its result was cut off, and it exited ${run.status}`);
    return "cut off";
  }
  const response = parsed(run.stdout, "stdout", problems);
  const { code, result } = (response ?? {}) as { code?: string; result?: Record<string, unknown> };
  const { exit_code, output } = result ?? {};
  if (code === "OK" && (exit_code !== 3 || output !== "one\n")) problems.push(`it says ${run.stdout}`);
  if (!run.killed && (run.status === 0) !== (code === "OK")) problems.push(`${code} exited ${run.status}`);
  if (isPause(run.at?.fault) && code !== "OK") problems.push(`released, it got ${code}`);
  return code ?? "";
}
