/** `/implement` from the command to the candidate: real Pi, real engine, a scripted model. */
import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, makeRepository, snapshot } from "../support/repository.ts";
import { type ScriptedModel, scriptedModel, type Turn } from "./model.ts";
import {
  bare,
  compiledPi,
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
  type Version,
  versions,
} from "./pi.ts";

let model: ScriptedModel;
let at: Place;
let repo: string;
let before: Record<string, string>;

const ref = "refs/satyrn/candidates/fix-1/head";
const read: Turn = { toolCalls: [{ name: "read", args: { path: "src/app.py" } }] };
const replace = (oldText: string, newText: string): Turn => ({
  toolCalls: [{ name: "edit", args: { path: "src/app.py", edits: [{ oldText, newText }] } }],
});
const done: Turn = { text: "Done." };
const working = [read, replace("three", "3"), replace("two", "2"), done];

function prepare(
  script: Parameters<typeof scriptedModel>[0],
  contract = 'writable_paths: ["src/*"]\n',
): void {
  model = scriptedModel(script);
  at = place(model.url);
  repo = join(at.folder, "repo");
  makeRepository(repo, {
    "contracts/fix.yaml": `id: fix-1\ntask: Count to two.\n${contract}`,
    "src/app.py": "one\ntwo\n",
  });
  before = snapshot(repo);
}

/** The repository is as it was, but for the candidate; nothing runs, nothing lies about. */
afterEach(async () => {
  const left = at.leftovers();
  if (candidate() !== "") git(repo, "update-ref", "-d", ref);
  const after = snapshot(repo);
  await model.stop();
  at.dispose();
  expect(left).toEqual([]);
  expect(after).toEqual(before);
});

const candidate = () => git(repo, "for-each-ref", "--format=%(objectname)", ref);
const args = ["--model", "scripted/scripted", ...bare(packageEntry)];
const command = "/implement contracts/fix.yaml";
const accepted = () => `satyrn-engine: OK: candidate ${candidate().slice(0, 12)} at ${ref}, 1 paths changed`;
const receiptOf = (data: unknown) => (data as { receipt: Record<string, unknown> }).receipt;

