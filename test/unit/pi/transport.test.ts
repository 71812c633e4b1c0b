import { describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Request } from "../../../src/pi/protocol.ts";
import { transport } from "../../../src/pi/transport.ts";
import { type Behaviour, fakeEngine, fakeHost, fakeSurroundings } from "./fakes.ts";

const check: Request = { operation: "check", repo: "/r", contract: "/c" };
const replace: Request = {
  operation: "replace",
  repo: "/r",
  contract: "/c",
  path: "a",
  expected_sha256: null,
  edits: [{ old_text: "x", new_text: "y" }],
};
const runTest: Request = { operation: "test", repo: "/r", contract: "/c", command: "make test" };
const sha256 = "c".repeat(64);

async function ask(behaviour: Behaviour, request: Request = check, deadline?: number) {
  const engine = fakeEngine(behaviour);
  const answer = await transport(fakeHost(), fakeSurroundings(engine.start, {}, deadline))(request);
  return { answer, ...engine };
}

test("one request, one process, without a shell", async () => {
  const { answer, started } = await ask({ stdout: '{"version":1,"ok":true,"code":"OK","message":""}\n' });
  expect(answer).toEqual({ ok: true, result: null });
  expect(started.length).toBe(1);
  expect(started[0]).toMatchObject({ program: process.execPath, argv: ["protocol"] });
  expect(JSON.parse(started[0]?.request ?? "")).toEqual({ version: 1, ...check });
});

const results = {
  replace: { path: "a", sha256, region: "1: y", match: "exact" },
  test: { exit_code: 1, output: "1 failed", truncated: false, timed_out: false },
};
test("replace answers with its result", async () => {
  const stdout = JSON.stringify({ version: 1, ok: true, code: "OK", message: "", result: results.replace });
  expect((await ask({ stdout }, replace)).answer).toEqual({ ok: true, result: results.replace });
});
test("test answers with its result, whatever the suite's own status is", async () => {
  const stdout = JSON.stringify({ version: 1, ok: true, code: "OK", message: "", result: results.test });
  expect((await ask({ stdout }, runTest)).answer).toEqual({ ok: true, result: results.test });
});

const refusals: readonly (readonly [Request, string])[] = [
  ...[
    "CONTRACT_UNREADABLE",
    "CONTRACT_INVALID_YAML",
    "CONTRACT_MISSING_FIELD",
    "REPO_UNAVAILABLE",
    "INVALID_REQUEST",
  ].map((code) => [check, code] as const),
  ...[
    "PATH_UNDECLARED",
    "MUTATION_FAILED",
    "REVISION_UNAVAILABLE",
    "REVISION_STALE",
    "NO_CHANGE_REQUESTED",
    "ANCHOR_ALREADY_APPLIED",
    "ANCHOR_MISSING",
    "ANCHOR_AMBIGUOUS",
    "CONTRACT_UNREADABLE",
  ].map((code) => [replace, code] as const),
  ...["TEST_COMMAND_UNAVAILABLE", "TEST_COMMAND_NOT_ALLOWED", "REPO_UNAVAILABLE"].map(
    (code) => [runTest, code] as const,
  ),
];
for (const [request, code] of refusals) {
  test(`${request.operation}: ${code} passes through verbatim`, async () => {
    const response = { version: 1, ok: false, code, message: "why: 'x'", result: null };
    const { answer } = await ask({ stdout: JSON.stringify(response), code: 9 }, request);
    expect(answer).toEqual({ ok: false, code, message: "why: 'x'" });
  });
}

