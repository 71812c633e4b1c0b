/** The project's own commands, told what they do not know: one line that names what they accept, and status 2. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const scripts: readonly (readonly [script: string, accepts: string])[] = [
  ["build.ts", "--target NAME"],
  ["scripts/bench.ts", "--rounds NUMBER"],
  ["scripts/demo.ts", "no arguments"],
  ["scripts/fuzz.ts", "contracts"],
  ["scripts/generate.ts", "--check"],
  ["scripts/prove.ts", "--prepare"],
  ["scripts/test.ts", "unit"],
];

describe("an option that is unknown is refused, and nothing else is done:", () => {
  for (const [script, accepts] of scripts) {
    test(script, () => {
      const run = Bun.spawnSync([process.execPath, script, "--no-such-option"], { cwd: root });
      expect(run.exitCode).toBe(2);
      expect(run.stdout.toString()).toBe("");
      expect(run.stderr.toString()).toContain(accepts);
      expect(run.stderr.toString()).toMatch(/^\w+: [^\n]+\n$/);
    });
  }
});

test("a script that was given what it knows is not refused", () => {
  const run = Bun.spawnSync([process.execPath, "scripts/generate.ts", "--check"], { cwd: root });
  expect([run.exitCode, run.stderr.toString()]).toEqual([0, ""]);
});
