import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { transcriptReader } from "../../../src/attempt/transcript.ts";

const assistant = (stopReason: string, errorMessage?: string) => ({
  type: "message_end",
  message: { role: "assistant", content: [], stopReason, errorMessage },
});
const call = (toolName: string, isError = false) => [
  { type: "tool_execution_start", toolName },
  { type: "tool_execution_end", toolName, isError },
];
const settled = { type: "agent_settled", aborted: false };
const healthy = [
  { type: "session" },
  { type: "turn_start" },
  ...call("read"),
  assistant("toolUse"),
  { type: "turn_start" },
  ...call("edit", true),
  ...call("edit"),
  ...call("bash", true),
  assistant("stop"),
  settled,
];

const bytes = (events: readonly unknown[]) =>
  Buffer.from(events.map((event) => (typeof event === "string" ? event : JSON.stringify(event))).join("\n"));

function read(events: readonly unknown[], limit?: number) {
  const reader = transcriptReader(limit);
  reader.hear(bytes(events));
  return reader.end();
}

test("a normal turn, counted", () => {
  expect(read(healthy)).toEqual({ turns: 2, toolCalls: 4, edits: 2, refusedEdits: 1, failure: null });
});

describe("failures", () => {
  const rows: readonly (readonly [string, readonly unknown[], string | null])[] = [
    [
      "a model error, with its own words",
      [assistant("error", "401 no"), settled],
      "the model's last message ended with 'error': 401 no",
    ],
    ["an aborted message", [assistant("aborted"), settled], "the model's last message ended with 'aborted'"],
    [
      "an aborted agent",
      [assistant("stop"), { type: "agent_settled", aborted: true }],
      "Pi's agent was aborted",
    ],
    ["a stream that just ends", [assistant("stop")], "Pi ended without telling that the agent settled"],
    ["an empty stream", [], "Pi ended without telling that the agent settled"],
    ["an error that a retry made good", [assistant("error", "500"), assistant("stop"), settled], null],
    ["a turn cut at the token limit", [assistant("length"), settled], null],
    [
      "an error that is somebody else's",
      [{ type: "message_end", message: { role: "user", stopReason: "error" } }, settled],
      null,
    ],
    ["settled without a word about aborting", [assistant("stop"), { type: "agent_settled" }], null],
  ];
  for (const [name, events, failure] of rows) test(name, () => expect(read(events).failure).toBe(failure));
});

test("what is not JSON, or not an object, counts for nothing", () => {
  const junk = [
    "",
    "hello",
    "[]",
    "null",
    "7",
    '{"type":',
    '{"type":"message_end"}',
    '{"type":"message_end","message":[]}',
    "\u0000",
  ];
  expect(read([...junk, ...healthy, ...junk])).toEqual(read(healthy));
});

test("a line too long to hold counts for nothing; what follows counts", () => {
  const long = JSON.stringify({ ...assistant("error", "x".repeat(2000)) });
  expect(read([...healthy.slice(0, -1), long, settled], 1000).failure).toBeNull();
  expect(read([...healthy.slice(0, -1), long, settled]).failure).toContain("'error'");
});

test("however the stream is cut, the story is the same", () => {
  const whole = bytes([...healthy, { type: "turn_start", text: "äöü€" }]);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: whole.length }), { maxLength: 20 }), (cuts) => {
      const reader = transcriptReader();
      const edges = [0, ...cuts.sort((a, b) => a - b), whole.length];
      const scratch = Buffer.alloc(whole.length);
      for (const [at, from] of edges.slice(0, -1).entries()) {
        // One buffer for all chunks, as a runtime may do.
        const length = whole.copy(scratch, 0, from, edges[at + 1]);
        reader.hear(scratch.subarray(0, length));
        scratch.fill(0);
      }
      expect(reader.end()).toEqual({ turns: 3, toolCalls: 4, edits: 2, refusedEdits: 1, failure: null });
    }),
    { seed: 5 },
  );
});
