/** Runs one program of the caller's, and leaves nothing of it running. */
import { alteredVariable, type Environment } from "./environment.ts";
import type { Interruption } from "./interruption.ts";
import type { Channel } from "./output.ts";
import { after, pause } from "./pause.ts";
import { startFailure } from "./program.ts";
import type { Sink } from "./sinks.ts";
import type { System, Tree } from "./system.ts";
import { posix } from "./tree.posix.ts";
import { windows } from "./tree.windows.ts";

export interface TreeRequest {
  /** The exact argument vector, program first. No shell reads it. */
  readonly argv: readonly string[];
  /** On Windows: the words after the program are joined by blanks as they are, for a program with rules of its own. */
  readonly verbatim?: boolean;
  /** The directory to start in, absolute. */
  readonly cwd: string;
  /** Everything the program finds in its environment. Its PATH is where the program is looked up. */
  readonly environment: Environment;
  /** Milliseconds from the start until the tree is torn down, or null for no limit. */
  readonly deadline: number | null;
  /**
   * What ends the run from outside, as the deadline does. The tree is asked to end with SIGTERM, or with the
   * signal that came.
   */
  readonly interruption: { readonly by: Interruption; readonly send: "SIGTERM" | "the same" } | null;
  /** Milliseconds that the tree has between being asked to end and being killed; 5,000 if left out. */
  readonly grace?: number;
  readonly output: Output;
  /** Hears the number of the program's process, which leads its session, as soon as it runs. */
  readonly started?: (pid: number) => void;
}

/** Both streams in the order they are written, or each by itself. */
export type Output =
  | { readonly kind: "joined"; readonly sink: Sink }
  | { readonly kind: "apart"; readonly stdout: Sink; readonly stderr: Sink };

export interface TreeResult {
  readonly ending: Ending;
  /** Whether no process of the tree is left. If not, `survivors` names what is, and its files may be in use. */
  readonly gone: boolean;
  readonly survivors: readonly string[];
  /** What `gone` speaks of: every descendant, or only those that stayed in the program's process group. */
  readonly reach: "tree" | "group";
}

/** How the program ended. The tree was torn down, whichever it is. */
export type Ending =
  | { readonly kind: "exit"; readonly status: number }
  | { readonly kind: "signal"; readonly signal: number }
  | { readonly kind: "timeout" }
  | { readonly kind: "interrupted" }
  | { readonly kind: "spawn_error"; readonly error: string };

/**
 * Runs a program in a session and process group of its own, with the null device as its input, and returns
 * once its whole process tree is gone or cannot be proven gone.
 *
 * One at a time in one process: an orphan that this process adopts does not say whose it was.
 */
export function runTree(request: TreeRequest): Promise<TreeResult> {
  const result = previous.then(() => run(request));
  previous = result.then(
    () => {},
    () => {},
  );
  return result;
}

let previous: Promise<void> = Promise.resolve();

async function run(request: TreeRequest): Promise<TreeResult> {
  if (request.interruption?.by.signal.aborted) return neverStarted({ kind: "interrupted" });
  const altered = alteredVariable(request.environment);
  if (altered !== undefined) return neverStarted({ kind: "spawn_error", error: altered });
  const program = system.findProgram(request.argv, request.cwd, request.environment);
  if (!program.ok) return neverStarted({ kind: "spawn_error", error: program.reason });
  const routes = openRoutes(request.output);
  if (routes === null) return neverStarted({ kind: "spawn_error", error: noPipe });

  const tree = system.watch();
  const child = start(request, program.path, routes);
  for (const { channel } of routes) channel.handedOver();
  try {
    if (typeof child === "string") return neverStarted({ kind: "spawn_error", error: child });
    tree.hold(child.pid);
    request.started?.(child.pid);
    return await attend(request, child, routes, tree);
  } finally {
    tree.release();
    for (const { channel } of routes) channel.close();
  }
}

const system: System = process.platform === "win32" ? windows : posix;

// The system's own calls make a pipe, and the runtime makes them with its compiler.
const noPipe = "no pipe for its output: no descriptor is left, or the runtime may not compile code";

function neverStarted(ending: Ending): TreeResult {
  return { ending, gone: true, survivors: [], reach: "tree" };
}

interface Route {
  readonly channel: Channel;
  readonly sink: Sink;
  readonly streams: readonly ("stdout" | "stderr")[];
}

