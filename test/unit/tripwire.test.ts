import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "bun";

const planted: Record<string, () => unknown> = {
  "Bun.spawn": () => Bun.spawn(["true"]),
  "spawn imported from bun": () => spawn(["true"]),
  "Bun.spawnSync": () => Bun.spawnSync(["true"]),
  "Bun.$": () => Bun.$`true`,
  "Bun.connect": () => Bun.connect({ hostname: "127.0.0.1", port: 9, socket: {} }),
  "Bun.listen": () => Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } }),
  "Bun.serve": () => Bun.serve({ port: 0, fetch: () => new Response() }),
  "Bun.udpSocket": () => Bun.udpSocket({}),
  fetch: () => fetch("http://127.0.0.1:9/"),
  WebSocket: () => new WebSocket("ws://127.0.0.1:9/"),
  Worker: () => new Worker("data:text/javascript,0"),
  "process.kill": () => process.kill(process.pid, 0),
  "required child_process": () => require("node:child_process").spawnSync("true"),
  "imported child_process": async () => (await import("node:child_process")).execFileSync("true"),
  "child_process without prefix": async () => (await import("child_process")).spawn("true"),
  "imported net": async () => (await import("node:net")).connect(9, "127.0.0.1"),
  "required net": () => require("net").createServer(),
  "imported http": async () => (await import("node:http")).get("http://127.0.0.1:9/"),
  "imported dgram": async () => (await import("node:dgram")).createSocket("udp4"),
  "imported dns": async () => (await import("node:dns/promises")).lookup("localhost"),
  "a worker thread": async () => new (await import("node:worker_threads")).Worker("0", { eval: true }),
  "a foreign function": () => require("bun:ffi").dlopen("libc.so.6", {}),
};

describe("the tripwire refuses", () => {
  for (const [what, reach] of Object.entries(planted)) {
    test(what, async () => {
      expect(async () => await reach()).toThrow(/^tripwire: a unit test reached .*tripwire\.test\.ts/);
    });
  }

  test("a spawn before it has any effect", () => {
    const folder = mkdtempSync(join(tmpdir(), "tripwire-"));
    try {
      expect(() => Bun.spawnSync(["touch", join(folder, "made")])).toThrow("tripwire");
      expect(existsSync(join(folder, "made"))).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test("no source file uses the entry points that cannot be replaced", () => {
  const root = join(import.meta.dir, "../../src");
  const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  expect(sources.length).toBeGreaterThan(3);
  const guilty = sources.filter((name) =>
    /\b(Bun\.fetch|WebView)\b/.test(readFileSync(join(root, name), "utf8")),
  );
  expect(guilty).toEqual([]);
});
