/**
 * Preloaded before the unit tier: every way to a process or the network throws, and names the test.
 *
 * `Bun.fetch` and `Bun.WebView` cannot be replaced (neither writable nor configurable); a unit test that reads
 * every source file refuses them by name instead.
 */
import { mock } from "bun:test";

/** Throws in place of `what`, naming the test file and line that reached it. */
function tripped(what: string): () => never {
  return function refuse() {
    const frame = new Error().stack?.split("\n").find((line) => line.includes(".test.ts"));
    throw new Error(`tripwire: a unit test reached ${what} (${frame?.trim() ?? "outside any test"})`);
  };
}

const fromBun = [
  "$",
  "spawn",
  "spawnSync",
  "connect",
  "listen",
  "serve",
  "udpSocket",
  "sql",
  "postgres",
  "SQL",
];
fromBun.push("RedisClient", "redis", "Terminal", "openInEditor", "S3Client", "cron", "build");
for (const name of fromBun) {
  if (name in Bun) Object.assign(Bun, { [name]: tripped(`Bun.${name}`) });
}

for (const name of ["fetch", "WebSocket", "EventSource", "Worker"]) {
  if (name in globalThis) Object.assign(globalThis, { [name]: tripped(name) });
}

const fromNode: Record<string, readonly string[]> = {
  child_process: ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"],
  net: ["connect", "createConnection", "createServer", "Socket", "Server"],
  tls: ["connect", "createServer"],
  dgram: ["createSocket", "Socket"],
  http: ["request", "get", "createServer", "Agent"],
  https: ["request", "get", "createServer", "Agent"],
  http2: ["connect", "createServer", "createSecureServer"],
  dns: ["lookup", "resolve", "resolve4", "resolve6", "reverse"],
  "dns/promises": ["lookup", "resolve", "resolve4", "resolve6", "reverse"],
  worker_threads: ["Worker"],
  cluster: ["fork"],
};
// All are loaded before any is changed: they extend each other's classes.
const loaded = Object.entries(fromNode).map(
  ([module, names]) => [module, names, require(`node:${module}`) as Record<string, unknown>] as const,
);
for (const [module, names, real] of loaded) {
  const guarded = { ...real };
  for (const name of names) {
    guarded[name] = tripped(`node:${module} ${name}`);
    real[name] = guarded[name];
  }
  guarded["default"] = guarded;
  await mock.module(`node:${module}`, () => guarded);
  await mock.module(module, () => guarded);
}
await mock.module("bun:ffi", () => ({
  dlopen: tripped("bun:ffi dlopen"),
  CFunction: tripped("bun:ffi CFunction"),
}));
process.kill = tripped("process.kill");
