/**
 * Every operation, killed and failed at the calls it makes of the system. A run of the tests tries a sample;
 * `bun test/faults/table.ts` tries everything.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/repository.ts";
import { compileFaulty } from "./build.ts";
import { runMatrix } from "./matrix.ts";
import { operations } from "./operations/all.ts";
import { removeTemplates } from "./operations/world.ts";

const { path: folder, dispose } = temporaryFolder();
const executable = join(folder, "faulty");
beforeAll(() => compileFaulty(executable));
afterAll(dispose);
afterAll(removeTemplates);

for (const operation of operations(executable)) {
  test(operation.name, async () => {
    const { boundaries, cells, seconds } = await runMatrix(operation, { all: false, executable });
    console.log(
      `${operation.name}: ${boundaries.length} boundaries, ${cells.length} faults, ${seconds.toFixed(1)} s`,
    );
    const wrong = cells.filter(({ problems }) => problems.length > 0);
    expect(wrong.map(({ at, fault, problems }) => `${at}: ${fault}: ${problems.join("; ")}`)).toEqual([]);
    expect(cells.length).toBeGreaterThan(boundaries.length / 10);
  }, 600_000);
}
