import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import restrictedBash from "../../../src/pi/bash.ts";
import boundedEdit from "../../../src/pi/edit.ts";
import { type Behaving, type Behaviour, fakeEngine, fakeHost, fakeSurroundings } from "./fakes.ts";

const repo = mkdtempSync(join(tmpdir(), "satyrn-edit-"));
afterAll(() => rmSync(repo, { recursive: true }));
mkdirSync(join(repo, "src"));
writeFileSync(join(repo, "src/a.py"), "one\ntwo\nthree\n");

const revision = (letter: string) => letter.repeat(64);
const context = {
  version: 1,
  repo,
  contract: "/tmp/c.yaml",
  revisions: { "src/a.py": revision("a"), "src/b.py": revision("b") },
  writable_paths: ["src/*"],
  test_command: null as readonly string[] | null,
};

/** Answers a replace request with success and the next of the revisions 1, 2, 3, ... */
function working() {
  let count = 0;
  return (request: string): Behaviour => {
    const { path } = JSON.parse(request) as { path: string };
    const result = { path, sha256: revision(String(++count)), region: `2: edit ${count}`, match: "exact" };
    return { stdout: JSON.stringify({ version: 1, ok: true, code: "OK", message: "", result }) };
  };
}

const session = (...behaviours: readonly Behaving[]) => sessionWithin(undefined, ...behaviours);

function sessionWithin(deadline: number | undefined, ...behaviours: readonly Behaving[]) {
  const engine = fakeEngine(...behaviours);
  const host = fakeHost();
  boundedEdit(
    host,
    fakeSurroundings(engine.start, { SATYRN_MUTATION_CONTEXT: JSON.stringify(context) }, deadline),
  );
  const requests = () => engine.started.map(({ request }) => JSON.parse(request) as Record<string, unknown>);
  return { host, requests };
}

const call = (path: string, oldText = "two", newText = "2") => ({ path, edits: [{ oldText, newText }] });
const text = (result: { content: { text: string }[] }) => result.content[0]?.text;

test("an edit is one replace request, answered with the region", async () => {
  const { host, requests } = session(working());
  const result = await host.use("edit", call("src/a.py"));
  expect(requests()).toEqual([
    {
      version: 1,
      operation: "replace",
      repo,
      contract: "/tmp/c.yaml",
      path: "src/a.py",
      expected_sha256: revision("a"),
      edits: [{ old_text: "two", new_text: "2" }],
    },
  ]);
  expect(result).toEqual({
    content: [{ type: "text", text: "2: edit 1" }],
    details: {
      path: "src/a.py",
      sha256: revision("1"),
      region: "2: edit 1",
      match: "exact",
      diff: "-2 two\n+2 2",
      firstChangedLine: 2,
    },
    isError: false,
  });
});

test("the new revision is used by the next edit of that file, and of no other", async () => {
  const { host, requests } = session(working());
  await host.use("edit", call("src/a.py"));
  await host.use("edit", call("./src/a.py"));
  await host.use("edit", call("src/b.py"));
  expect(requests().map((request) => request["expected_sha256"])).toEqual([
    revision("a"),
    revision("1"),
    revision("b"),
  ]);
});

test("calls on one file queue up", async () => {
  const { host, requests } = session(working());
  await Promise.all([1, 2, 3].map(() => host.use("edit", call("src/a.py"))));
  expect(requests().map((request) => request["expected_sha256"])).toEqual([
    revision("a"),
    revision("1"),
    revision("2"),
  ]);
});

test("a file without a revision is asked for with null: the engine decides", async () => {
  const { host, requests } = session(working());
  await host.use("edit", call("src/new.py"));
  expect(requests()[0]?.["expected_sha256"]).toBeNull();
});

