/** What acceptance costs beside the commands it runs. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeTask } from "../../test/support/task.ts";
import { type Bench, contest, countGit, type Measurement, type Row, run, timed } from "./measure.ts";

export const acceptance: readonly Row[] = [
  { name: "verify-50", measure: (bench) => [fiftyCommands(bench)] },
  { name: "accept-reused", measure: reused },
];

function fiftyCommands(bench: Bench): Measurement {
  const argv = ["sleep", "0.005"];
  const commands = Array.from({ length: 50 }, () => ({ argv }));
  const task = makeTask({ expected: { verification_commands: commands } });
  const packet = task.packet();
  const medians = contest(bench.rounds, {
    engine: () => timed(() => run({ argv: [bench.engine, "verify", "--packet", packet] })),
    floor: () => timed(() => run({ argv: [bench.floors.spawn, "50", ...argv] })),
  });
  task.dispose();
  const floorOf = "a program that spawns them one after the other";
  return { what: "`verify`, 50 commands of 5 ms", unit: "ms", ...medians, floorOf, target: "<= 1.4 x" };
}

function reused(bench: Bench): readonly Measurement[] {
  const log = join(bench.folder, "commands.log");
  const commands = Array.from({ length: 10 }, () => ({ cmd: `echo >> '${log}'` }));
  const task = makeTask({
    expected: { verification_commands: commands, required_files: ["README.md", "src/a.txt"] },
  });
  const packet = task.packet();
  run({ argv: [bench.engine, "verify", "--packet", packet] });
  rmSync(log);
  const submission = task.submission({ runner_results: [".devlyn/loop/runs/1/result.json"] });
  const argv = [bench.engine, "accept", "--packet", packet, "--submission", submission];
  const medians = contest(bench.rounds, {
    engine: () => timed(() => run({ argv })),
    floor: () => timed(() => run({ argv: [bench.floors.line] })),
  });
  const processes = countGit(bench, (env) => run({ argv, env }));
  const executed = existsSync(log) ? readFileSync(log, "utf8").length : 0;
  task.dispose();
  const what = "`accept`, everything re-used";
  return [
    { what, unit: "ms", ...medians, floorOf: "a program that writes one line", target: "" },
    { what: `${what}: commands executed`, unit: "commands", engine: executed, target: "0" },
    { what: `${what}: Git processes`, unit: "processes", engine: processes, target: "<= 12" },
  ];
}
