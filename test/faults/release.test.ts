/** What is released has no seam: the variable that the test build obeys means nothing to it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { engine, executable } from "../support/engine.ts";
import { temporaryFolder } from "../support/repository.ts";
import { compileFaulty } from "./build.ts";
import { deliver } from "./operations/deliver.ts";
import { replace } from "./operations/replace.ts";
import { removeTemplates } from "./operations/world.ts";

const { path: folder, dispose } = temporaryFolder();
const faulty = join(folder, "faulty");
beforeAll(() => compileFaulty(faulty));
afterAll(dispose);
afterAll(removeTemplates);

test("the variable's name is in the test build, and not in what is released", () => {
  expect(readFileSync(faulty).includes("SATYRN_FAULT")).toBe(true);
  expect(readFileSync(executable).includes("SATYRN_FAULT")).toBe(false);
});

for (const [operation, at] of [
  [deliver, "spawn git rev-parse"],
  [replace, "create /repo/src/.satyrn-replacement.tmp"],
] as const) {
  test(`${operation.name} is killed in the test build, and does not look at the variable as it is released`, async () => {
    const world = await operation.world();
    try {
      const log = join(world.folder, "boundaries.log");
      const plan = { root: world.folder, log, at, fault: "kill before" };
      const env = { ...world.env, SATYRN_FAULT: JSON.stringify(plan) };
      const options = { cwd: world.cwd, env, ...(world.stdin === undefined ? {} : { stdin: world.stdin }) };
      const stdin = world.stdin === undefined ? "ignore" : Buffer.from(world.stdin);
      const inTestBuild = Bun.spawnSync([faulty, ...world.argv], { cwd: world.cwd, env, stdin });
      expect([inTestBuild.signalCode, existsSync(log)]).toEqual(["SIGKILL", true]);
      rmSync(log);
      const { status, signal, stdout, stderr } = await engine(world.argv, options);
      expect({ status, signal, stderr, isLogged: existsSync(log) }).toEqual({
        ...{ status: 0, signal: null, stderr: "", isLogged: false },
      });
      const judged = await world.judge({ status, killed: false, stdout, stderr });
      expect(judged.problems).toEqual([]);
    } finally {
      world.dispose();
    }
  });
}
