/**
 * Measures the executable against its floors: `bun run bench [--engine PATH] [--only ROW]... [--rounds N] [--json FILE]`.
 *
 * Prints a table, and with `--json` writes the same numbers to a file. It judges nothing: shared machines are too
 * uneven for that. Repositories lie in `TMPDIR`, which should be a fresh file system: some become several times
 * slower after many deletions.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { compile, executable } from "../build.ts";
import { acceptance } from "./bench/acceptance.ts";
import { delivery } from "./bench/delivery.ts";
import { type Bench, type Measurement, type Row, run } from "./bench/measure.ts";
import { startUp } from "./bench/start-up.ts";
import { folderOfScript } from "./temporary.ts";

const rows: readonly Row[] = [...startUp, ...delivery, ...acceptance];
const values = asked(process.argv.slice(2)) ?? refuse();

// It would make some programs that are measured several times slower.
delete process.env["PYTHONDONTWRITEBYTECODE"];
const folder = folderOfScript("bench");
const wanted = rows.filter(({ name, slow }) => values.only?.includes(name) ?? !slow);
const taken = await measureAll(wanted, await prepare());
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report(taken), null, 2)}\n`);

/** The options; undefined if they are not understood. */
function asked(args: string[]) {
  const options = {
    engine: { type: "string" },
    json: { type: "string" },
    only: { type: "string", multiple: true },
    rounds: { type: "string", default: "15" },
  } as const;
  try {
    const { values } = parseArgs({ args, options });
    const rounds = Number(values.rounds);
    const known = values.only?.every((name) => rows.some((row) => row.name === name)) ?? true;
    return known && Number.isInteger(rounds) && rounds > 0 ? { ...values, rounds } : undefined;
  } catch {
    return undefined;
  }
}

function refuse(): never {
  const names = rows.map(({ name }) => name).join(", ");
  console.error(
    `bench: accepted are --engine PATH, --json FILE, --rounds NUMBER, and --only with one of ${names}`,
  );
  process.exit(2);
}

/** Builds the floors, and the engine if none is given. */
async function prepare(): Promise<Bench> {
  const floors = join(folder, "floors");
  mkdirSync(floors);
  const floor = async (name: string) => {
    await compile(`scripts/bench/floor-${name}.ts`, join(floors, name));
    return join(floors, name);
  };
  if (values.engine === undefined) await compile("src/main.ts", executable);
  return {
    engine: resolve(values.engine ?? executable),
    floors: { line: await floor("line"), replace: await floor("replace"), spawn: await floor("spawn") },
    folder,
    rounds: values.rounds,
  };
}

/** Prints each line as soon as it is known. What could not be measured is said, and leaves the rest alone. */
async function measureAll(wanted: readonly Row[], bench: Bench): Promise<readonly Measurement[]> {
  console.log("| what | engine | floor | ratio | target |\n|---|---:|---:|---:|---|");
  const all: Measurement[] = [];
  for (const row of wanted) {
    // A row runs in one go, so that this is when a signal is heard.
    await Bun.sleep(0);
    try {
      const taken = row.measure(bench);
      for (const one of taken) console.log(line(one));
      all.push(...taken);
    } catch (error) {
      console.error(`bench: ${row.name} was not measured: ${error instanceof Error ? error.message : error}`);
    }
  }
  return all;
}

function line({ what, unit, engine, floor, floorOf, target }: Measurement): string {
  const bare = floor === undefined ? "" : `${rounded(floor)} ${unit} (${floorOf})`;
  const ratio = floor === undefined ? "" : `${(engine / floor).toFixed(2)} x`;
  return `| ${[what, `${rounded(engine)} ${unit}`, bare, ratio, target].join(" | ")} |`;
}

function rounded(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

function report(taken: readonly Measurement[]) {
  const git = run({ argv: ["git", "version"] }).trim();
  const machine = { system: process.platform, processor: process.arch, model: cpus()[0]?.model };
  return {
    engine: JSON.parse(run({ argv: [resolve(values.engine ?? executable), "--version", "--json"] })),
    machine: { ...machine, cores: availableParallelism(), git },
    rounds: values.rounds,
    measurements: taken.map((one) =>
      one.floor === undefined ? one : { ...one, ratio: one.engine / one.floor },
    ),
  };
}
