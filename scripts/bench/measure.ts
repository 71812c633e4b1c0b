/** How one number is taken: whole processes, the engine and its floor in turn, medians. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What every row measures with. */
export interface Bench {
  /** The binary that is measured. */
  readonly engine: string;
  /** Floors that were built with the same flags. */
  readonly floors: { readonly line: string; readonly replace: string; readonly spawn: string };
  /** A new folder for this run. */
  readonly folder: string;
  /** How many samples a median is taken of. */
  readonly rounds: number;
}

/** One line of the table. */
export interface Measurement {
  readonly what: string;
  readonly unit: "ms" | "MB" | "processes" | "commands" | "failures";
  readonly engine: number;
  readonly floor?: number;
  /** What `floor` is the number of. */
  readonly floorOf?: string;
  readonly target: string;
}

/** Measurements that are taken together, by the name `--only` knows. */
export interface Row {
  readonly name: string;
  /** Left out unless it is asked for by name. */
  readonly slow?: boolean;
  readonly measure: (bench: Bench) => readonly Measurement[];
}

export interface Call {
  readonly argv: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The exit status a right answer has. */
  readonly status?: number;
}

/** Runs a process to its end and gives its stdout. Throws if it does not end as it should: its time would mean nothing. */
export function run({ argv, stdin, env, status = 0 }: Call): string {
  const child = Bun.spawnSync([...argv], {
    env: { ...process.env, ...env },
    stdin: stdin === undefined ? "ignore" : Buffer.from(stdin),
    stdout: "pipe",
    stderr: "pipe",
  });
  if (child.exitCode === status) return child.stdout.toString();
  const words = child.stderr.toString().trim().slice(0, 500);
  throw new Error(`${argv.slice(0, 2).join(" ")} ended with ${child.exitCode}, not ${status}: ${words}`);
}

/** Milliseconds that `step` takes. */
export function timed(step: () => void): number {
  const started = performance.now();
  step();
  return performance.now() - started;
}

/** One sample of the engine and one of the floor; `round` counts from 0. */
export interface Contest {
  readonly engine: (round: number) => number;
  readonly floor: (round: number) => number;
}

/**
 * Medians of `rounds` samples each, taken in turn, and the other first every second round: what else the machine
 * does, and what the one leaves for the other, falls on both. A first sample of each is thrown away.
 */
export function contest(rounds: number, { engine, floor }: Contest): { engine: number; floor: number } {
  const samples: Record<"engine" | "floor", number[]> = { engine: [], floor: [] };
  for (let round = 0; round <= rounds; round++) {
    const first = round % 2 === 0 ? ("engine" as const) : ("floor" as const);
    const second = first === "engine" ? ("floor" as const) : ("engine" as const);
    for (const side of [first, second]) samples[side].push((side === "engine" ? engine : floor)(round));
  }
  return { engine: median(samples.engine.slice(1)), floor: median(samples.floor.slice(1)) };
}

export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/**
 * Peak memory of a process and of those it waited for, in MB, by time(1) of GNU: a child begins with the peak of
 * the process that starts it, so the one that starts it must be small.
 */
export function peak(bench: Bench, call: Call): number {
  const report = join(bench.folder, "peak");
  rmSync(report, { force: true });
  run({ ...call, argv: ["/usr/bin/time", "-q", "-f", "%M", "-o", report, ...call.argv] });
  return Number(readFileSync(report, "utf8")) / 1024;
}

/** Runs `step` with a `git` first on PATH that counts how often it is started. */
export function countGit(bench: Bench, step: (env: Readonly<Record<string, string>>) => void): number {
  const bin = join(bench.folder, "counting");
  const log = join(bench.folder, "git.log");
  rmSync(log, { force: true });
  const script = `#!/bin/sh\necho "$*" >> '${log}'\nexec '${Bun.which("git")}' "$@"\n`;
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  step({ PATH: `${bin}:${process.env["PATH"]}` });
  return readFileSync(log, "utf8").split("\n").length - 1;
}
