import { afterEach, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, makeRepository } from "../support/repository.ts";
import { type Fault, faultyEngine } from "./engines.ts";
import { type ScriptedModel, scriptedModel, type Turn } from "./model.ts";
import {
  bare,
  type Event,
  events,
  type Place,
  packageEntry,
  pi,
  place,
  root,
  rpc,
  terminal,
  type Version,
  versions,
} from "./pi.ts";

let model: ScriptedModel;
let at: Place;
afterEach(async () => {
  const left = at.leftovers();
  await model.stop();
  at.dispose();
  expect(left).toEqual([]);
});

const extension = (name: string) => join(root, "src/pi", name);
const attemptFiles = [extension("loop-breaker.ts"), extension("edit.ts"), extension("bash.ts")];

const read = (path: string): Turn => ({ toolCalls: [{ name: "read", args: { path } }] });
const edit = (args: unknown): Turn => ({ toolCalls: [{ name: "edit", args }] });
const replace = (path: string, oldText: string, newText: string) =>
  edit({ path, edits: [{ oldText, newText }] });
const done: Turn = { text: "Done." };

interface Setting {
  readonly testCommand?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly context?: string;
}

/** A worktree with two files, of which `src/app.py` is writable, and the context that an attempt would give. */
function prepare(
  script: Parameters<typeof scriptedModel>[0],
  { testCommand, env, context }: Setting = {},
): string {
  model = scriptedModel(script);
  at = place(model.url);
  const repo = join(at.folder, "worktree");
  makeRepository(repo, { "src/app.py": "one\ntwo\nthree\n", "README.md": "hello\n" });
  const contract = join(at.folder, "contract.yaml");
  const argv = testCommand ? `test_command: ${JSON.stringify(testCommand)}\n` : "";
  writeFileSync(contract, `id: fix-1\ntask: Count.\nwritable_paths: ["src/*"]\n${argv}`);
  const sha256 = new Bun.CryptoHasher("sha256").update(readFileSync(join(repo, "src/app.py"))).digest("hex");
  const valid = {
    version: 1,
    repo,
    contract,
    revisions: { "src/app.py": sha256 },
    writable_paths: ["src/*"],
    test_command: testCommand ?? null,
  };
  at = { ...at, env: { ...at.env, SATYRN_MUTATION_CONTEXT: context ?? JSON.stringify(valid), ...env } };
  return repo;
}

async function run(
  repo: string,
  extensions: readonly string[] = attemptFiles,
  tools = "read,edit",
  version?: Version,
) {
  const args = [
    "--mode",
    "json",
    "--model",
    "scripted/scripted",
    ...bare(...extensions),
    "-t",
    tools,
    "--",
    "go",
  ];
  const { status, stdout, stderr } = await pi(at, args, { cwd: repo, ...(version && { version }) });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const seen = events(stdout);
  expect(seen.at(-1)).toMatchObject({ type: "agent_settled" });
  return ends(seen);
}

interface ToolEnd {
  readonly text: string;
  readonly isError: boolean;
  readonly details: unknown;
}

function ends(seen: readonly Event[]): readonly ToolEnd[] {
  return seen
    .filter((event) => event["type"] === "tool_execution_end")
    .map((event) => {
      const result = event["result"] as { content: { text: string }[]; details: unknown };
      return {
        text: result.content[0]?.text ?? "",
        isError: event["isError"] === true,
        details: result.details,
      };
    });
}

const content = (repo: string, path = "src/app.py") => readFileSync(join(repo, path), "utf8");
const lastMessage = (request: number) => JSON.stringify(model.requests[request]?.messages.at(-1));

for (const version of Object.keys(versions) as Version[]) {
  test(`Pi ${version}: reads, is refused once and reads why, edits, finishes`, async () => {
    const repo = prepare([
      read("src/app.py"),
      replace("src/app.py", "four", "4"),
      replace("src/app.py", "two", "2"),
      done,
    ]);
    const [, refused, edited] = await run(repo, attemptFiles, "read,edit", version);
    expect(refused).toMatchObject({ isError: true, details: { code: "ANCHOR_MISSING" } });
    expect(lastMessage(2)).toContain("ANCHOR_MISSING: ");
    expect(edited?.isError).toBe(false);
    expect(edited?.text).toContain("2: 2");
    expect(edited?.details).toMatchObject({
      path: "src/app.py",
      match: "exact",
      diff: "-2 two\n+2 2",
      firstChangedLine: 2,
    });
    expect(content(repo)).toBe("one\n2\nthree\n");
    expect(model.requests.length).toBe(4);
  });
}

