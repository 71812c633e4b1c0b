import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../../../src/pi/host.ts";
import implement from "../../../src/pi/implement.ts";
import { piInvocation } from "../../../src/pi/invocation.ts";
import { type Behaving, fakeEngine, fakeHost, fakeSurroundings } from "./fakes.ts";
import { createdReceipt, refusedReceipt } from "./receipts.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "satyrn-implement-")));
beforeAll(() => {
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
  mkdirSync(join(root, "sub"));
});
afterAll(() => rmSync(root, { recursive: true }));
afterEach(() => {
  process.exitCode = 0;
});

interface Setting {
  readonly mode?: Context["mode"];
  readonly model?: Context["model"];
  readonly cwd?: string;
  readonly environment?: Record<string, string | undefined>;
  readonly deadline?: number;
}

function session(setting: Setting, ...behaviours: readonly Behaving[]) {
  const { mode = "tui", cwd = join(root, "sub"), environment = {} } = setting;
  const engine = fakeEngine(...behaviours);
  const host = fakeHost();
  implement(host, fakeSurroundings(engine.start, environment, setting.deadline));
  const notes: [string, string][] = [];
  const statuses: (string | undefined)[] = [];
  let onKey: ((data: string) => unknown) | undefined;
  const context: Context = {
    cwd,
    mode,
    hasUI: mode === "tui" || mode === "rpc",
    model: "model" in setting ? setting.model : { provider: "local", id: "small" },
    isIdle: () => true,
    ui: {
      notify: (message, type) => {
        notes.push([type, message]);
      },
      setStatus: (_key, text) => {
        statuses.push(text);
      },
      onTerminalInput: (handler) => {
        onKey = handler;
        return () => {
          onKey = undefined;
        };
      },
    },
  };
  const run = (argument: string) => host.commands.get("implement")?.handler(argument, context);
  return {
    host,
    run,
    notes,
    statuses,
    started: engine.started,
    key: (data: string) => onKey?.(data),
    listens: () => onKey !== undefined,
  };
}

const created: Behaving = { stdout: JSON.stringify(createdReceipt) };
const refused: Behaving = { stdout: JSON.stringify(refusedReceipt), code: 8 };

test("the delivery: its argv, its folder, its environment", async () => {
  const { run, started } = session(
    { environment: { HOME: "/home/me", BUN_OPTIONS: "x", GIT_DIR: "/x" } },
    created,
  );
  await run('  "../contracts/fix one.yaml" ');
  const engine = process.execPath;
  expect(started[0]).toMatchObject({
    program: engine,
    argv: [
      ...["deliver", "--repo", root, "--timeout", "900", join(root, "contracts/fix one.yaml"), "--"],
      ...[engine, "attempt", "--model", "local/small", "--", "contracts/fix one.yaml"],
    ],
    cwd: root,
    request: "",
  });
  expect(started[0]?.env).toEqual({
    SATYRN_ENGINE: engine,
    HOME: "/home/me",
    SATYRN_PI: JSON.stringify(piInvocation(process.execPath, process.argv[1])),
  });
});

test("a contract outside stays absolute; SATYRN_MODEL and SATYRN_PI are the person's", async () => {
  const { run, started } = session(
    { environment: { SATYRN_MODEL: "other/big", SATYRN_PI: '["/opt/pi"]' } },
    created,
  );
  await run("/elsewhere/fix.yaml");
  expect(started[0]?.argv.slice(-5)).toEqual([
    "attempt",
    "--model",
    "other/big",
    "--",
    "/elsewhere/fix.yaml",
  ]);
  expect(started[0]?.env["SATYRN_PI"]).toBe('["/opt/pi"]');
});

test("Pi starts itself again: a script by its runtime, a compiled Pi by its own executable", () => {
  expect(piInvocation("/usr/bin/node", import.meta.path)).toEqual(["/usr/bin/node", import.meta.path]);
  expect(piInvocation("/opt/pi", "/$bunfs/root/pi")).toEqual(["/opt/pi"]);
  expect(piInvocation("C:\\pi.exe", "B:/~BUN/root/pi.exe")).toEqual(["C:\\pi.exe"]);
  expect(piInvocation("/usr/bin/node", "/nowhere/cli.js")).toEqual(["/usr/bin/node"]);
});

const accepted = `satyrn-engine: OK: candidate ${"c".repeat(12)} at refs/satyrn/candidates/fix-1/head, 2 paths changed`;

