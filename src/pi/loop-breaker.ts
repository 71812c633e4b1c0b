/**
 * The loop breaker: refuses a tool call that a model keeps repeating.
 *
 * It sees every call before it runs and changes nothing but the sixth equal one among the latest.
 */
import type { Block, Host, ToolCall } from "./host.ts";
import { first } from "./once.ts";

/** How many admitted calls are remembered. */
const windowSize = 20;
/** How many equal ones among them make the next equal call a loop. */
const repeatsAllowed = 5;
/** How many refusals in a row end the model's turn. */
const refusalsToStop = 3;

/** Registers the guard. State belongs to this registration; nothing it does throws into Pi. */
export default function loopBreaker(host: Host): void {
  if (!first(host, "loop-breaker")) return;
  const admitted: string[] = [];
  let blocked = 0;
  let inARow = 0;

  host.on("tool_call", (call) => {
    const key = keyOf(call);
    const repeats = key === undefined ? 0 : admitted.filter((other) => other === key).length;
    if (repeats < repeatsAllowed) {
      inARow = 0;
      if (key !== undefined) admitted.push(key);
      if (admitted.length > windowSize) admitted.shift();
      return undefined;
    }
    blocked++;
    inARow++;
    record(host, { tool: call.toolName, repeats, blockedSoFar: blocked });
    const refusal: Block = { block: true, reason: reason(call.toolName, repeats) };
    if (inARow >= refusalsToStop) refusal.terminate = true;
    return refusal;
  });
}

function reason(tool: string, repeats: number): string {
  return (
    `Loop broken: this exact ${tool} call already ran ${repeats} times in the last ${windowSize} calls. ` +
    "Running it again will not change the result. Take a different, concrete action: read another part " +
    "of the file, change the arguments according to the last error, or stop and say what is missing."
  );
}

/** A record that cannot be appended does not lift the refusal. */
function record(host: Host, entry: { tool: string; repeats: number; blockedSoFar: number }): void {
  try {
    host.appendEntry("loop_broken", entry);
  } catch {
    // The session is being replaced.
  }
}

/** Tool name and canonical input as one string; undefined if the input is not JSON data. */
function keyOf(call: ToolCall): string | undefined {
  try {
    return `${JSON.stringify(call.toolName)} ${canonical(call.input, [])}`;
  } catch {
    return undefined;
  }
}

/** JSON with object keys sorted at every depth and array order kept. Throws on what JSON cannot say. */
function canonical(value: unknown, within: readonly object[]): string {
  if (value === null || typeof value === "string" || typeof value === "boolean") return JSON.stringify(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value !== "object" || within.includes(value)) throw new TypeError("not JSON data");
  const inside = [...within, value];
  if (Array.isArray(value)) {
    return `[${Array.from(value, (item: unknown) => canonical(item, inside)).join(",")}]`;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw new TypeError("not JSON data");
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member, inside)}`);
  return `{${members.join(",")}}`;
}