describe("a candidate", () => {
  for (const version of Object.keys(versions) as Version[]) {
    test(`print, Pi ${version}: one line, status 0`, async () => {
      prepare(working);
      const run = await pi(at, ["-p", ...args, command], { cwd: repo, version });
      expect(run).toEqual({ status: 0, stdout: `${accepted()}\n`, stderr: "" });
      expect(git(repo, "show", `${ref}:src/app.py`)).toBe("one\n2");
      expect(git(repo, "rev-parse", `${ref}^`)).toBe(git(repo, "rev-parse", "HEAD"));
      expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain("ANCHOR_MISSING: ");
    });
  }

  test("print, Pi compiled into an executable: the attempt runs the same", async () => {
    prepare(working);
    const compiled = join(at.folder, "compiled");
    mkdirSync(compiled);
    const run = await pi(at, ["-p", ...args, command], { cwd: repo, argv: [compiledPi(compiled)] });
    expect(run).toEqual({ status: 0, stdout: `${accepted()}\n`, stderr: "" });
  });

  test("JSON: an entry with the model and the receipt", async () => {
    prepare(working);
    const run = await pi(at, ["--mode", "json", ...args, command], { cwd: repo });
    expect(run.status).toBe(0);
    const [data, ...others] = entries(events(run.stdout), "satyrn_result");
    expect(others).toEqual([]);
    expect(data).toMatchObject({
      model: "scripted/scripted",
      receipt: {
        code: "OK",
        candidate_ref: ref,
        candidate_commit: candidate(),
        changed_paths: ["src/app.py"],
      },
    });
  });

  test("RPC: an entry, a notification, a status that goes away", async () => {
    prepare(working);
    const session = rpc(at, args, { cwd: repo });
    session.send({ id: "1", type: "prompt", message: command });
    await session.until((event) => event["id"] === "1");
    expect((await session.end()).status).toBe(0);
    expect(entries(session.seen, "satyrn_result")).toMatchObject([{ receipt: { code: "OK" } }]);
    expect(session.seen.filter((event) => event["method"] === "notify")).toMatchObject([
      {
        notifyType: "info",
        message: `${accepted()}\nlook at it:  git show ${ref}\nbring it in: git merge --ff-only ${ref}`,
      },
    ]);
    const statuses = session.seen.filter((event) => event["method"] === "setStatus");
    expect(statuses[0]?.["statusText"]).toContain("implement: scripted/scripted");
    expect(statuses.at(-1)?.["statusText"]).toBeUndefined();
  });

  test("terminal: the commands of the notification do what they say", async () => {
    prepare(working);
    const session = terminal(at, [...args, command], { cwd: repo });
    await session.until("bring it in: ");
    expect(session.screen()).toContain("look at it:");
    session.press("\u0004");
    expect(await session.child.exited).toBe(0);
    expect(git(repo, "show", "--format=%s", "--stat", ref)).toContain("candidate: fix-1");
  });

  test("terminal: Tab completes the contract", async () => {
    prepare(working);
    const session = terminal(at, args, { cwd: repo });
    await session.until("scripted");
    await Bun.sleep(500);
    session.press("/implement contr");
    await session.until("contracts/");
    session.press("\t");
    await Bun.sleep(200);
    session.press("fi");
    await session.until("fix.yaml");
    session.press("\t");
    await Bun.sleep(200);
    session.press("\r");
    await session.until("bring it in: ");
    session.press("\u0004");
    expect(await session.child.exited).toBe(0);
  });

  test("from a folder of the repository, with spaces and quotes", async () => {
    prepare(working);
    const run = await pi(at, ["-p", ...args, '/implement  "../contracts/fix.yaml" '], {
      cwd: join(repo, "src"),
    });
    expect(run.stdout).toBe(`${accepted()}\n`);
  });

  test("of a contract outside of the repository", async () => {
    prepare(working);
    const contract = join(at.folder, "outside.yaml");
    writeFileSync(contract, 'id: fix-1\ntask: Count.\nwritable_paths: ["src/*"]\n');
    const run = await pi(at, ["-p", ...args, `/implement ${contract}`], { cwd: repo });
    expect(run.stdout).toBe(`${accepted()}\n`);
  });

  test("of the model that SATYRN_MODEL names", async () => {
    prepare(working);
    at = { ...at, env: { ...at.env, SATYRN_MODEL: "scripted/scripted" } };
    const run = await pi(at, ["--mode", "json", ...bare(packageEntry), command], { cwd: repo });
    expect(entries(events(run.stdout), "satyrn_result")).toMatchObject([{ model: "scripted/scripted" }]);
    expect(candidate()).not.toBe("");
  });
});

