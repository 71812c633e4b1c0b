/** Child processes of the adapter: one way to start one, to end it, and to be sure that it ended. */
import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Host } from "./host.ts";
import { reasonOf } from "./text.ts";

/** What the adapter needs of a child process. */
export interface Child {
  readonly pid?: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  kill(signal: "SIGTERM" | "SIGKILL"): boolean;
  on(event: "error", handler: (error: Error) => void): unknown;
  on(event: "exit" | "close", handler: (code: number | null, signal: string | null) => void): unknown;
}

/** Starts a program without a shell. Tests inject another one; so can an embedder. */
export type Spawner = (
  program: string,
  argv: readonly string[],
  options: { readonly cwd: string | undefined; readonly env: Environment },
) => Child;

export type Environment = Readonly<Record<string, string | undefined>>;

export const startProcess: Spawner = (program, argv, options) =>
  spawn(program, argv, { cwd: options.cwd, env: { ...options.env }, stdio: "pipe", windowsHide: true });

export interface Errand {
  readonly program: string;
  readonly argv: readonly string[];
  /** Pi's own working directory if undefined. */
  readonly cwd: string | undefined;
  readonly env: Environment;
  /** Written to stdin, which is then closed. */
  readonly input: string;
  /** Milliseconds until the child is told to end. */
  readonly deadline: number;
  /** Milliseconds between TERM and KILL. */
  readonly grace: number;
  /** Bytes of stdout that are kept; a child that writes more is told to end. */
  readonly limit: number;
  readonly onStderr: (chunk: Buffer) => void;
}

/** How a child ended, told once it has closed. */
export interface Ending {
  /** Why it never started. */
  readonly startFailure: string | undefined;
  /** Why its input could not be written. */
  readonly inputFailure: string | undefined;
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly tooLong: boolean;
  readonly timedOut: boolean;
}

export interface Running {
  /** Never rejects. */
  readonly ended: Promise<Ending>;
  /** TERM now, KILL after the grace. */
  stop(): void;
}

export type Run = (errand: Errand) => Running;

/**
 * Gives a `run` whose children die with the session: at `session_shutdown` they are stopped and awaited, and a
 * Pi that exits at once still sends them TERM.
 */
export function runner(host: Host, start: Spawner): Run {
  const running = new Set<Running>();
  const stopAll = (): void => {
    for (const one of running) one.stop();
  };
  host.on("session_shutdown", async () => {
    stopAll();
    await Promise.all(Array.from(running, (one) => one.ended));
  });
  return (errand) => {
    const one = run(errand, start);
    if (running.size === 0) process.on("exit", stopAll);
    running.add(one);
    const ended = one.ended.then((ending) => {
      running.delete(one);
      if (running.size === 0) process.off("exit", stopAll);
      return ending;
    });
    return { ended, stop: one.stop };
  };
}

/** A pipe that someone else still holds open is not waited for longer than this, in milliseconds. */
const drainTime = 2000;

function run(errand: Errand, start: Spawner): Running {
  let child: Child;
  try {
    child = start(errand.program, errand.argv, { cwd: errand.cwd, env: errand.env });
  } catch (error) {
    return { ended: Promise.resolve(neverStarted(reasonOf(error))), stop: () => {} };
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let inputFailure: string | undefined;
  let timedOut = false;
  let over = false;
  let killer: NodeJS.Timeout | undefined;
  let drain: NodeJS.Timeout | undefined;

  const stop = (): void => {
    if (over || killer !== undefined) return;
    killer = setTimeout(() => child.kill("SIGKILL"), errand.grace);
    child.kill("SIGTERM");
  };
  const deadline = setTimeout(() => {
    timedOut = true;
    stop();
  }, errand.deadline);

  const ended = new Promise<Ending>((resolve) => {
    const settle = (ending: Ending): void => {
      over = true;
      clearTimeout(deadline);
      clearTimeout(killer);
      clearTimeout(drain);
      resolve(ending);
    };
    child.on("error", (error) => {
      if (child.pid === undefined) settle(neverStarted(error.message));
    });
    child.on("exit", () => {
      drain = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, drainTime);
    });
    child.on("close", (code, signal) => {
      const stdout = Buffer.concat(chunks);
      const tooLong = size > errand.limit;
      settle({ startFailure: undefined, inputFailure, code, signal, stdout, tooLong, timedOut });
    });
  });

  child.stdout.on("error", () => {});
  child.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= errand.limit) chunks.push(chunk);
    else stop();
  });
  child.stderr.on("error", () => {});
  child.stderr.on("data", errand.onStderr);
  child.stdin.on("error", (error) => {
    inputFailure = error.message;
  });
  child.stdin.end(errand.input);
  return { ended, stop };
}

function neverStarted(reason: string): Ending {
  return {
    startFailure: reason,
    inputFailure: undefined,
    code: null,
    signal: null,
    stdout: Buffer.alloc(0),
    tooLong: false,
    timedOut: false,
  };
}