/** One channel for both streams, unless it is the runtime's own kind, which takes one. */
function openRoutes(output: Output): readonly Route[] | null {
  const [stdout, stderr] =
    output.kind === "joined" ? [output.sink, output.sink] : [output.stdout, output.stderr];
  const first = system.openChannel();
  if (first === null) return null;
  if (output.kind === "joined" && first.stdio !== "pipe")
    return [{ channel: first, sink: stdout, streams: ["stdout", "stderr"] }];
  const second = system.openChannel();
  if (second === null) {
    first.handedOver();
    first.close();
    return null;
  }
  return [
    { channel: first, sink: stdout, streams: ["stdout"] },
    { channel: second, sink: stderr, streams: ["stderr"] },
  ];
}

/** The started program, or why it did not start. */
function start(request: TreeRequest, path: string, routes: readonly Route[]): Bun.Subprocess | string {
  const name = request.argv[0] ?? "";
  const given = (stream: "stdout" | "stderr") =>
    routes.find(({ streams }) => streams.includes(stream))?.channel.stdio ?? "ignore";
  try {
    return Bun.spawn([path, ...request.argv.slice(1)], {
      // Joined to the others, a name with a blank in it would be two.
      argv0: request.verbatim === true ? `"${name}"` : name,
      cwd: request.cwd,
      env: request.environment,
      stdin: "ignore",
      stdout: given("stdout"),
      stderr: given("stderr"),
      detached: process.platform !== "win32",
      windowsHide: true,
      windowsVerbatimArguments: request.verbatim === true,
    });
  } catch (error) {
    return startFailure(error, name);
  }
}

/** Waits for the program or for what stops it, tears the tree down, takes the rest of the output. */
async function attend(
  request: TreeRequest,
  child: Bun.Subprocess,
  routes: readonly Route[],
  tree: Tree,
): Promise<TreeResult> {
  const stop = stopOf(request);
  const cut = new AbortController();
  const drains = routes.map(({ channel, sink, streams: [name = "stdout"] }) => {
    const stream = child[name];
    return channel.drainInto(sink, cut.signal, stream instanceof ReadableStream ? stream : null);
  });
  const stopped = await Promise.race([child.exited.then(() => null), stop.came]);

  const leader = { pid: child.pid, isUnreaped: () => child.exitCode === null && child.signalCode === null };
  const notice = stopped === null ? null : { signal: stopped.notice, grace: request.grace ?? deadlineGrace };
  const survivors = await tree.tearDown(leader, notice);

  // What a program printed before it ended by itself may be read until the deadline; after a stop there is
  // a last moment for it.
  const patience = stopped === null ? stop.came : pause(lastMoment, cut.signal);
  void patience.then(() => cut.abort());
  try {
    await Promise.all(drains.map((drain) => drain.finish()));
  } finally {
    cut.abort();
    stop.dispose();
  }

  if (survivors.length === 0) await child.exited;
  else child.unref();
  return {
    ending:
      stopped === null ? endingOf(child, tree.exitStatus() ?? (await child.exited)) : { kind: stopped.kind },
    gone: survivors.length === 0,
    survivors,
    reach: tree.reach,
  };
}

// From the notice to the tree until it is ended by force.
const deadlineGrace = 5000;
const lastMoment = 250;

// The runtime gives 128 plus the number for a signal, also for those it has no name for.
function endingOf(child: Bun.Subprocess, status: number): Ending {
  return child.signalCode === null ? { kind: "exit", status } : { kind: "signal", signal: status - 128 };
}

interface Stop {
  readonly kind: "timeout" | "interrupted";
  readonly notice: NodeJS.Signals;
}

/** What comes first of the deadline and the interruption; never, if there is neither. */
function stopOf({ deadline, interruption }: TreeRequest): { readonly came: Promise<Stop>; dispose(): void } {
  const { promise, resolve } = Promise.withResolvers<Stop>();
  const cancel =
    deadline === null ? () => {} : after(deadline, () => resolve({ kind: "timeout", notice: "SIGTERM" }));
  const interrupt = () => {
    const same = interruption?.send === "the same" ? interruption.by.name() : null;
    resolve({ kind: "interrupted", notice: same ?? "SIGTERM" });
  };
  interruption?.by.signal.addEventListener("abort", interrupt);
  return {
    came: promise,
    dispose: () => {
      cancel();
      interruption?.by.signal.removeEventListener("abort", interrupt);
    },
  };
}
