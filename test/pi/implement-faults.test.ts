/** `/implement` when there is nothing to deliver with, or the engine fails: reports by mode, and Pi goes on. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { makeRepository, snapshot } from "../support/repository.ts";
import { type Fault, faultyEngine } from "./engines.ts";
import {
  bare,
  entries,
  events,
  type Place,
  packageEntry,
  pi,
  place,
  rpc,
  startPi,
  terminal,
  until,
} from "./pi.ts";

let at: Place;
let repo: string;
let before: Record<string, string>;
beforeEach(() => {
  at = place();
  repo = join(at.folder, "repo");
  makeRepository(repo, { "fix.yaml": 'id: fix-1\ntask: Count.\nwritable_paths: ["*"]\n', "a.txt": "one\n" });
  before = snapshot(repo);
});
afterEach(() => {
  const [left, after] = [at.leftovers(), snapshot(repo)];
  at.dispose();
  expect(left).toEqual([]);
  expect(after).toEqual(before);
});

const withEngine = (engine: string) => {
  at = { ...at, env: { ...at.env, SATYRN_ENGINE: engine } };
};
const model = ["--model", "scripted/scripted"];
const patient = bare(packageEntry);
const impatient = bare(join(import.meta.dir, "impatient.ts"));

const faults: readonly (readonly [Fault | "is not there", string, string])[] = [
  ["crashes", "ENGINE_CRASHED", "the engine exited with 1: internal error: planted"],
  ["kills itself", "ENGINE_CRASHED", "the engine was ended by SIGSEGV"],
  ["prints garbage", "ENGINE_MALFORMED_RESPONSE", "the answer is not one JSON object"],
  ["hangs until it is told to end", "ENGINE_TIMEOUT", "no answer within 0.5 s"],
  ["hangs and ignores TERM", "ENGINE_TIMEOUT", "no answer within 0.5 s"],
  [
    "is not there",
    "ENGINE_START_FAILED",
    "SATYRN_ENGINE names '/nowhere/satyrn-engine', which is not an executable file; ",
  ],
];
for (const [fault, code, message] of faults) {
  describe(`an engine that ${fault}`, () => {
    beforeEach(() =>
      withEngine(fault === "is not there" ? "/nowhere/satyrn-engine" : faultyEngine(at.folder, fault)),
    );
    const line = `satyrn-engine: ${code}: ${message}`;

    test("print: one line, a nonzero status", async () => {
      const run = await pi(at, ["-p", ...model, ...impatient, "/implement fix.yaml"], { cwd: repo });
      expect(run.stdout).toStartWith(line);
      expect(run.stdout.split("\n").length).toBe(2);
      expect(run.status).toBe(1);
      expect(run.stderr).toBe("");
    });

    test("JSON: an entry, a nonzero status", async () => {
      const run = await pi(at, ["--mode", "json", ...model, ...impatient, "/implement fix.yaml"], {
        cwd: repo,
      });
      const data = {
        model: "scripted/scripted",
        receipt: null,
        code,
        message: expect.stringContaining(message),
      };
      expect(entries(events(run.stdout), "satyrn_result")).toEqual([data]);
      expect(run.status).toBe(1);
    });

    test("RPC: an entry and a notification; Pi answers on", async () => {
      const session = rpc(at, [...model, ...impatient], { cwd: repo });
      session.send({ id: "1", type: "prompt", message: "/implement fix.yaml" });
      await session.until((event) => event["id"] === "1");
      session.send({ id: "2", type: "get_state" });
      expect(await session.until((event) => event["id"] === "2")).toMatchObject({ success: true });
      expect(entries(session.seen, "satyrn_result")).toMatchObject([{ receipt: null, code }]);
      const notes = session.seen.filter((event) => event["method"] === "notify");
      expect(notes).toMatchObject([{ notifyType: "error", message: expect.stringContaining(line) }]);
      expect((await session.end()).status).toBe(0);
    });

    test("terminal: a notification; Pi takes the next command", async () => {
      const session = terminal(at, [...model, ...impatient, "/implement fix.yaml"], { cwd: repo });
      await session.until(`satyrn-engine: ${code}: `);
      session.press("/implement\r");
      await session.until("give a contract: /implement CONTRACT");
      session.press("\u0004");
      expect(await session.child.exited).toBe(0);
    });
  });
}

describe("refused before any engine starts", () => {
  beforeEach(() => withEngine("/nowhere/satyrn-engine"));
  const rows: readonly (readonly [string, readonly string[], string, number])[] = [
    [
      "no argument",
      [...model, ...patient, "/implement "],
      "satyrn-engine: USAGE: give a contract: /implement CONTRACT\n",
      2,
    ],
    [
      "no argument, not even a space",
      [...model, ...patient, "/implement"],
      "satyrn-engine: USAGE: give a contract: /implement CONTRACT\n",
      2,
    ],
  ];
  for (const [name, args, stdout, status] of rows) {
    test(name, async () => {
      expect(await pi(at, ["-p", ...args], { cwd: repo })).toMatchObject({ stdout, status });
    });
  }
  test("no repository", async () => {
    const run = await pi(at, ["-p", ...model, ...patient, "/implement fix.yaml"], { cwd: at.folder });
    expect(run).toMatchObject({
      stdout: `satyrn-engine: REPO_NOT_GIT: '${at.folder}' lies in no Git working tree\n`,
      status: 8,
    });
  });
  test("no model", async () => {
    const agent = join(at.folder, "home");
    at = { ...at, env: { ...at.env, PI_CODING_AGENT_DIR: agent } };
    const run = await pi(at, ["-p", ...patient, "/implement fix.yaml"], { cwd: repo });
    expect(run).toMatchObject({
      stdout: "satyrn-engine: USAGE: no model: choose one in Pi, or set SATYRN_MODEL\n",
      status: 2,
    });
  });
});

describe("a person who cancels an engine that gives no receipt", () => {
  beforeEach(() => withEngine(faultyEngine(at.folder, "hangs until it is told to end")));
  const interrupted = "satyrn-engine: INTERRUPTED: the delivery was cancelled";

  test("terminal: Esc, the key that the status line names", async () => {
    const session = terminal(at, [...model, ...patient, "/implement fix.yaml"], { cwd: repo });
    await session.until("esc cancels");
    await Bun.sleep(1100);
    session.press("\u001b");
    await session.until(interrupted);
    session.press("\u0004");
    expect(await session.child.exited).toBe(0);
  });

  for (const [signal, status] of [
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 8],
  ] as const) {
    test(`print: ${signal} ends Pi once the report is out`, async () => {
      const { child, ended } = startPi(at, ["-p", ...model, ...patient, "/implement fix.yaml"], {
        cwd: repo,
      });
      await until(() => (at.leftovers().some((left) => left.includes("deliver")) ? true : undefined));
      child.kill(signal);
      const run = await ended;
      expect(run.stdout).toBe(`${interrupted}\n`);
      expect(run.status).toBe(status);
    });
  }

  test("RPC: a new session", async () => {
    const session = rpc(at, [...model, ...patient], { cwd: repo });
    session.send({ id: "1", type: "prompt", message: "/implement fix.yaml" });
    await session.until((event) => event["method"] === "setStatus");
    session.send({ id: "2", type: "new_session" });
    await session.until((event) => event["id"] === "2");
    expect(session.seen.some((event) => event["message"] === interrupted)).toBe(true);
    expect((await session.end()).status).toBe(0);
  });

  test("RPC: the end of Pi", async () => {
    const session = rpc(at, [...model, ...patient], { cwd: repo });
    session.send({ id: "1", type: "prompt", message: "/implement fix.yaml" });
    await session.until((event) => event["method"] === "setStatus");
    session.child.kill("SIGTERM");
    await session.end();
  });
});
