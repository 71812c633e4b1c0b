import { afterEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ScriptedModel, scriptedModel, type Turn } from "./model.ts";
import {
  bare,
  entries,
  events,
  type Place,
  packageEntry,
  pi,
  place,
  root,
  type Version,
  versions,
} from "./pi.ts";

let model: ScriptedModel;
let at: Place;
afterEach(async () => {
  await model.stop();
  at.dispose();
});

const again: Turn = { toolCalls: [{ name: "read", args: { path: "hello.txt" } }] };

async function run(
  script: Parameters<typeof scriptedModel>[0],
  extensions: readonly string[],
  version?: Version,
) {
  model = scriptedModel(script);
  at = place(model.url);
  writeFileSync(join(at.folder, "hello.txt"), "hello\n");
  const args = [
    "--mode",
    "json",
    "--model",
    "scripted/scripted",
    ...bare(...extensions),
    "-t",
    "read",
    "--",
    "go",
  ];
  const done = await pi(at, args, { cwd: at.folder, ...(version && { version }) });
  return { ...done, events: done.status === 0 ? events(done.stdout) : [] };
}

for (const version of Object.keys(versions) as Version[]) {
  describe(`Pi ${version}`, () => {
    test("a model that loops: the sixth call is refused, the model reads why, the third refusal ends the turn", async () => {
      const { status, events: seen } = await run(() => again, [packageEntry], version);
      expect(status).toBe(0);
      expect(model.requests.length).toBe(8);
      expect(entries(seen, "loop_broken")).toEqual(
        [1, 2, 3].map((blockedSoFar) => ({ tool: "read", repeats: 5, blockedSoFar })),
      );
      expect(JSON.stringify(model.requests[6]?.messages.at(-1))).toContain("5 times in the last 20 calls");
      expect(at.leftovers()).toEqual([]);
    });

    test("a healthy run is left alone", async () => {
      const reads = Array.from({ length: 8 }, (_, offset) => ({
        toolCalls: [{ name: "read", args: { path: "hello.txt", offset: offset + 1 } }],
      }));
      const { status, events: seen } = await run([...reads, { text: "Done." }], [packageEntry], version);
      expect(status).toBe(0);
      expect(model.requests.length).toBe(9);
      expect(entries(seen, "loop_broken")).toEqual([]);
    });
  });
}

test("the file that an attempt carries does the same alone", async () => {
  const { events: seen } = await run(() => again, [join(root, "src/pi/loop-breaker.ts")]);
  expect(entries(seen, "loop_broken").length).toBe(3);
});

test("equal calls in one message are counted in order", async () => {
  const call = { name: "read", args: { path: "hello.txt" } };
  const { events: seen } = await run([{ toolCalls: Array(7).fill(call) }, { text: "Done." }], [packageEntry]);
  const refused = seen.filter((event) => event["type"] === "tool_execution_end" && event["isError"] === true);
  expect(refused.map((event) => event["toolCallId"])).toEqual(["call_1_5", "call_1_6"]);
});