describe("no candidate", () => {
  const saidError =
    /^satyrn-engine: ATTEMPT_FAILED: the model's last message ended with 'error': .*scripted 40/;
  const rows: readonly (readonly [string, string, readonly Turn[], RegExp])[] = [
    ["a model that changes nothing", "NO_CHANGES", [read, done], /^satyrn-engine: attempt OK: .*, 2 turns, /],
    ["a model that errors, although Pi exits 0", "COMMAND_FAILED", [{ status: 401 }], saidError],
    [
      "a model that breaks off after an edit",
      "COMMAND_FAILED",
      [replace("two", "2"), { status: 400 }],
      saidError,
    ],
  ];
  for (const [name, code, script, said] of rows) {
    test(`${code}: ${name}`, async () => {
      prepare(script);
      const run = await pi(at, ["-p", ...args, command], { cwd: repo });
      expect(run.stdout).toStartWith(`satyrn-engine: ${code}: `);
      expect(run.stdout.split("\n")).toHaveLength(2);
      expect(run.stderr).toMatch(said);
      expect(run.stderr.split("\n")).toHaveLength(2);
      expect(run.status).toBe(8);
      expect(candidate()).toBe("");
    });
  }

  test("COMMAND_FAILED in the terminal says what the attempt said", async () => {
    prepare([{ status: 401 }]);
    const session = terminal(at, [...args, command], { cwd: repo });
    await session.until("satyrn-engine: COMMAND_FAILED: ");
    await session.until("ATTEMPT_FAILED: the model's last message ended with 'error'");
    session.press("\u0004");
    expect(await session.child.exited).toBe(0);
  });

  test("a model that loops is stopped by the guard", async () => {
    prepare(() => read);
    const run = await pi(at, ["-p", ...args, command], { cwd: repo });
    expect(run.stdout).toStartWith("satyrn-engine: NO_CHANGES: ");
    expect(model.requests.length).toBe(8);
  });

  test("CANDIDATE_EXISTS: the second time", async () => {
    prepare([...working, ...working]);
    await pi(at, ["-p", ...args, command], { cwd: repo });
    const first = candidate();
    const run = await pi(at, ["--mode", "json", ...args, command], { cwd: repo });
    const [data] = entries(events(run.stdout), "satyrn_result");
    expect(receiptOf(data)).toMatchObject({ code: "CANDIDATE_EXISTS", outcome: "refused" });
    expect(run.status).toBe(8);
    expect(candidate()).toBe(first);
    expect(model.requests.length).toBe(4);
  });

  test("CONTRACT_UNREADABLE keeps its exit status", async () => {
    prepare([]);
    const run = await pi(at, ["-p", ...args, "/implement contracts/none.yaml"], { cwd: repo });
    expect(run.stdout).toStartWith("satyrn-engine: CONTRACT_UNREADABLE: ");
    expect(run.status).toBe(3);
  });
});

describe("a model that never answers, and a person who cancels", () => {
  const script = [replace("two", "2"), { silent: true }];
  const asked = () => until(() => (model.requests.length === 2 ? true : undefined));

  test("terminal: the status line names the key, Esc ends it", async () => {
    prepare(script);
    const session = terminal(at, [...args, command], { cwd: repo });
    await asked();
    await session.until("2 turns");
    session.press("\u001b");
    await session.until("satyrn-engine: INTERRUPTED: ");
    session.press("/implement\r");
    await session.until("give a contract: /implement CONTRACT");
    session.press("\u0004");
    expect(await session.child.exited).toBe(0);
    expect(candidate()).toBe("");
  });

  test("terminal: the end of Pi ends it", async () => {
    prepare(script);
    const session = terminal(at, [...args, command], { cwd: repo });
    await asked();
    session.child.kill("SIGTERM");
    await session.child.exited;
    expect(candidate()).toBe("");
  });

  for (const [signal, status] of [
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 8],
  ] as const) {
    test(`print: ${signal} ends Pi once the delivery has cleaned up`, async () => {
      prepare(script);
      const { child, ended } = startPi(at, ["-p", ...args, command], { cwd: repo });
      await asked();
      child.kill(signal);
      const run = await ended;
      expect(run.stdout).toStartWith("satyrn-engine: INTERRUPTED: ");
      expect(run.status).toBe(status);
      expect(candidate()).toBe("");
    });
  }

  test("RPC: a new session ends it, with a report", async () => {
    prepare(script);
    const session = rpc(at, args, { cwd: repo });
    session.send({ id: "1", type: "prompt", message: command });
    await asked();
    session.send({ id: "2", type: "new_session" });
    await session.until((event) => event["id"] === "2");
    expect(JSON.stringify(session.seen)).toContain("satyrn-engine: INTERRUPTED: ");
    expect((await session.end()).status).toBe(0);
  });

  test("JSON: SIGTERM leaves a receipt", async () => {
    prepare(script);
    const { child, ended } = startPi(at, ["--mode", "json", ...args, command], { cwd: repo });
    await asked();
    child.kill("SIGTERM");
    await ended;
    expect(candidate()).toBe("");
  });
});
