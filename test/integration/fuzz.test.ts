/** A taste of the fuzzer, always the same; `bun run fuzz` goes on from there. */
import { describe, expect, test } from "bun:test";
import { fuzz } from "../fuzz/run.ts";
import { targets, unavailable } from "../fuzz/targets.ts";

const cases: Readonly<Record<string, number>> = {
  contracts: 150,
  protocol: 100,
  acceptance: 400,
  "git-output": 1000,
  "path-patterns": 3,
  "python-patterns": 2,
  paths: 2,
};

describe("nothing is found by a fixed seed", () => {
  for (const [name, open] of Object.entries(targets)) {
    const reason = unavailable(name);
    if (reason !== undefined) console.log(`skipped: fuzzing ${name}, because ${reason}`);
    test.skipIf(reason !== undefined)(name, async () => {
      const target = open();
      const run = await fuzz(target, { seed: 4711, milliseconds: 60_000, cases: cases[name] ?? 0 });
      target.close?.();
      expect(run.failures).toEqual([]);
      expect(run.cases).toBe(cases[name] as number);
    });
  }
});

test("a case that fails is told with the seed by which it comes again", async () => {
  const make = (random: () => number) => {
    const input = Math.floor(random() * 100);
    const check = () => {
      if (input < 5) throw new Error(`found ${input}`);
    };
    return { input, check };
  };
  const { failures } = await fuzz({ make }, { seed: 1, milliseconds: 5000, cases: 200 });
  expect(failures.length).toBeGreaterThan(0);
  for (const { seed, input } of failures) {
    const again = await fuzz({ make }, { seed, milliseconds: 5000, cases: 1 });
    expect(again.failures).toEqual([{ seed, input, reason: expect.stringContaining(`found ${input}`) }]);
  }
});
