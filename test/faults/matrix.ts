/** Runs an operation once for each boundary and fault, and asks its world each time whether all is as it must be. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { faultsAt, sampleAt } from "./faults.ts";
import type { Judgement, Operation, Run, World } from "./operation.ts";
import type { Fault } from "./seam/boundary.ts";

export interface Cell extends Judgement {
  readonly at: string;
  readonly fault: Fault;
}

export interface Matrix {
  readonly operation: string;
  /** In the order in which a run meets them. */
  readonly boundaries: readonly string[];
  readonly cells: readonly Cell[];
  readonly seconds: number;
}

export interface MatrixOptions {
  /** Every fault at every boundary, not a sample. */
  readonly all: boolean;
  /** Only boundaries and faults whose `boundary: fault` this matches. */
  readonly only?: RegExp | undefined;
  /** The executable with the seam. */
  readonly executable: string;
  /** Hears of each cell when it is known. */
  readonly onCell?: (cell: Cell) => void;
}

/** Two runs at a time. */
export async function runMatrix(operation: Operation, options: MatrixOptions): Promise<Matrix> {
  const started = performance.now();
  const boundaries = await enumerate(operation, options.executable);
  const wanted = boundaries
    .flatMap((at, seed) => (options.all ? faultsAt(at) : sampleAt(at, seed)).map((fault) => ({ at, fault })))
    .filter(({ at, fault }) => options.only === undefined || options.only.test(`${at}: ${fault}`));
  const cells = new Map<object, Cell>();
  const queue = wanted.values();
  const worker = async () => {
    for (const one of queue) {
      const cell = { ...one, ...(await tryOnce(operation, options.executable, one)) };
      cells.set(one, cell);
      options.onCell?.(cell);
    }
  };
  await Promise.all([worker(), worker()]);
  return {
    operation: operation.name,
    boundaries,
    cells: wanted.flatMap((one) => cells.get(one) ?? []),
    seconds: (performance.now() - started) / 1000,
  };
}

/** The boundaries that an undisturbed run meets and at which a fault can strike; it must go well. */
async function enumerate(operation: Operation, executable: string): Promise<readonly string[]> {
  const world = await operation.world();
  try {
    const run = await runIn(world, executable, undefined);
    const { problems } = await world.judge(run);
    if (problems.length > 0) throw new Error(`${operation.name}, undisturbed: ${problems.join("; ")}`);
    const met = readFileSync(logOf(world), "utf8").split("\n").filter(Boolean);
    return met.filter((boundary) => faultsAt(boundary).length > 0);
  } finally {
    world.dispose();
  }
}

type At = Pick<Cell, "at" | "fault">;

/** What came of the fault; tried again where a run did not come by the boundary. */
async function tryOnce(operation: Operation, executable: string, at: At, tries = 3): Promise<Judgement> {
  const world = await operation.world();
  let isWell = false;
  try {
    const run = await runIn(world, executable, at);
    const isStruck = readFileSync(logOf(world), "utf8").includes(`! ${at.at}\n`);
    if (!isStruck && tries > 1) return await tryOnce(operation, executable, at, tries - 1);
    rmSync(logOf(world));
    const judged = await world.judge(run);
    const problems = [...run.problems, ...judged.problems, ...(isStruck ? [] : ["the boundary was not met"])];
    const crash = /internal error: .*/.exec(run.stderr)?.[0];
    if (crash !== undefined) problems.push(crash);
    isWell = problems.length === 0;
    return { problems, found: judged.found };
  } catch (error) {
    return { problems: [String(error)], found: "" };
  } finally {
    if (isWell || process.env["KEEP_WORLDS"] === undefined) world.dispose();
    else console.error(`kept ${world.folder}`);
  }
}

function logOf(world: World): string {
  return `${world.folder}/boundaries.log`;
}

async function runIn(
  world: World,
  executable: string,
  at: At | undefined,
): Promise<Run & { readonly problems: readonly string[] }> {
  const plan = { root: world.folder, log: logOf(world), ...at };
  const child = Bun.spawn([executable, ...world.argv], {
    cwd: world.cwd,
    env: { ...world.env, SATYRN_FAULT: JSON.stringify(plan) },
    stdin: world.stdin === undefined ? "ignore" : Buffer.from(world.stdin),
    stdout: "pipe",
    stderr: "pipe",
    timeout: 60_000,
    killSignal: "SIGABRT",
  });
  const output = Promise.all([child.stdout.text(), child.stderr.text()]);
  const problems: string[] = [];
  if (at?.fault === "pause") {
    if (await isStopped(child)) {
      problems.push(...(await world.interfere(() => child.kill("SIGCONT"))));
    }
    child.kill("SIGCONT");
  }
  await child.exited;
  const [stdout, stderr] = await output;
  if (child.signalCode === "SIGABRT") problems.push("it did not end within a minute");
  const isDeadly = at?.fault.startsWith("kill") === true;
  if (isDeadly !== (child.signalCode === "SIGKILL"))
    problems.push(`it ended by ${child.signalCode ?? "itself"}`);
  return {
    ...(at === undefined ? {} : { at }),
    status: child.exitCode,
    killed: child.signalCode !== null,
    stdout,
    stderr,
    problems,
  };
}

/** Waits until the process is stopped; false if it ended. */
async function isStopped(child: Bun.Subprocess): Promise<boolean> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    const stat = existsSync(`/proc/${child.pid}/stat`)
      ? readFileSync(join("/proc", String(child.pid), "stat"), "latin1")
      : "";
    if (/\) T /.test(stat)) return true;
    await Bun.sleep(2);
  }
}
