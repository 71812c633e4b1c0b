/** The signals that tell the engine to stop. */
import { libc } from "./libc.ts";

/** Being told to stop: once, by the first signal that comes. */
export interface Interruption {
  /** Aborted when a signal came. */
  readonly signal: AbortSignal;
  /** Which one came; null while none has. */
  name(): NodeJS.Signals | null;
}

/**
 * Takes over SIGINT, SIGTERM and SIGHUP (on Windows also SIGBREAK; a closed console arrives as SIGHUP), so
 * that they no longer end the process by themselves, until `dispose`. Later signals change nothing. A signal
 * that the process was started to ignore, as under nohup(1), stays ignored.
 */
export function interruption(): Interruption & { dispose(): void } {
  const controller = new AbortController();
  let came: NodeJS.Signals | null = null;
  const listeners = listened().map((name) => {
    const listener = () => {
      came ??= name;
      controller.abort();
    };
    process.on(name, listener);
    return { name, listener };
  });
  return {
    signal: controller.signal,
    name: () => came,
    dispose: () => {
      for (const { name, listener } of listeners) process.off(name, listener);
    },
  };
}

function listened(): readonly NodeJS.Signals[] {
  if (process.platform === "win32") return ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"];
  return numbered.filter(([name, number]) => !isIgnored(name, number)).map(([name]) => name);
}

// The same numbers on every system.
const numbered: readonly (readonly [NodeJS.Signals, number])[] = [
  ["SIGHUP", 1],
  ["SIGINT", 2],
  ["SIGTERM", 15],
];

/** Asked by setting it to ignored, which is taken back at once unless it was so. */
function isIgnored(name: NodeJS.Signals, number: number): boolean {
  const calls = libc();
  if (calls === null || process.listenerCount(name) > 0) return false;
  const previous = calls.signal(number, ignored);
  if (Number(previous) === ignored) return true;
  calls.signal(number, previous);
  return false;
}

const ignored = 1;
