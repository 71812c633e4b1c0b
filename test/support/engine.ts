/** The compiled executable, run as a black box. */
import { existsSync, readFileSync } from "node:fs";
import { executable as built } from "../../build.ts";

/** Absolute path of the executable under test: `SATYRN_TEST_EXECUTABLE`, or what the build made. */
export const executable = process.env["SATYRN_TEST_EXECUTABLE"] || built;
if (!existsSync(executable)) throw new Error(`${executable} is not there: run the build first`);

export interface EngineRun {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface EngineOptions {
  readonly cwd?: string;
  /** Added to the caller's environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Uint8Array;
  /** A program that runs the executable, with its own arguments. */
  readonly wrapper?: readonly string[];
}

/** Whether a process of this number runs; one that waits for its parent to ask after it does not. */
export function isRunning(pid: number): boolean {
  try {
    if (process.platform === "linux") return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Runs the executable to its end and gives all it printed. */
export async function engine(args: readonly string[], options: EngineOptions = {}): Promise<EngineRun> {
  const child = Bun.spawn([...(options.wrapper ?? []), executable, ...args], {
    cwd: options.cwd ?? process.cwd(),
    env: { ...process.env, ...options.env },
    stdin: options.stdin === undefined ? "ignore" : Buffer.from(options.stdin),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  return { status: child.exitCode, signal: child.signalCode as NodeJS.Signals | null, stdout, stderr };
}