describe("report by mode", () => {
  test("terminal: a notification with the next commands, a status line that goes away", async () => {
    const { run, notes, statuses, host, listens } = session({ mode: "tui" }, created);
    await run("fix.yaml");
    expect(notes).toEqual([
      [
        "info",
        `${accepted}\nlook at it:  git show refs/satyrn/candidates/fix-1/head\nbring it in: git merge --ff-only refs/satyrn/candidates/fix-1/head`,
      ],
    ]);
    expect(statuses).toEqual(["implement: local/small · 0:00 · 0 turns · esc cancels", undefined]);
    expect(host.entries).toEqual([]);
    expect(listens()).toBe(false);
    expect(process.exitCode).toBe(0);
  });
  test("terminal: a refusal is an error", async () => {
    const { run, notes } = session({ mode: "tui" }, refused);
    await run("fix.yaml");
    expect(notes).toEqual([["error", "satyrn-engine: NO_CHANGES: it did not"]]);
  });
  test("terminal: an attempt that failed says why", async () => {
    const failed = {
      ...refusedReceipt,
      code: "COMMAND_FAILED",
      message: "the command exited with 10",
      command_exit: 10,
    };
    const stderr =
      'satyrn-engine: ATTEMPT_FAILED: model error: "401"\nsatyrn-engine: COMMAND_FAILED: the command exited with 10\n';
    const { run, notes } = session({ mode: "tui" }, { stdout: JSON.stringify(failed), stderr, code: 8 });
    await run("fix.yaml");
    expect(notes[0]?.[1]).toBe(
      'satyrn-engine: COMMAND_FAILED: the command exited with 10\nATTEMPT_FAILED: model error: "401"',
    );
  });
  test("RPC: an entry and a notification", async () => {
    const { run, notes, host } = session({ mode: "rpc" }, refused);
    await run("fix.yaml");
    expect(host.entries).toEqual([
      { type: "satyrn_result", data: { model: "local/small", receipt: refusedReceipt } },
    ]);
    expect(notes).toEqual([["error", "satyrn-engine: NO_CHANGES: it did not"]]);
  });
  test("JSON: an entry, and the engine's exit status", async () => {
    const { run, notes, host } = session({ mode: "json" }, refused);
    await run("fix.yaml");
    expect(host.entries).toEqual([
      { type: "satyrn_result", data: { model: "local/small", receipt: refusedReceipt } },
    ]);
    expect(notes).toEqual([]);
    expect(process.exitCode).toBe(8);
  });
  test("JSON: acceptance leaves the exit status alone", async () => {
    const { run, host } = session({ mode: "json" }, created);
    await run("fix.yaml");
    expect(host.entries).toEqual([
      { type: "satyrn_result", data: { model: "local/small", receipt: createdReceipt } },
    ]);
    expect(process.exitCode).toBe(0);
  });
});

test("a ref that a shell would read otherwise is quoted", async () => {
  const odd = { ...createdReceipt, candidate_ref: "refs/satyrn/candidates/$(x);'y'/head" };
  const { run, notes } = session({}, { stdout: JSON.stringify(odd) });
  await run("fix.yaml");
  expect(notes[0]?.[1]).toContain("git show 'refs/satyrn/candidates/$(x);'\\''y'\\''/head'");
});

test("what the engine says cannot steer the terminal", async () => {
  const { run, notes } = session(
    {},
    { stdout: JSON.stringify({ ...refusedReceipt, message: "\u001b[2J\nx" }), code: 8 },
  );
  await run("fix.yaml");
  expect(notes[0]?.[1]).toBe("satyrn-engine: NO_CHANGES: \\u001b[2J\\nx");
});

describe("adapter refusals", () => {
  const rows: readonly (readonly [string, Setting, string, Behaving, string, string])[] = [
    ["no argument", {}, "  ", created, "USAGE", "give a contract: /implement CONTRACT"],
    [
      "no model",
      { model: undefined },
      "c.yaml",
      created,
      "USAGE",
      "no model: choose one in Pi, or set SATYRN_MODEL",
    ],
    [
      "no usable model",
      { model: { provider: "unknown", id: "unknown" } },
      "c.yaml",
      created,
      "USAGE",
      "no model: choose one in Pi, or set SATYRN_MODEL",
    ],
    ["no repository", { cwd: "/" }, "c.yaml", created, "REPO_NOT_GIT", "'/' lies in no Git working tree"],
    [
      "no engine",
      { environment: { SATYRN_ENGINE: "/none" } },
      "c.yaml",
      created,
      "ENGINE_START_FAILED",
      "SATYRN_ENGINE names '/none'",
    ],
    [
      "it does not start",
      {},
      "c.yaml",
      { startError: "spawn EACCES" },
      "ENGINE_START_FAILED",
      "spawn EACCES",
    ],
    [
      "it crashes",
      {},
      "c.yaml",
      { code: 1, stderr: "satyrn-engine: internal error (exception): x\n" },
      "ENGINE_CRASHED",
      "the engine exited with 1: internal error (exception): x",
    ],
    [
      "it is killed",
      {},
      "c.yaml",
      { signal: "SIGKILL" },
      "ENGINE_CRASHED",
      "the engine was ended by SIGKILL",
    ],
    [
      "it prints garbage",
      {},
      "c.yaml",
      { stdout: "hello" },
      "ENGINE_MALFORMED_RESPONSE",
      "the answer is not one JSON object",
    ],
    [
      "its receipt is none",
      {},
      "c.yaml",
      { stdout: '{"version":1}' },
      "ENGINE_MALFORMED_RESPONSE",
      "the answer is wrong: unknown code undefined",
    ],
    [
      "it hangs",
      { deadline: 60 },
      "c.yaml",
      { hangsUntil: "SIGKILL" },
      "ENGINE_TIMEOUT",
      "no answer within 0.06 s",
    ],
    [
      "it is interrupted at the deadline",
      { deadline: 60 },
      "c.yaml",
      { hangsUntil: "SIGTERM", lastWords: JSON.stringify({ ...refusedReceipt, code: "INTERRUPTED" }) },
      "ENGINE_TIMEOUT",
      "no answer within 0.06 s",
    ],
  ];
  for (const [name, setting, argument, behaviour, code, message] of rows) {
    test(`${code}: ${name}`, async () => {
      const { run, host, notes } = session({ ...setting, mode: "rpc" }, behaviour);
      await run(argument);
      expect(host.entries).toMatchObject([
        { data: { receipt: null, code, message: expect.stringContaining(message) } },
      ]);
      expect(notes).toEqual([["error", expect.stringContaining(`satyrn-engine: ${code}: ${message}`)]]);
    });
  }
});