describe("ENGINE_START_FAILED", () => {
  const failed = "ENGINE_START_FAILED";
  test("the engine is not on PATH", async () => {
    const { start } = fakeEngine({});
    const around = fakeSurroundings(start, { SATYRN_ENGINE: undefined, PATH: "/nowhere" });
    expect(await transport(fakeHost(), around)(check)).toEqual({
      failed,
      message:
        "satyrn-engine is not on PATH; install the satyrn-engine executable and put it on PATH, or set SATYRN_ENGINE to its absolute path",
    });
  });
  test("SATYRN_ENGINE is relative", async () => {
    const around = fakeSurroundings(fakeEngine({}).start, { SATYRN_ENGINE: "satyrn-engine" });
    expect(await transport(fakeHost(), around)(check)).toEqual({
      failed,
      message: "SATYRN_ENGINE must be an absolute path, not 'satyrn-engine'",
    });
  });
  test("SATYRN_ENGINE is not executable", async () => {
    const around = fakeSurroundings(fakeEngine({}).start, { SATYRN_ENGINE: import.meta.path });
    expect(await transport(fakeHost(), around)(check)).toMatchObject({
      failed,
      message: expect.stringContaining("not an executable file"),
    });
  });
  test("the spawn fails", async () => {
    expect((await ask({ startError: "spawn ENOEXEC" })).answer).toEqual({ failed, message: "spawn ENOEXEC" });
  });
  test("the spawn throws", async () => {
    expect((await ask({ throws: "spawn E2BIG" })).answer).toEqual({ failed, message: "spawn E2BIG" });
  });
  test("the request could not be written", async () => {
    expect((await ask({ stdinError: "write EPIPE" })).answer).toEqual({
      failed,
      message: "the request could not be written: write EPIPE",
    });
  });
});

