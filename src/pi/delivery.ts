/** One delivery: the engine's `deliver`, with its `attempt` as the command. */
import type { Environment, Run } from "./child.ts";
import { engineEnvironment } from "./engine.ts";
import { piInvocation } from "./invocation.ts";
import { isObject, type JsonObject, jsonObject } from "./json.ts";
import { type Candidate, type Refused, readReceipt } from "./receipt.ts";
import { contractInWorktree } from "./repository.ts";
import { explain, type Surroundings } from "./transport.ts";

export interface Order {
  readonly engine: string;
  readonly root: string;
  /** Absolute. */
  readonly contract: string;
  readonly model: string;
}

/** What the model is doing, for the status line. */
export interface Progress {
  turns: number;
  lastTool: string | undefined;
}

export type Delivered =
  | {
      readonly kind: "receipt";
      readonly receipt: Candidate | Refused;
      readonly raw: JsonObject;
      /** The last line that the attempt wrote for people. */
      readonly attempt: string | undefined;
      /** The engine's exit status. */
      readonly status: number;
    }
  | { readonly kind: "failure"; readonly code: string; readonly message: string; readonly status: number };

export interface Delivery {
  /** Told once the engine has closed; never rejects. */
  readonly done: Promise<Delivered>;
  readonly progress: Progress;
  /** Ends the delivery, which cleans up after itself. */
  cancel(): void;
}

/** Seconds that the attempt may take. */
const attemptLimit = 900;
/** A receipt lists every changed path. */
const receiptLimit = 64 * 1024 * 1024;
/** Lines for people that are kept: the attempt's last one, and the delivery's own after it. */
const notesKept = 5;
/** Longer lines are not looked into. */
const lineLimit = 64 * 1024;

export function deliver(order: Order, run: Run, around: Surroundings): Delivery {
  const progress: Progress = { turns: 0, lastTool: undefined };
  const notes: string[] = [];
  let cancelled = false;
  const running = run({
    program: order.engine,
    argv: argvOf(order),
    cwd: order.root,
    env: environmentOf(around.environment),
    input: "",
    deadline: around.deadlines.deliver,
    grace: around.graces.deliver,
    limit: receiptLimit,
    onStderr: lines((line) => {
      if (line.startsWith("{")) follow(line, progress);
      else if (line.startsWith("satyrn-engine: ")) notes.push(line.slice("satyrn-engine: ".length));
      if (notes.length > notesKept) notes.shift();
    }),
  });
  const done = running.ended.then((ending): Delivered => {
    const raw = ending.tooLong ? undefined : jsonObject(ending.stdout);
    const receipt = raw && readReceipt(raw);
    if (raw && receipt && !("problem" in receipt) && !(ending.timedOut && receipt.code === "INTERRUPTED")) {
      const attempt = notes.findLast((note) => !note.startsWith(`${receipt.code}: `));
      return { kind: "receipt", receipt, raw, attempt, status: ending.code || 1 };
    }
    if (cancelled && !ending.timedOut) {
      return { kind: "failure", code: "INTERRUPTED", message: "the delivery was cancelled", status: 8 };
    }
    const problem = receipt && "problem" in receipt ? receipt.problem : undefined;
    const { failed, message } = explain(ending, around.deadlines.deliver, problem, notes.at(-1) ?? "");
    return { kind: "failure", code: failed, message, status: 1 };
  });
  const cancel = (): void => {
    cancelled = true;
    running.stop();
  };
  return { done, progress, cancel };
}

function argvOf({ engine, root, contract, model }: Order): readonly string[] {
  const attempt = [engine, "attempt", "--model", model, "--", contractInWorktree(root, contract)];
  return ["deliver", "--repo", root, "--timeout", String(attemptLimit), contract, "--", ...attempt];
}

/** The attempt starts the same Pi that runs this, unless the person chose another one. */
function environmentOf(environment: Environment): Environment {
  const pi = environment["SATYRN_PI"] || JSON.stringify(piInvocation(process.execPath, process.argv[1]));
  return { ...engineEnvironment(environment), SATYRN_PI: pi };
}

/** Reads one event of the attempt's transcript, which the engine passes on. */
function follow(line: string, progress: Progress): void {
  try {
    const event: unknown = JSON.parse(line);
    if (!isObject(event)) return;
    if (event["type"] === "turn_start") progress.turns++;
    if (event["type"] === "tool_execution_start") progress.lastTool = String(event["toolName"]);
  } catch {
    // Not JSON: some other output of the attempt.
  }
}

/** Cuts a stream into lines for `hear`; what a line has beyond the limit is dropped. */
function lines(hear: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder();
  let rest = "";
  return (chunk) => {
    const [head = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    rest = (rest + head).slice(0, lineLimit);
    for (const next of others) {
      hear(rest);
      rest = next.slice(0, lineLimit);
    }
  };
}