test("a refusal is an error result, and keeps the revision", async () => {
  const refused = {
    version: 1,
    ok: false,
    code: "ANCHOR_MISSING",
    message: "edits[0] occurs nowhere",
    result: null,
  };
  const { host, requests } = session({ stdout: JSON.stringify(refused), code: 9 }, working());
  const result = await host.use("edit", call("src/a.py"));
  expect(result).toEqual({
    content: [{ type: "text", text: "ANCHOR_MISSING: edits[0] occurs nowhere" }],
    details: { code: "ANCHOR_MISSING", message: "edits[0] occurs nowhere" },
    isError: true,
  });
  expect((await host.use("edit", call("src/a.py"))).isError).toBe(false);
  expect(requests()[1]?.["expected_sha256"]).toBe(revision("a"));
});

test("arguments that cannot be understood never reach the engine", async () => {
  const { host, requests } = session(working());
  const result = await host.use("edit", {
    edits: [
      { path: "a", oldText: "x", newText: "y" },
      { path: "b", oldText: "x", newText: "y" },
    ],
  });
  expect(text(result)).toBe("INVALID_REQUEST: one call edits one file, not 'a' and 'b'");
  expect(result.isError).toBe(true);
  expect(requests()).toEqual([]);
});

test("raw arguments are understood by execute too", async () => {
  const { host, requests } = session(working());
  await host.tools
    .get("edit")
    ?.execute("call-1", { path: "@src/a.py", edits: '{"oldText":"two","newText":"2"}' });
  expect(requests()[0]).toMatchObject({ path: "src/a.py", edits: [{ old_text: "two", new_text: "2" }] });
});

describe("no arguments fail the schema that Pi checks", () => {
  const given: readonly unknown[] = [
    null,
    "x",
    7,
    [],
    {},
    { path: 1 },
    { path: {}, edits: 3 },
    call("a"),
    { path: "a", edits: "[" },
    { edits: [[]] },
  ];
  for (const raw of given) {
    test(JSON.stringify(raw), () => {
      const { host } = session(working());
      const prepared = host.tools.get("edit")?.prepareArguments(raw) ?? {};
      const { path = "", edits = [] } = prepared as { path?: unknown; edits?: unknown };
      expect(typeof path).toBe("string");
      expect(
        Array.isArray(edits) &&
          edits.every((edit) => typeof edit.oldText === "string" && typeof edit.newText === "string"),
      ).toBe(true);
    });
  }
});

const poisonous: readonly (readonly [string, Behaviour, string])[] = [
  ["a crash", { code: 1 }, "ENGINE_CRASHED"],
  ["a signal", { signal: "SIGKILL" }, "ENGINE_CRASHED"],
  ["garbage", { stdout: "{}" }, "ENGINE_MALFORMED_RESPONSE"],
  ["no answer", { hangsUntil: "SIGTERM" }, "ENGINE_TIMEOUT"],
];
for (const [name, behaviour, code] of poisonous) {
  test(`${name} poisons the context: every later edit is refused`, async () => {
    const deadline = code === "ENGINE_TIMEOUT" ? 30 : undefined;
    const { host, requests } = sessionWithin(deadline, behaviour, working());
    expect(text(await host.use("edit", call("src/a.py")))).toStartWith(`${code}: `);
    for (const path of ["src/a.py", "src/b.py"]) {
      const later = await host.use("edit", call(path));
      expect(later.isError).toBe(true);
      expect(text(later)).toStartWith("MUTATION_CONTEXT_POISONED: ");
    }
    expect(requests().length).toBe(1);
  });
}

for (const [name, behaviour] of [
  ["an engine that does not start", { startError: "spawn ENOENT" }],
  ["a request that could not be written", { stdinError: "write EPIPE" }],
] as const) {
  test(`${name} does not poison`, async () => {
    const { host } = session(behaviour, working());
    expect(text(await host.use("edit", call("src/a.py")))).toStartWith("ENGINE_START_FAILED: ");
    expect((await host.use("edit", call("src/a.py"))).isError).toBe(false);
  });
}