test("the engine is found on PATH, whose relative elements are skipped", async () => {
  const folder = mkdtempSync(join(tmpdir(), "satyrn-path-"));
  try {
    writeFileSync(join(folder, "satyrn-engine"), "");
    chmodSync(join(folder, "satyrn-engine"), 0o755);
    const { start, started } = fakeEngine({ stdout: '{"version":1,"ok":true,"code":"OK","message":""}' });
    const around = fakeSurroundings(start, { SATYRN_ENGINE: "", PATH: `.:node_modules/.bin::${folder}` });
    await transport(fakeHost(), around)(check);
    expect(started[0]?.program).toBe(join(folder, "satyrn-engine"));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("ENGINE_TIMEOUT", () => {
  test("TERM at the deadline, the refusal once the child has closed", async () => {
    const { answer, started } = await ask({ hangsUntil: "SIGTERM" }, check, 30);
    expect(answer).toEqual({ failed: "ENGINE_TIMEOUT", message: "no answer within 0.03 s" });
    expect(started[0]?.signals).toEqual(["SIGTERM"]);
  });
  test("KILL if TERM does not end it", async () => {
    const { answer, started } = await ask({ hangsUntil: "SIGKILL", stdout: "{" }, check, 30);
    expect(answer).toMatchObject({ failed: "ENGINE_TIMEOUT" });
    expect(started[0]?.signals).toEqual(["SIGTERM", "SIGKILL"]);
  });
});

describe("ENGINE_CRASHED", () => {
  const failed = "ENGINE_CRASHED";
  test("exit 1 without an answer", async () => {
    const { answer } = await ask({ code: 1, stderr: "trace\nsatyrn-engine: internal error\n" });
    expect(answer).toEqual({ failed, message: "the engine exited with 1: satyrn-engine: internal error" });
  });
  test("another exit with garbage", async () => {
    expect((await ask({ code: 9, stdout: "oops" })).answer).toEqual({
      failed,
      message: "the engine exited with 9",
    });
  });
  test("a signal", async () => {
    expect((await ask({ signal: "SIGSEGV" })).answer).toEqual({
      failed,
      message: "the engine was ended by SIGSEGV",
    });
  });
});

describe("ENGINE_MALFORMED_RESPONSE", () => {
  const ok = { version: 1, ok: true, code: "OK", message: "" };
  const rows: readonly (readonly [string, string | Uint8Array, Request])[] = [
    ["nothing", "", check],
    ["garbage", "oops", check],
    ["a list", "[]", check],
    ["two objects", `${JSON.stringify(ok)}\n${JSON.stringify(ok)}`, check],
    ["not UTF-8", Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), check],
    ["another version", JSON.stringify({ ...ok, version: 2 }), check],
    ["no version", JSON.stringify({ ...ok, version: undefined }), check],
    ["ok as a string", JSON.stringify({ ...ok, ok: "true" }), check],
    ["ok with a refusal's code", JSON.stringify({ ...ok, code: "REPO_UNAVAILABLE" }), check],
    ["a refusal with code OK", JSON.stringify({ ...ok, ok: false }), check],
    ["an unknown code", JSON.stringify({ ...ok, ok: false, code: "NO_IDEA" }), check],
    ["a code of another operation", JSON.stringify({ ...ok, ok: false, code: "ANCHOR_MISSING" }), check],
    [
      "a code that is inherited by every object",
      JSON.stringify({ ...ok, ok: false, code: "constructor" }),
      check,
    ],
    ["no message", JSON.stringify({ ...ok, message: undefined }), check],
    [
      "a refusal with a result",
      JSON.stringify({ ...ok, ok: false, code: "ANCHOR_MISSING", result: results.replace }),
      replace,
    ],
    ["OK without a result", JSON.stringify(ok), replace],
    ["OK with a null result", JSON.stringify({ ...ok, result: null }), replace],
    ["another path", JSON.stringify({ ...ok, result: { ...results.replace, path: "b" } }), replace],
    ["a short revision", JSON.stringify({ ...ok, result: { ...results.replace, sha256: "c" } }), replace],
    ["no region", JSON.stringify({ ...ok, result: { ...results.replace, region: undefined } }), replace],
    ["an unknown match", JSON.stringify({ ...ok, result: { ...results.replace, match: "fuzzy" } }), replace],
    [
      "a fractional exit code",
      JSON.stringify({ ...ok, result: { ...results.test, exit_code: 0.5 } }),
      runTest,
    ],
    [
      "timed out with an exit code",
      JSON.stringify({ ...ok, result: { ...results.test, timed_out: true } }),
      runTest,
    ],
    [
      "no exit code, not timed out",
      JSON.stringify({ ...ok, result: { ...results.test, exit_code: null } }),
      runTest,
    ],
    ["output that is no text", JSON.stringify({ ...ok, result: { ...results.test, output: 1 } }), runTest],
  ];
  for (const [name, stdout, request] of rows) {
    test(name, async () => {
      expect((await ask({ stdout }, request)).answer).toMatchObject({ failed: "ENGINE_MALFORMED_RESPONSE" });
    });
  }
  test("larger than 1 MiB: the engine is told to end", async () => {
    const { answer, started } = await ask({ stdout: "x".repeat(1024 * 1024 + 1), hangsUntil: "SIGTERM" });
    expect(answer).toEqual({ failed: "ENGINE_MALFORMED_RESPONSE", message: "the answer is too large" });
    expect(started[0]?.signals).toEqual(["SIGTERM"]);
  });
});

test("the engine does not see what could turn it into something else", async () => {
  const { start, started } = fakeEngine({ stdout: "" });
  const hostile = [
    "BUN_OPTIONS",
    "BUN_BE_BUN",
    "NODE_OPTIONS",
    "NODE_PATH",
    "LD_PRELOAD",
    "DYLD_INSERT_LIBRARIES",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_QUARANTINE_PATH",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_0",
    "GIT_CONFIG_VALUE_0",
  ];
  const around = fakeSurroundings(start, {
    ...Object.fromEntries(hostile.map((name) => [name, "x"])),
    HOME: "/home/me",
    GIT_SSH: "ssh",
    NODE: "n",
  });
  await transport(fakeHost(), around)(check);
  expect(Object.keys(started[0]?.env ?? {}).sort()).toEqual(["GIT_SSH", "HOME", "NODE", "SATYRN_ENGINE"]);
});

test("an abort ends the engine", async () => {
  const { start, started } = fakeEngine({ hangsUntil: "SIGTERM" });
  const answer = transport(fakeHost(), fakeSurroundings(start))(check, AbortSignal.timeout(5));
  expect(await answer).toEqual({ failed: "ENGINE_CRASHED", message: "the engine was ended by SIGTERM" });
  expect(started[0]?.signals).toEqual(["SIGTERM"]);
});

test("children die on session_shutdown, which waits for them", async () => {
  const { start, started } = fakeEngine({ hangsUntil: "SIGKILL" });
  const host = fakeHost();
  const ask = transport(host, fakeSurroundings(start));
  const answers = [ask(check), ask(check)];
  await host.emit("session_shutdown");
  expect(started.map(({ signals }) => signals)).toEqual([
    ["SIGTERM", "SIGKILL"],
    ["SIGTERM", "SIGKILL"],
  ]);
  expect(await Promise.all(answers)).toMatchObject([
    { failed: "ENGINE_CRASHED" },
    { failed: "ENGINE_CRASHED" },
  ]);
});

test("nothing is left behind: no listener of ours on the process", async () => {
  const before = process.listenerCount("exit");
  await Promise.all([
    ask({ stdout: "" }),
    ask({ startError: "no" }),
    ask({ hangsUntil: "SIGTERM" }, check, 30),
  ]);
  expect(process.listenerCount("exit")).toBe(before);
});
