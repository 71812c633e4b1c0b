/**
 * Fifty deliveries at once, again and again. `CROWD_SECONDS` makes it as long as one likes, `CROWD_SEED` repeats a
 * run's numbers of chance, though not its timing.
 */
import { afterAll, expect, test } from "bun:test";
import { type CrowdOptions, crowd, settle } from "../support/crowd.ts";
import { baseFiles, type Scene, scene } from "../support/delivery.ts";
import { randomFrom } from "../support/random.ts";

const seconds = Number(process.env["CROWD_SECONDS"] ?? 0);
const seed = Number(process.env["CROWD_SEED"] ?? 20_260_301);
const limit = 120_000 + seconds * 1000;

const scenes: Scene[] = [];
afterAll(() => {
  for (const at of scenes) at.dispose();
});

const kinds: Record<string, Pick<CrowdOptions, "person" | "kills">> = {
  "beside a person whose tree stays clean": { person: "calm", kills: 0 },
  "beside a person who switches between branches": { person: "restless", kills: 0 },
  "some of them killed": { person: "calm", kills: 6 },
};
for (const [what, kind] of Object.entries(kinds)) {
  test(
    `fifty deliveries at once, ${what}`,
    async () => {
      const random = randomFrom(seed);
      const totals: Record<string, number> = {};
      const until = performance.now() + (seconds * 1000) / 3;
      let at: Scene | undefined;
      for (let round = 0; round === 0 || performance.now() < until; round++) {
        // A repository grows with each round, and checking it takes longer than the round.
        if (at === undefined || round % 5 === 0) {
          at?.dispose();
          at = scene(undefined, baseFiles, round % 10 < 5 ? [] : ["--object-format=sha256"]);
          scenes.push(at);
          settle(at);
        }
        const report = await crowd(at, { round, deliveries: 50, random, ...kind });
        for (const [name, number] of Object.entries({ rounds: 1, ...report })) {
          totals[name] = (totals[name] ?? 0) + number;
        }
      }
      console.log(
        `${what}:`,
        Object.entries(totals)
          .map(([name, number]) => `${number} ${name}`)
          .join(", "),
      );
      expect(totals["OK"]).toBeGreaterThan(0);
    },
    limit,
  );
}