test("the model is shown Pi's own shape, described as what it is", async () => {
  const repo = prepare([done]);
  await run(repo);
  const tool = model.requests[0]?.tools?.find((one) => one.function.name === "edit")?.function;
  expect(tool?.description).toContain("exact text replacement");
  expect(tool?.parameters).toMatchObject({
    type: "object",
    properties: {
      path: { type: "string" },
      edits: {
        type: "array",
        items: { properties: { oldText: { type: "string" }, newText: { type: "string" } } },
      },
    },
  });
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("Replace exact text in one writable file");
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("copy it from read");
});

describe("arguments that Pi's schema check would have hidden", () => {
  const edits = [{ oldText: "two", newText: "2" }];
  const understood: readonly (readonly [string, (repo: string) => unknown])[] = [
    ["edits as a JSON string", () => ({ path: "src/app.py", edits: JSON.stringify(edits) })],
    ["a single edit object", () => ({ path: "src/app.py", edits: edits[0] })],
    ["oldText and newText at the top level", () => ({ path: "src/app.py", ...edits[0] })],
    [
      "a redundant path in an item",
      () => ({ path: "src/app.py", edits: [{ path: "src/app.py", ...edits[0] }] }),
    ],
    ["@ and the absolute path", (repo) => ({ path: `@${repo}/src/app.py`, edits })],
  ];
  for (const [name, args] of understood) {
    test(`understood: ${name}`, async () => {
      let repo = "";
      repo = prepare((request) => (request === 0 ? edit(args(repo)) : done));
      const [edited] = await run(repo);
      expect(edited?.isError).toBe(false);
      expect(content(repo)).toBe("one\n2\nthree\n");
    });
  }

  test("refused by name, where the model and the loop breaker see it", async () => {
    const wrong = edit({ path: "src/app.py", edits: [{ path: "README.md", oldText: "x", newText: "y" }] });
    const repo = prepare((request) => (request < 6 ? wrong : done));
    const results = await run(repo);
    expect(results.slice(0, 5).map(({ text }) => text)).toEqual(
      Array(5).fill("INVALID_REQUEST: one call edits one file, not 'src/app.py' and 'README.md'"),
    );
    expect(results[5]?.text).toStartWith("Loop broken: ");
  });
});

test("calls in one message on one file queue up, each on the bytes that the other left", async () => {
  const calls = ["one", "two", "three"].map((word) => ({
    name: "edit",
    args: { path: "src/app.py", edits: [{ oldText: word, newText: word.toUpperCase() }] },
  }));
  const repo = prepare([{ toolCalls: calls }, done]);
  expect((await run(repo)).map(({ isError }) => isError)).toEqual([false, false, false]);
  expect(content(repo)).toBe("ONE\nTWO\nTHREE\n");
});

test("what the contract does not name is not written", async () => {
  const repo = prepare([
    replace("README.md", "hello", "bye"),
    replace("../contract.yaml", "Count.", "Anything."),
    done,
  ]);
  const [outside, escaping] = await run(repo);
  expect(outside).toMatchObject({ isError: true, details: { code: "PATH_UNDECLARED" } });
  expect(escaping).toMatchObject({ isError: true, details: { code: "INVALID_REQUEST" } });
  expect(content(repo, "README.md")).toBe("hello\n");
});