describe("cancelling", () => {
  const interrupted = JSON.stringify({
    ...refusedReceipt,
    code: "INTERRUPTED",
    message: "stopped by SIGTERM",
  });
  const patient = (behaviour: Behaving, mode: Context["mode"] = "tui") => {
    return session({ mode }, behaviour);
  };
  for (const key of ["\u001b", "\u001b[27u", "\u001b[27;1u", "\u001b[27;1:1u"]) {
    test(`with the key the status line names: ${JSON.stringify(key)}`, async () => {
      const { run, key: press, notes, started } = patient({ hangsUntil: "SIGTERM", lastWords: interrupted });
      const done = run("fix.yaml");
      expect(press("x")).toBeUndefined();
      expect(press("\u001b[27;1:3u")).toBeUndefined();
      expect(press("\u001b[A")).toBeUndefined();
      expect(started[0]?.signals).toEqual([]);
      expect(press(key)).toEqual({ consume: true });
      await done;
      expect(started[0]?.signals).toEqual(["SIGTERM"]);
      expect(notes).toEqual([["error", "satyrn-engine: INTERRUPTED: stopped by SIGTERM"]]);
    });
  }
  test("by ending the session, which waits for the report", async () => {
    const { run, host, notes } = patient({ hangsUntil: "SIGTERM", lastWords: interrupted });
    const done = run("fix.yaml");
    await host.emit("session_shutdown");
    expect(notes).toEqual([["error", "satyrn-engine: INTERRUPTED: stopped by SIGTERM"]]);
    await done;
  });
  test("an engine that ends without a receipt was interrupted all the same", async () => {
    const { run, host } = patient({ hangsUntil: "SIGKILL" }, "rpc");
    const done = run("fix.yaml");
    await host.emit("session_shutdown");
    await done;
    expect(host.entries).toMatchObject([
      { data: { receipt: null, code: "INTERRUPTED", message: "the delivery was cancelled" } },
    ]);
  });
  test("a delivery that was done already is reported as done", async () => {
    const {
      run,
      key: press,
      notes,
    } = patient({ hangsUntil: "SIGTERM", lastWords: JSON.stringify(createdReceipt) });
    const done = run("fix.yaml");
    press("\u001b");
    await done;
    expect(notes[0]?.[1]).toStartWith(accepted);
  });
});

test("the status line follows the attempt's transcript", async () => {
  const events = [
    { type: "turn_start" },
    { type: "tool_execution_start", toolName: "read" },
    { type: "turn_start" },
    { type: "tool_execution_start", toolName: "edit\u001b" },
  ];
  const stderr = `some note\n{"type":"turn_start"\n${"x".repeat(200_000)}\n${events.map((event) => JSON.stringify(event)).join("\n")}\n`;
  const { run, statuses, key: press } = session({ mode: "tui" }, { stderr, hangsUntil: "SIGTERM" });
  const realInterval = globalThis.setInterval;
  globalThis.setInterval = ((act: () => void) => realInterval(act, 5)) as typeof setInterval;
  try {
    const done = run("fix.yaml");
    while (!statuses.some((line) => line?.includes("2 turns"))) await Bun.sleep(5);
    press("\u001b");
    await done;
  } finally {
    globalThis.setInterval = realInterval;
  }
  const line = /^implement: local\/small · \d:\d\d · 2 turns · edit\\u001b · esc cancels$/;
  expect(statuses.filter((status) => line.test(status ?? ""))).not.toEqual([]);
});

test("nothing that goes wrong in the host ends Pi", async () => {
  const { host } = session({}, created);
  const broken = new Proxy({} as Context, {
    get: () => {
      throw new Error("stale");
    },
  });
  await host.commands.get("implement")?.handler("fix.yaml", broken);
  expect(process.exitCode).toBe(1);
});

test("no listener of ours stays on the process", async () => {
  const counts = () => [process.listenerCount("exit"), process.listenerCount("SIGINT")];
  const before = counts();
  await session({ mode: "json" }, created).run("fix.yaml");
  await session({ mode: "json" }, { startError: "no" }).run("fix.yaml");
  expect(counts()).toEqual(before);
});
