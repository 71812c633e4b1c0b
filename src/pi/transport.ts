/** One request, one process: what the adapter's tools use to speak to the engine. */
import { type Ending, type Environment, type Run, runner, type Spawner, startProcess } from "./child.ts";
import { engineEnvironment, findEngine } from "./engine.ts";
import type { Host } from "./host.ts";
import { jsonObject } from "./json.ts";
import { type Request, type Response, readResponse } from "./protocol.ts";
import { oneLine } from "./text.ts";

/** What the adapter takes from its surroundings; tests pass their own. Times are milliseconds. */
export interface Surroundings {
  readonly environment: Environment;
  readonly start: Spawner;
  readonly deadlines: { readonly [operation in Request["operation"] | "deliver"]: number };
  /** How long a child that was told to end may take before it is killed; a delivery has a worktree to remove. */
  readonly graces: { readonly protocol: number; readonly deliver: number };
}

/** A delivery's own limit is 900 s for its command; clean-up and declared checks come on top. */
export const surroundings: Surroundings = {
  environment: process.env,
  start: startProcess,
  deadlines: { check: 30_000, replace: 30_000, test: 130_000, deliver: 3_600_000 },
  graces: { protocol: 10_000, deliver: 60_000 },
};

export type TransportCode =
  | "ENGINE_START_FAILED"
  | "ENGINE_TIMEOUT"
  | "ENGINE_CRASHED"
  | "ENGINE_MALFORMED_RESPONSE";

export interface TransportFailure {
  readonly failed: TransportCode;
  readonly message: string;
}

export type Ask = (request: Request, signal?: AbortSignal) => Promise<Response | TransportFailure>;

const responseLimit = 1024 * 1024;

/** Gives an `ask` that never rejects. An abort of `signal` ends the engine; its children die with the session. */
export function transport(host: Host, around: Surroundings): Ask {
  const run = runner(host, around.start);
  return (request, signal) => ask(run, around, request, signal);
}

async function ask(run: Run, around: Surroundings, request: Request, signal: AbortSignal | undefined) {
  const engine = findEngine(around.environment);
  if ("problem" in engine) return failure("ENGINE_START_FAILED", engine.problem);
  const lastWords = lastLine();
  const running = run({
    program: engine.path,
    argv: ["protocol"],
    cwd: undefined,
    env: engineEnvironment(around.environment),
    input: `${JSON.stringify({ version: 1, ...request })}\n`,
    deadline: around.deadlines[request.operation],
    grace: around.graces.protocol,
    limit: responseLimit,
    onStderr: lastWords.hear,
  });
  if (signal?.aborted) running.stop();
  signal?.addEventListener("abort", running.stop);
  const ending = await running.ended;
  signal?.removeEventListener("abort", running.stop);

  const object = ending.tooLong ? undefined : jsonObject(ending.stdout);
  const response = object && readResponse(object, request);
  if (response && !("problem" in response)) return response;
  return explain(ending, around.deadlines[request.operation], response?.problem, lastWords.get());
}

/**
 * Why a child gave no usable answer. `problem` is what is wrong with the JSON object it wrote, undefined if it
 * wrote none.
 */
export function explain(
  ending: Ending,
  deadline: number,
  problem: string | undefined,
  lastWords: string,
): TransportFailure {
  const said = lastWords === "" ? "" : `: ${lastWords}`;
  if (ending.startFailure !== undefined) return failure("ENGINE_START_FAILED", ending.startFailure);
  if (ending.timedOut) return failure("ENGINE_TIMEOUT", `no answer within ${deadline / 1000} s`);
  if (ending.tooLong) return failure("ENGINE_MALFORMED_RESPONSE", "the answer is too large");
  if (problem !== undefined) return failure("ENGINE_MALFORMED_RESPONSE", `the answer is wrong: ${problem}`);
  if (ending.signal !== null)
    return failure("ENGINE_CRASHED", `the engine was ended by ${ending.signal}${said}`);
  if (ending.code !== 0) return failure("ENGINE_CRASHED", `the engine exited with ${ending.code}${said}`);
  if (ending.inputFailure !== undefined) {
    return failure("ENGINE_START_FAILED", `the request could not be written: ${ending.inputFailure}`);
  }
  return failure("ENGINE_MALFORMED_RESPONSE", "the answer is not one JSON object");
}

function failure(failed: TransportCode, message: string): TransportFailure {
  return { failed, message: oneLine(message) };
}

/** Keeps the last line of a stream that is not blank, at most some 500 characters of it. */
export function lastLine(): { hear(chunk: Buffer): void; get(): string } {
  let tail = "";
  return {
    hear: (chunk) => {
      tail = (tail + chunk.toString("utf8")).slice(-500);
    },
    get: () => tail.trim().split("\n").at(-1) ?? "",
  };
}