describe("registered once, where there is a context", () => {
  test("an ordinary session keeps Pi's own tool", async () => {
    const repo = prepare([replace("README.md", "hello", "bye"), done], { context: "" });
    const [edited] = await run(repo, [packageEntry]);
    expect(edited?.text).toContain("Successfully replaced 1 block(s)");
  });

  test("the installed package and a copy of its files beside it are no conflict", async () => {
    const repo = prepare([replace("README.md", "hello", "bye"), replace("src/app.py", "two", "2"), done]);
    const copy = join(at.folder, "copy");
    cpSync(join(root, "src/pi"), copy, { recursive: true });
    const [refused, edited] = await run(repo, [
      packageEntry,
      join(copy, "edit.ts"),
      join(copy, "loop-breaker.ts"),
    ]);
    expect(refused).toMatchObject({ isError: true, details: { code: "PATH_UNDECLARED" } });
    expect(edited?.isError).toBe(false);
  });

  test("a context that is not valid fails closed", async () => {
    const repo = prepare(
      [
        replace("src/app.py", "two", "2"),
        { toolCalls: [{ name: "bash", args: { command: "touch planted" } }] },
        done,
      ],
      {
        context: '{"version":2}',
      },
    );
    const args = [
      "--mode",
      "json",
      "--model",
      "scripted/scripted",
      ...bare(packageEntry),
      "-t",
      "read,edit,bash",
      "--",
      "go",
    ];
    const { stdout, stderr } = await pi(at, args, { cwd: repo });
    expect(stderr).toBe(
      "satyrn-engine: MUTATION_CONTEXT_INVALID: SATYRN_MUTATION_CONTEXT: version is 2, not 1\n",
    );
    expect(ends(events(stdout)).map(({ isError, text }) => [isError, text.split(":")[0]])).toEqual([
      [true, "MUTATION_CONTEXT_INVALID"],
      [true, "MUTATION_CONTEXT_INVALID"],
    ]);
    expect(content(repo)).toBe("one\ntwo\nthree\n");
    expect(git(repo, "status", "--porcelain")).toBe("");
  });

  test("the edit of a new session in the same Pi is bounded too", async () => {
    const repo = prepare([replace("README.md", "hello", "bye"), done]);
    const session = rpc(at, ["--model", "scripted/scripted", ...bare(packageEntry), "-t", "read,edit"], {
      cwd: repo,
    });
    session.send({ id: "1", type: "new_session" });
    await session.until((event) => event["id"] === "1" && event["success"] === true);
    session.send({ id: "2", type: "prompt", message: "go" });
    await session.until((event) => event["type"] === "agent_settled");
    expect(ends(session.seen)).toMatchObject([{ isError: true, details: { code: "PATH_UNDECLARED" } }]);
    expect((await session.end()).status).toBe(0);
    expect(content(repo, "README.md")).toBe("hello\n");
  });
});

test("the terminal draws the diff, and a refusal as it is", async () => {
  const repo = prepare([replace("src/app.py", "two", "2"), replace("src/app.py", "four", "4"), done]);
  const args = ["--model", "scripted/scripted", ...bare(packageEntry), "-t", "read,edit", "go"];
  const session = terminal(at, args, { cwd: repo });
  await session.until("Done.");
  expect(session.screen()).toMatch(/-2 two\s+\+2 2/);
  expect(session.screen()).toContain("ANCHOR_MISSING: ");
  session.press("\u0004");
  expect(await session.child.exited).toBe(0);
});

test("the edit, the guard and the command survive a reload in the terminal", async () => {
  const repo = prepare([replace("README.md", "hello", "bye"), done]);
  const args = ["--model", "scripted/scripted", ...bare(packageEntry), "-t", "read,edit"];
  const session = terminal(at, args, { cwd: repo });
  await session.until("scripted");
  await Bun.sleep(500);
  session.press("/reload\r");
  await session.until("Reloaded");
  session.press("go\r");
  await session.until("PATH_UNDECLARED");
  await session.until("Done.");
  session.press("/implement\r");
  await session.until("give a contract: /implement CONTRACT");
  session.press("\u0004");
  expect(await session.child.exited).toBe(0);
  expect(content(repo, "README.md")).toBe("hello\n");
});

