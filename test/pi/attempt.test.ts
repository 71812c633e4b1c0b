import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { engine } from "../support/engine.ts";
import { git, makeRepository } from "../support/repository.ts";
import { type ScriptedModel, scriptedModel, type Turn } from "./model.ts";
import { entries, events, type Place, place, type Version, versions } from "./pi.ts";

let model: ScriptedModel;
let at: Place;
let worktree: string;
beforeEach(() => {
  worktree = "";
});
afterEach(async () => {
  const left = at.leftovers();
  await model.stop();
  at.dispose();
  expect(left).toEqual([]);
});

const read = (path: string): Turn => ({ toolCalls: [{ name: "read", args: { path } }] });
const replace = (oldText: string, newText: string, path = "src/app.py"): Turn => ({
  toolCalls: [{ name: "edit", args: { path, edits: [{ oldText, newText }] } }],
});
const done: Turn = { text: "Done." };

interface Setting {
  readonly contract?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly version?: Version;
}

const contractText = 'id: fix-1\ntask: Count to two.\nwritable_paths: ["src/*"]\n';

/** A worktree, and what the attempt there leaves. */
async function attempt(
  script: Parameters<typeof scriptedModel>[0],
  setting: Setting = {},
  args: readonly string[] = [],
) {
  const { contract = contractText, files = {}, version = "1.6.0" } = setting;
  model = scriptedModel(script);
  at = place(model.url, { SATYRN_PI: JSON.stringify(versions[version]) });
  worktree = join(at.folder, "worktree");
  makeRepository(worktree, {
    "src/app.py": "one\ntwo\n",
    "README.md": "hello\n",
    ".satyrn.yaml": contract,
    ...files,
  });
  const patch = join(at.folder, "change.patch");
  const transcript = join(at.folder, "transcript.jsonl");
  const run = await engine(["attempt", "--model", "scripted/scripted", ...args, ".satyrn.yaml"], {
    cwd: worktree,
    env: { ...at.env, SATYRN_ATTEMPT_PATCH: patch, SATYRN_ATTEMPT_TRANSCRIPT: transcript },
  });
  const written = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : null);
  return { ...run, events: events(run.stdout), patch: written(patch), transcript: written(transcript) };
}

for (const version of Object.keys(versions) as Version[]) {
  test(`Pi ${version}: reads, is refused once, edits through the bounded edit, finishes`, async () => {
    const script = [read("src/app.py"), replace("three", "3"), replace("two", "2"), done];
    const run = await attempt(script, { version });
    expect(run.stderr).toMatch(
      /^satyrn-engine: attempt OK: model scripted\/scripted, 4 turns, 3 tool calls \(2 edits, 1 refused\), \d+ s\n$/,
    );
    expect(run.status).toBe(0);
    expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain("ANCHOR_MISSING: ");
    expect(run.transcript).toBe(run.stdout);
    expect(readFileSync(join(worktree, "src/app.py"), "utf8")).toBe("one\n2\n");
    expect(run.patch).toContain("-two\n+2\n");
    git(worktree, "checkout", "-q", ".");
    git(worktree, "apply", join(at.folder, "change.patch"));
    expect(readFileSync(join(worktree, "src/app.py"), "utf8")).toBe("one\n2\n");
  });
}

test("the model has read and edit, the prompt, and nothing of the machine", async () => {
  const run = await attempt([done], { files: { "AGENTS.md": "PLANTED", ".pi/settings.json": "{}" } });
  expect(run.status).toBe(0);
  expect(run.patch).toBeNull();
  const request = model.requests[0];
  expect(request?.tools?.map((tool) => tool.function.name).sort()).toEqual(["edit", "read"]);
  const said = JSON.stringify(request?.messages);
  expect(said).not.toContain("PLANTED");
  expect(said).toContain("Count to two.");
  expect(said).toContain("src/app.py");
});

test("an edit of the contract does not widen what the session may do", async () => {
  const contract = 'id: fix-1\ntask: Count.\nwritable_paths: ["src/*", ".satyrn.yaml"]\n';
  const script = [replace('"src/*"', '"*"', ".satyrn.yaml"), replace("hello", "bye", "README.md"), done];
  const run = await attempt(script, { contract });
  expect(run.stderr).toContain("2 tool calls (2 edits, 1 refused)");
  expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain("PATH_UNDECLARED: ");
  expect(readFileSync(join(worktree, "README.md"), "utf8")).toBe("hello\n");
});

test("with a test command, bash runs it and only it", async () => {
  const contract = `${contractText}test_command: ["cat", "src/app.py"]\n`;
  const bash = (command: string): Turn => ({ toolCalls: [{ name: "bash", args: { command } }] });
  const run = await attempt([bash("cat README.md"), bash("cat src/app.py"), done], { contract });
  expect(run.status).toBe(0);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("TEST_COMMAND_NOT_ALLOWED: ");
  expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain(
    "one\\ntwo\\n\\nCommand exited with code 0",
  );
});

test("a model that loops is stopped by the guard", async () => {
  const run = await attempt(() => read("src/app.py"));
  expect(run.status).toBe(0);
  expect(entries(run.events, "loop_broken").length).toBe(3);
  expect(model.requests.length).toBe(8);
});

describe("failures that Pi's exit status does not show", () => {
  test("a model that errors", async () => {
    const run = await attempt([{ status: 401 }]);
    expect(run.status).toBe(10);
    expect(run.stderr).toMatch(
      /^satyrn-engine: ATTEMPT_FAILED: the model's last message ended with 'error': .*401.*\n$/,
    );
    expect(run.transcript).toBe(run.stdout);
  });

  test("a model that errors after an edit: the patch is published all the same", async () => {
    const run = await attempt([replace("two", "2"), { status: 400 }]);
    expect(run.status).toBe(10);
    expect(run.patch).toContain("+2\n");
  });

  test("a model that never answers, within --timeout", async () => {
    const run = await attempt([replace("two", "2"), { silent: true }], {}, ["--timeout", "4"]);
    expect(run.status).toBe(10);
    expect(run.stderr).toContain("satyrn-engine: ATTEMPT_FAILED: Pi did not end within 4 s");
    expect(run.patch).toContain("+2\n");
    expect(run.transcript).toBe(run.stdout);
  });

  test("a model that nobody has", async () => {
    model = scriptedModel([]);
    at = place(model.url, { SATYRN_PI: JSON.stringify(versions["1.6.0"]) });
    worktree = join(at.folder, "worktree");
    makeRepository(worktree, { "src/app.py": "one\n" });
    writeFileSync(join(at.folder, "c.yaml"), contractText);
    const run = await engine(["attempt", "--model", "nobody/none", "../c.yaml"], {
      cwd: worktree,
      env: at.env,
    });
    expect(run.status).toBe(10);
    expect(run.stderr).toContain("satyrn-engine: ATTEMPT_FAILED: Pi exited with 1\n");
  });
});
