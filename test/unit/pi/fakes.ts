/** A Pi and an engine that live in this process: what the unit tests of the adapter inject. */
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { Child, Spawner } from "../../../src/pi/child.ts";
import type { Block, Command, Context, Host, Tool, ToolCall, ToolResult } from "../../../src/pi/host.ts";
import type { Surroundings } from "../../../src/pi/transport.ts";

export interface FakeHost extends Host {
  readonly tools: Map<string, Tool>;
  readonly commands: Map<string, Command>;
  readonly entries: { type: string; data: unknown }[];
  /** Puts a tool call before the guards, as Pi does. */
  call(toolName: string, input: unknown): Block | undefined;
  /** Runs a tool the way Pi does: `prepareArguments`, then `execute`. */
  use(tool: string, given: unknown, signal?: AbortSignal): Promise<ToolResult>;
  emit(event: "session_start" | "session_shutdown", context?: Context): Promise<void>;
}

/** One session. A second load in the same session shares its event bus: pass the first one. */
export function fakeHost(sibling?: Host): FakeHost {
  type Handler = (event: never, context: never) => unknown;
  const handlers = new Map<string, Handler[]>();
  const channels = new EventEmitter();
  const tools = new Map<string, Tool>();
  const commands = new Map<string, Command>();
  const entries: { type: string; data: unknown }[] = [];
  return {
    tools,
    commands,
    entries,
    events: sibling?.events ?? {
      emit: (channel, data) => {
        channels.emit(channel, data);
      },
      on: (channel, handler) => channels.on(channel, handler),
    },
    on: (event: string, handler: Handler) => handlers.set(event, [...(handlers.get(event) ?? []), handler]),
    registerTool: (tool) => {
      tools.set(tool.name, tool);
    },
    registerCommand: (name, command) => {
      commands.set(name, command);
    },
    appendEntry: (type, data) => {
      entries.push({ type, data });
    },
    call: (toolName, input) => {
      const event: ToolCall = { toolName, input };
      for (const handler of handlers.get("tool_call") ?? []) {
        const block = handler(event as never, undefined as never) as Block | undefined;
        if (block) return block;
      }
      return undefined;
    },
    use: (name, given, signal) => {
      const tool = tools.get(name);
      if (!tool) throw new Error(`no tool ${name}`);
      return tool.execute("call-1", tool.prepareArguments(given), signal);
    },
    emit: async (event, context) => {
      for (const handler of handlers.get(event) ?? [])
        await handler({ type: event } as never, context as never);
    },
  };
}

/** What a fake engine does when it is started. */
export interface Behaviour {
  readonly stdout?: string | Uint8Array;
  readonly stderr?: string;
  readonly code?: number;
  readonly signal?: string;
  /** Ends only when it is killed: by "SIGTERM" or, if it ignores that, by "SIGKILL". */
  readonly hangsUntil?: "SIGTERM" | "SIGKILL";
  /** What it still prints when it is told to end. */
  readonly lastWords?: string;
  readonly startError?: string;
  readonly stdinError?: string;
  /** Throws at once instead of starting. */
  readonly throws?: string;
}

/** Fixed, or decided by the request. */
export type Behaving = Behaviour | ((request: string) => Behaviour);

export interface Started {
  readonly program: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string | undefined;
  request: string;
  readonly signals: string[];
}

/** Starts fake engines that behave in turn as told (the last one over and over), and notes how they were started. */
export function fakeEngine(...behaviours: readonly Behaving[]): {
  start: Spawner;
  started: Started[];
} {
  const started: Started[] = [];
  const start: Spawner = (program, argv, { env, cwd }) => {
    const behaviour = behaviours[Math.min(started.length, behaviours.length - 1)] ?? {};
    const note: Started = { program, argv, env, cwd, request: "", signals: [] };
    started.push(note);
    if (typeof behaviour === "object" && behaviour.throws) throw new Error(behaviour.throws);
    return child(behaviour, note);
  };
  return { start, started };
}

function child(behaviour: Behaving, note: Started): Child {
  const events = new EventEmitter();
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const early = typeof behaviour === "object" ? behaviour : {};
  const end = (code: number | null, signal: string | null): void => {
    stdout.end();
    stderr.end();
    events.emit("exit", code, signal);
    setTimeout(() => events.emit("close", code, signal), 1);
  };
  stdin.on("data", (chunk) => {
    note.request += String(chunk);
  });
  stdin.on("end", () => {
    const act = typeof behaviour === "function" ? behaviour(note.request) : behaviour;
    if (act.stderr) stderr.write(act.stderr);
    if (act.stdout !== undefined) stdout.write(act.stdout);
    if (act.hangsUntil === undefined && !act.startError)
      end(act.signal ? null : (act.code ?? 0), act.signal ?? null);
  });
  if (early.startError) queueMicrotask(() => events.emit("error", new Error(early.startError)));
  if (early.stdinError) queueMicrotask(() => stdin.emit("error", new Error(early.stdinError)));
  return {
    pid: early.startError ? undefined : 4711,
    stdin,
    stdout,
    stderr,
    on: (event: string, handler: (...values: never[]) => void) => events.on(event, handler as () => void),
    kill: (signal) => {
      note.signals.push(signal);
      if (signal === "SIGKILL" || early.hangsUntil === signal) {
        if (early.lastWords) stdout.write(early.lastWords);
        end(early.lastWords ? 8 : null, early.lastWords ? null : signal);
      }
      return true;
    },
  };
}

/**
 * Surroundings with an engine that exists (any executable will do: nothing is started). `deadline` is short only
 * where a test waits for it.
 */
export function fakeSurroundings(
  start: Spawner,
  environment: Readonly<Record<string, string | undefined>> = {},
  deadline = 20_000,
): Surroundings {
  return {
    environment: { SATYRN_ENGINE: process.execPath, ...environment },
    start,
    deadlines: { check: deadline, replace: deadline, test: deadline, deliver: deadline },
    graces: { protocol: 300, deliver: 300 },
  };
}
