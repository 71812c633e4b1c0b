import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import loopBreaker from "../../../src/pi/loop-breaker.ts";
import { fakeHost } from "./fakes.ts";

interface Recording {
  readonly calls: readonly { readonly tool: string; readonly input: unknown }[];
  readonly blocked: number;
  readonly first_blocked: number | null;
}

const folder = join(import.meta.dir, "../../../fixtures/guards");
const recordings = readdirSync(folder).map(
  (name) => [name, JSON.parse(readFileSync(join(folder, name), "utf8")) as Recording] as const,
);

describe("recorded calls", () => {
  test("there is a healthy run and there are loops", () => {
    expect(recordings.map(([, { blocked }]) => blocked).sort((a, b) => a - b)).toEqual([0, 0, 1, 20, 49]);
  });

  for (const [name, { calls, blocked, first_blocked }] of recordings) {
    test(name, () => {
      const host = fakeHost();
      loopBreaker(host);
      const refused = calls.flatMap(({ tool, input }, at) => (host.call(tool, input) ? [at] : []));
      expect(refused.length).toBe(blocked);
      expect(refused[0] ?? null).toBe(first_blocked);
      expect(host.entries.length).toBe(blocked);
    });
  }
});

function guarded() {
  const host = fakeHost();
  loopBreaker(host);
  return {
    host,
    times: (n: number, tool: string, input: unknown) =>
      Array.from({ length: n }, () => host.call(tool, input)),
  };
}

test("the sixth equal call is refused, and says why", () => {
  const { host, times } = guarded();
  expect(times(5, "read", { path: "a" })).toEqual(Array(5).fill(undefined));
  const refusal = host.call("read", { path: "a" });
  expect(refusal?.block).toBe(true);
  expect(refusal?.reason).toContain("5 times in the last 20 calls");
  expect(refusal?.reason).toContain("will not change the result");
  expect(refusal?.reason).toContain("different, concrete action");
  expect(host.entries).toEqual([
    { type: "loop_broken", data: { tool: "read", repeats: 5, blockedSoFar: 1 } },
  ]);
});

test("a refused call does not enter the window: repeating it stays refused", () => {
  const { times } = guarded();
  expect(times(40, "read", { path: "a" }).filter((block) => block !== undefined).length).toBe(35);
});

test("the third refusal in a row ends the turn; an admitted call starts the count again", () => {
  const { host, times } = guarded();
  expect(
    times(8, "read", { path: "a" })
      .slice(5)
      .map((block) => block?.terminate),
  ).toEqual([undefined, undefined, true]);
  expect(host.call("read", { path: "b" })).toBeUndefined();
  expect(host.call("read", { path: "a" })?.terminate).toBeUndefined();
});

test("what left the window of 20 is forgotten", () => {
  const { host, times } = guarded();
  times(5, "read", { path: "a" });
  for (let at = 0; at < 15; at++) host.call("read", { path: String(at) });
  expect(host.call("read", { path: "a" })?.block).toBe(true);
  host.call("read", { path: "one more" });
  expect(host.call("read", { path: "a" })).toBeUndefined();
});

test("key order does not make calls different; array order, tool and types do", () => {
  const { host } = guarded();
  for (let at = 0; at < 5; at++)
    host.call("read", at % 2 ? { a: { x: 1, y: [2, 3] }, b: 2 } : { b: 2, a: { y: [2, 3], x: 1 } });
  expect(host.call("read", { a: { y: [3, 2], x: 1 }, b: 2 })).toBeUndefined();
  expect(host.call("grep", { b: 2, a: { y: [2, 3], x: 1 } })).toBeUndefined();
  expect(host.call("read", { b: "2", a: { y: [2, 3], x: 1 } })).toBeUndefined();
  expect(host.call("read", { b: 2, a: { y: [2, 3], x: 1 } })?.block).toBe(true);
});

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
const notJson: readonly (readonly [string, unknown])[] = [
  ["a cycle", cycle],
  ["a function", { run: () => 1 }],
  ["an infinite number", { limit: Number.POSITIVE_INFINITY }],
  ["not a number", { limit: Number.NaN }],
  ["a bigint", { limit: 1n }],
  ["a class instance", { when: new Date(0) }],
  ["undefined", undefined],
  ["a hole in an array", { edits: Array(2) }],
  [
    "a getter that throws",
    {
      get path() {
        throw new Error("no");
      },
    },
  ],
];
for (const [name, input] of notJson) {
  test(`input that is not JSON data is admitted and not counted: ${name}`, () => {
    const { host, times } = guarded();
    times(5, "read", { path: "a" });
    expect(times(20, "odd", input)).toEqual(Array(20).fill(undefined));
    expect(host.call("read", { path: "a" })?.block).toBe(true);
  });
}

test("a shared value is no cycle", () => {
  const { times } = guarded();
  const shared = { x: 1 };
  expect(times(6, "read", { a: shared, b: [shared] })[5]?.block).toBe(true);
});

test("an append that fails does not lift the refusal", () => {
  const host = fakeHost();
  loopBreaker({
    ...host,
    appendEntry: () => {
      throw new Error("stale");
    },
  });
  const blocks = Array.from({ length: 6 }, () => host.call("read", { path: "a" }));
  expect(blocks[5]?.block).toBe(true);
});

test("state belongs to one registration", () => {
  const { times } = guarded();
  times(6, "read", { path: "a" });
  expect(guarded().times(5, "read", { path: "a" })).toEqual(Array(5).fill(undefined));
});

test("a second copy in one session steps back", () => {
  const host = fakeHost();
  const other = fakeHost(host);
  loopBreaker(host);
  loopBreaker(other);
  for (let at = 0; at < 6; at++) other.call("read", { path: "a" });
  expect(other.call("read", { path: "a" })).toBeUndefined();
});