describe("an engine that fails", () => {
  const faults: readonly (readonly [Fault, string])[] = [
    ["crashes", "ENGINE_CRASHED: the engine exited with 1: satyrn-engine: internal error: planted"],
    ["kills itself", "ENGINE_CRASHED: the engine was ended by SIGSEGV"],
    ["prints garbage", "ENGINE_MALFORMED_RESPONSE: the answer is not one JSON object"],
    ["hangs until it is told to end", "ENGINE_TIMEOUT: no answer within 0.5 s"],
    ["hangs and ignores TERM", "ENGINE_TIMEOUT: no answer within 0.5 s"],
  ];
  for (const [fault, text] of faults) {
    test(`${fault}: the model is told, later edits are refused, Pi goes on`, async () => {
      const repo = prepare([replace("src/app.py", "two", "2"), replace("src/app.py", "two", "3"), done]);
      at = { ...at, env: { ...at.env, SATYRN_ENGINE: faultyEngine(at.folder, fault) } };
      const [failed, poisoned] = await run(repo, [join(import.meta.dir, "impatient.ts")]);
      expect(failed).toMatchObject({ isError: true, text });
      expect(poisoned?.text).toStartWith("MUTATION_CONTEXT_POISONED: ");
    });
  }

  test("is not there: nothing is poisoned", async () => {
    const repo = prepare([replace("src/app.py", "two", "2"), replace("src/app.py", "two", "3"), done]);
    at = { ...at, env: { ...at.env, SATYRN_ENGINE: "/nowhere/satyrn-engine" } };
    const results = await run(repo);
    expect(results.map(({ text }) => text.split(":")[0])).toEqual([
      "ENGINE_START_FAILED",
      "ENGINE_START_FAILED",
    ]);
  });

  test("a session that ends takes a hanging engine with it", async () => {
    const repo = prepare([replace("src/app.py", "two", "2"), done]);
    at = {
      ...at,
      env: { ...at.env, SATYRN_ENGINE: faultyEngine(at.folder, "hangs until it is told to end") },
    };
    const session = rpc(at, ["--model", "scripted/scripted", ...bare(packageEntry), "-t", "read,edit"], {
      cwd: repo,
    });
    session.send({ id: "1", type: "prompt", message: "go" });
    await session.until((event) => event["type"] === "tool_execution_start");
    await Bun.sleep(200);
    session.child.kill("SIGTERM");
    await session.end();
  });
});

describe("bash", () => {
  const bash = (command: string): Turn => ({ toolCalls: [{ name: "bash", args: { command } }] });
  test("runs exactly the test command, after the edits of the same message", async () => {
    const testCommand = ["sh", "-c", "cat src/app.py; exit 3"];
    const calls = [
      { name: "edit", args: { path: "src/app.py", edits: [{ oldText: "two", newText: "2" }] } },
      { name: "bash", args: { command: testCommand.join(" ") } },
    ];
    const repo = prepare([{ toolCalls: calls }, done], { testCommand });
    const [, ran] = await run(repo, attemptFiles, "read,edit,bash");
    expect(ran).toMatchObject({ isError: false, text: "one\n2\nthree\n\nCommand exited with code 3" });
  });

  test("refuses anything else with the one allowed command", async () => {
    const repo = prepare([bash("touch planted"), bash("make test; touch planted"), done], {
      testCommand: ["make", "test"],
    });
    for (const refused of await run(repo, attemptFiles, "read,edit,bash")) {
      expect(refused.isError).toBe(true);
      expect(refused.text).toStartWith("TEST_COMMAND_NOT_ALLOWED: ");
      expect(refused.text).toContain("make test");
    }
    expect(git(repo, "status", "--porcelain")).toBe("");
  });
});

test("the package's manifest: pi install, then an ordinary session has the command and the guard", async () => {
  const repo = prepare((request) => (request < 6 ? read("README.md") : done), { context: "" });
  const installed = await pi(at, ["install", root], { cwd: repo });
  expect(installed.status).toBe(0);
  mkdirSync(join(at.folder, "elsewhere"));
  const session = rpc(at, ["--model", "scripted/scripted", "--no-session", "-nc"], { cwd: repo });
  session.send({ id: "1", type: "get_commands" });
  const answer = await session.until((event) => event["id"] === "1");
  expect(JSON.stringify(answer)).toContain('"name":"implement"');
  session.send({ id: "2", type: "prompt", message: "go" });
  await session.until((event) => event["type"] === "agent_settled");
  expect(ends(session.seen).at(-1)?.text).toStartWith("Loop broken: ");
  await session.end();
});
