/**
 * The part of Pi's extension interface that the adapter uses, as structural types.
 *
 * Pi hands the real object to each extension's factory. Declaring the few members used here keeps the
 * package free of dependencies; test/pi compiles these against the types that Pi publishes.
 */

/** What Pi gives to the factory of an extension. It is stale, and throws, once the session was replaced. */
export interface Host {
  on(event: "session_start" | "session_shutdown", handler: SessionHandler): unknown;
  on(event: "tool_call", handler: (event: ToolCall) => Block | undefined): unknown;
  registerTool(tool: Tool): void;
  registerCommand(name: string, command: Command): void;
  appendEntry(type: string, data: unknown): void;
  readonly events: EventBus;
}

type SessionHandler = (event: unknown, context: Context) => Promise<void> | void;

/** Shared by all extensions of one session; delivery is synchronous. */
export interface EventBus {
  emit(channel: string, data: unknown): void;
  on(channel: string, handler: (data: unknown) => void): unknown;
}

export interface ToolCall {
  readonly toolName: string;
  readonly input: unknown;
}

/** Refuses a tool call: `reason` becomes the error result that the model reads. */
export interface Block {
  block: true;
  reason: string;
  /** Asks Pi to stop after this batch of calls. */
  terminate?: boolean;
}

export interface Context {
  readonly cwd: string;
  readonly mode: "tui" | "rpc" | "json" | "print";
  readonly hasUI: boolean;
  readonly ui: Ui;
  readonly model: { readonly provider: string; readonly id: string } | undefined;
  isIdle(): boolean;
}

export interface Ui {
  notify(message: string, type: "info" | "warning" | "error"): void;
  setStatus(key: string, text: string | undefined): void;
  /** Sees raw keyboard input before Pi does; terminal mode only. Returns what ends it. */
  onTerminalInput(handler: (data: string) => { consume: boolean } | undefined): () => void;
}

export interface Command {
  description: string;
  handler(argument: string, context: Context): Promise<void>;
  getArgumentCompletions(prefix: string): Completion[] | null;
}

export interface Completion {
  value: string;
  label: string;
}

export interface Tool {
  name: string;
  label: string;
  description: string;
  promptSnippet: string;
  promptGuidelines: string[];
  /** JSON Schema; arguments that fail it never reach `execute` nor any hook. */
  parameters: Record<string, unknown>;
  executionMode?: "sequential" | "parallel";
  /** Runs before validation. */
  prepareArguments(given: unknown): Record<string, unknown>;
  execute(callId: string, parameters: unknown, signal?: AbortSignal): Promise<ToolResult>;
}

export interface ToolResult {
  content: { type: "text"; text: string }[];
  details: Record<string, unknown>;
  isError: boolean;
}