describe("registered only with a context", () => {
  const load = (value: string | undefined, register = boundedEdit) => {
    const host = fakeHost();
    register(host, fakeSurroundings(fakeEngine(working()).start, { SATYRN_MUTATION_CONTEXT: value }));
    return host;
  };
  test("an ordinary session keeps Pi's own tools", () => {
    expect(load(undefined).tools.size).toBe(0);
    expect(load(undefined, restrictedBash).tools.size).toBe(0);
  });
  test("an invalid context fails closed: every edit and every command is refused", async () => {
    for (const value of ["{", "@relative", JSON.stringify({ ...context, version: 2 })]) {
      const edited = await load(value).use("edit", call("src/a.py"));
      expect(edited).toMatchObject({ isError: true, details: { code: "MUTATION_CONTEXT_INVALID" } });
      const ran = await load(value, restrictedBash).use("bash", { command: "true" });
      expect(ran).toMatchObject({ isError: true, details: { code: "MUTATION_CONTEXT_INVALID" } });
    }
  });
  test("never twice in one session", () => {
    const host = fakeHost();
    const copy = fakeHost(host);
    const around = fakeSurroundings(fakeEngine(working()).start, {
      SATYRN_MUTATION_CONTEXT: JSON.stringify(context),
    });
    boundedEdit(host, around);
    boundedEdit(copy, around);
    expect([host.tools.size, copy.tools.size]).toEqual([1, 0]);
  });
  test("bash needs a test command", () => {
    expect(load(JSON.stringify(context), restrictedBash).tools.size).toBe(0);
    expect(
      load(JSON.stringify({ ...context, test_command: ["make", "test"] }), restrictedBash).tools.size,
    ).toBe(1);
  });
});

describe("bash", () => {
  const bash = (...behaviours: readonly Behaving[]) => {
    const engine = fakeEngine(...behaviours);
    const host = fakeHost();
    const value = JSON.stringify({ ...context, test_command: ["make", "test"] });
    restrictedBash(host, fakeSurroundings(engine.start, { SATYRN_MUTATION_CONTEXT: value }));
    return { host, request: () => JSON.parse(engine.started[0]?.request ?? "null") as unknown };
  };
  const ok = (result: Record<string, unknown>) => ({
    stdout: JSON.stringify({ version: 1, ok: true, code: "OK", message: "", result }),
  });

  test("runs the command through the engine; a failing suite is a result", async () => {
    const { host, request } = bash(
      ok({ exit_code: 1, output: "1 failed", truncated: false, timed_out: false }),
    );
    const result = await host.use("bash", { command: "make test" });
    expect(request()).toEqual({
      version: 1,
      operation: "test",
      repo,
      contract: "/tmp/c.yaml",
      command: "make test",
    });
    expect(result).toMatchObject({
      isError: false,
      content: [{ text: "1 failed\n\nCommand exited with code 1" }],
    });
  });
  test("says when the command timed out", async () => {
    const { host } = bash(ok({ exit_code: null, output: "...", truncated: false, timed_out: true }));
    expect(text(await host.use("bash", { command: "make test" }))).toBe("...\n\nCommand timed out");
  });
  test("anything else is the engine's to refuse", async () => {
    const message = "the one allowed command is: make test";
    const { host } = bash({
      stdout: JSON.stringify({
        version: 1,
        ok: false,
        code: "TEST_COMMAND_NOT_ALLOWED",
        message,
        result: null,
      }),
    });
    const result = await host.use("bash", { command: "rm -rf ." });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: `TEST_COMMAND_NOT_ALLOWED: ${message}` }],
    });
  });
  for (const [given, sent] of [
    [{}, ""],
    [{ command: ["make", "test"] }, '["make","test"]'],
    ["make test", ""],
  ] as const) {
    test(`asked for ${JSON.stringify(given)}, it asks for a command that is none`, async () => {
      const { host, request } = bash({ code: 1 });
      await host.use("bash", given);
      expect(request()).toMatchObject({ command: sent });
    });
  }
  test("an engine failure is an error result", async () => {
    const { host } = bash({ code: 1 });
    expect(text(await host.use("bash", { command: "make test" }))).toBe(
      "ENGINE_CRASHED: the engine exited with 1",
    );
  });
});
