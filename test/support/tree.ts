/** Programs run the way the engine runs a caller's, and what they leave behind. */
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandEnvironment } from "../../src/process/environment.ts";
import { keepLast } from "../../src/process/sinks.ts";
import { runTree, type TreeRequest, type TreeResult } from "../../src/process/tree.ts";
import type { Drive } from "./drive-tree.ts";

export interface ProgramRun extends TreeResult {
  /** Both streams, at most 64 KiB of them. */
  readonly text: string;
  readonly milliseconds: number;
  /** Command lines of what still runs of the tree, wherever it hides; zombies left out. */
  readonly left: readonly string[];
}

/** Runs `argv` in the temporary folder, for ten seconds at most, unless `request` says otherwise. */
export async function runProgram(
  argv: readonly string[],
  request: Partial<TreeRequest> = {},
): Promise<ProgramRun> {
  const cwd = request.cwd ?? tmpdir();
  const mark = `tree-${crypto.randomUUID()}`;
  const environment = {
    ...(request.environment ?? commandEnvironment(process.env, cwd)),
    SATYRN_TEST_MARK: mark,
  };
  const printed = keepLast(65536);
  const began = performance.now();
  const result = await runTree({
    argv,
    cwd,
    deadline: 10_000,
    interruption: null,
    output: { kind: "joined", sink: printed.sink },
    ...request,
    environment,
  });
  return {
    ...result,
    text: new TextDecoder().decode(printed.kept().bytes),
    milliseconds: performance.now() - began,
    left: runningWith(mark),
  };
}

/** Runs a line of the POSIX shell. */
export function runShell(line: string, request: Partial<TreeRequest> = {}): Promise<ProgramRun> {
  return runProgram(["/bin/sh", "-c", line], request);
}

/** The command lines of every live process that has `mark` in the environment it started with. */
export function runningWith(mark: string): readonly string[] {
  if (process.platform !== "linux") {
    const listed = Bun.spawnSync(["ps", "-axEww", "-o", "command="], { stderr: "ignore" }).stdout;
    return listed
      .toString()
      .split("\n")
      .filter((line) => line.includes(mark));
  }
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const isAlive = !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
      const isMarked = isAlive && readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
      return isMarked ? [readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")] : [];
    } catch {
      return [];
    }
  });
}

const driver = join(import.meta.dir, "drive-tree.ts");

/** The argument vector of a process that runs `drive.argv`, with nothing forwarded unless it says so. */
export function driverArgv(drive: Partial<Drive> & Pick<Drive, "argv">): readonly string[] {
  const whole: Drive = { deadline: 10_000, descriptor: null, interruption: null, report: null, ...drive };
  return [process.execPath, driver, JSON.stringify(whole)];
}
