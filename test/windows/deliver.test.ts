/** Deliveries into a real repository, by the executable, with programs that Windows or the tests bring. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { engine, executable } from "../support/engine.ts";
import {
  git,
  gitEnvironment,
  makeRepository,
  snapshot,
  temporaryFolder,
  writeFiles,
} from "../support/repository.ts";
import { appears, heartbeat, isStill, running, startsInBackground } from "./program.ts";

let at: { readonly path: string; dispose(): void };
let repo = "";
let temporary = "";
const shell = (line: string) => ["cmd.exe", "/d", "/c", line];

beforeEach(() => {
  at = temporaryFolder("satyrn dälivery ");
  repo = join(at.path, "repo");
  temporary = join(at.path, "temp");
  mkdirSync(temporary);
  makeRepository(repo, { "a.txt": "one\n", "src/b.txt": "two\n" });
  contract("");
});
afterEach(() => at.dispose());

function contract(more: string, id = "fix-1"): void {
  writeFileSync(join(at.path, "contract.yaml"), `id: ${id}\ntask: change a file\n${more}`);
}

const environment = () => ({ ...gitEnvironment(), TEMP: temporary, TMP: temporary });

/** Delivers, and compares the caller's side before and after. */
async function deliver(command: readonly string[], flags: readonly string[] = [], env = {}, timeout = "60") {
  const before = snapshot(repo);
  const words = [
    "--repo",
    repo,
    "--timeout",
    timeout,
    ...flags,
    join(at.path, "contract.yaml"),
    "--",
    ...command,
  ];
  const run = await engine(["deliver", ...words], { env: { ...environment(), ...env } });
  const receipt = JSON.parse(run.stdout);
  const after = snapshot(repo);
  expect({ ...after, refs: "" }).toEqual({ ...before, refs: "" });
  if (receipt.code !== "OK") expect(after["refs"]).toBe(before["refs"]);
  const kept = receipt.worktree_path === null ? "" : receipt.message;
  expect({ kept, left: readdirSync(temporary) }).toEqual({ kept: "", left: [] });
  return { ...run, receipt };
}

const candidateFile = (path: string) => git(repo, "show", `refs/satyrn/candidates/fix-1/head:${path}`);

describe("a candidate", () => {
  test("is what the command changed: one commit on the base, under a ref of its own", async () => {
    const { status, stderr, receipt } = await deliver(shell("echo three>new.txt& del src\\b.txt"));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(receipt).toMatchObject({
      code: "OK",
      changed_paths: ["new.txt", "src/b.txt"],
      repository: repo,
      command_exit: 0,
      source_drift: [],
      worktree_path: null,
    });
    expect(git(repo, "rev-parse", "refs/satyrn/candidates/fix-1/head^")).toBe(git(repo, "rev-parse", "HEAD"));
    expect(candidateFile("new.txt").trim()).toBe("three");
    expect(git(repo, "fsck", "--strict")).toBe("");
    expect(readdirSync(join(repo, ".git/satyrn/receipts/fix-1"))).toHaveLength(1);
    expect(readdirSync(join(repo, ".git/objects/pack")).filter((name) => name.endsWith(".keep"))).toEqual([]);
    const again = await deliver(shell("echo more>new.txt"));
    expect([again.status, again.receipt.code]).toEqual([8, "CANDIDATE_EXISTS"]);
  });

  test("is made by a command that sees the caller's variables, none that the engine set for itself", async () => {
    const name = "NoDefaultCurrentDirectoryInExePath";
    const script = `fs.writeFileSync(here("seen.txt"), String(process.env.${name}));`;
    for (const [id, value, seen] of [
      ["fix-1", undefined, "undefined"],
      ["fix-2", "1", "1"],
    ] as const) {
      contract("", id);
      expect((await deliver(running(script), [], { [name]: value })).receipt.code).toBe("OK");
      expect(git(repo, "show", `refs/satyrn/candidates/${id}/head:seen.txt`)).toBe(seen);
    }
  });

  test("of a linked worktree, and of a base that is named", async () => {
    const linked = join(at.path, "linked");
    git(repo, "worktree", "add", "-q", linked, "HEAD", "--detach");
    const words = [
      "--repo",
      linked,
      "--base",
      "HEAD",
      join(at.path, "contract.yaml"),
      "--",
      ...shell("echo x>n"),
    ];
    const run = await engine(["deliver", ...words], { env: environment() });
    expect(JSON.parse(run.stdout)).toMatchObject({ code: "OK", changed_paths: ["n"] });
    expect(git(repo, "worktree", "list").split("\n")).toHaveLength(2);
  });

  test("holds an edit that keeps size and time", async () => {
    const script = `const { atime, mtime } = fs.statSync(here("a.txt")); fs.writeFileSync(here("a.txt"), "ONE\\n");
      fs.utimesSync(here("a.txt"), atime, mtime);`;
    expect((await deliver(running(script))).receipt).toMatchObject({ code: "OK", changed_paths: ["a.txt"] });
    expect(candidateFile("a.txt")).toBe("ONE");
  });

  test("holds no file that only looks changed after the checkout", async () => {
    writeFiles(repo, { "crlf.txt": "a\r\nb\r\n", "touched.txt": "a\r\n" });
    git(repo, "add", "-A");
    git(repo, "commit", "-qm", "before the attributes");
    writeFiles(repo, { ".gitattributes": "*.txt text\n" });
    git(repo, "add", ".gitattributes");
    git(repo, "commit", "-qm", "attributes");
    git(repo, "update-index", "--assume-unchanged", "crlf.txt", "touched.txt");
    const { receipt } = await deliver(running('fs.appendFileSync(here("touched.txt"), "more\\r\\n")'));
    expect(receipt).toMatchObject({ code: "OK", changed_paths: ["touched.txt"] });
  });

  test("holds read-only files and paths of more than 260 characters", async () => {
    const script = `const deep = Array(30).fill("a-long-name").join("/"); fs.mkdirSync(here(deep), { recursive: true });
      fs.writeFileSync(here(deep + "/file"), "x");
      fs.writeFileSync(here("read-only"), "x"); fs.chmodSync(here("read-only"), 0o444);`;
    const { receipt } = await deliver(running(script));
    expect(receipt.code).toBe("OK");
    expect(receipt.changed_paths.map((path: string) => path.length)).toEqual([30 * 12 + 4, 9]);
  });

  test("is published by each of several deliveries at once", async () => {
    const ids = ["one", "two", "three"];
    const runs = ids.map((id) => {
      const file = join(at.path, `${id}.yaml`);
      writeFileSync(file, `id: ${id}\ntask: change a file\n`);
      const words = ["--repo", repo, "--timeout", "60", file, "--", ...shell(`echo ${id}>${id}.txt`)];
      return engine(["deliver", ...words], { env: environment() });
    });
    const codes = (await Promise.all(runs)).map(({ stdout }) => JSON.parse(stdout).code);
    expect(codes).toEqual(["OK", "OK", "OK"]);
    expect(git(repo, "worktree", "list").split("\n")).toHaveLength(1);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe("the command's world", () => {
  test("is the caller's, with the contract's variables, without Git's routing", async () => {
    const env = { GIT_DIR: "nowhere", Git_Index_File: "nowhere", MINE: "kept" };
    const { receipt } = await deliver(shell("set>world.txt"), [], env);
    expect(receipt.code).toBe("OK");
    const world = candidateFile("world.txt").split(/\r?\n/);
    const names = world.map((line) => line.split("=")[0]?.toUpperCase());
    expect(world).toContain("MINE=kept");
    expect(world).toContain("SATYRN_CONTRACT_ID=fix-1");
    expect(world).toContain(`SATYRN_BASE_COMMIT=${receipt.base_commit}`);
    for (const gone of ["GIT_DIR", "GIT_INDEX_FILE"]) expect(names).not.toContain(gone);
  });

  // Each stream comes through a pipe of its own there, so that a line of one can stand within a line of the other.
  test("has its output on the engine's stderr", async () => {
    const { stderr } = await deliver(shell("echo to stdout& echo to stderr>&2& echo x>y"));
    for (const words of ["to stdout", "to stderr"]) expect(stderr).toContain(words);
    expect(stderr.replace(/to stdout|to stderr|\s/g, "")).toBe("");
  });
});

describe("no candidate:", () => {
  test.each([
    ["NO_CHANGES", shell("rem nothing"), 8, { command_exit: 0, changed_paths: [] }],
    ["COMMAND_FAILED", shell("echo x>y& exit 3"), 8, { command_exit: 3 }],
    ["COMMAND_UNAVAILABLE", ["no-such-program"], 8, { command_exit: null }],
    ["COMMAND_CHANGED_HEAD", shell("git commit -q --allow-empty -m moved"), 8, {}],
    ["COMMAND_CHANGED_GIT_STATE", shell("git config core.excludesFile x"), 8, {}],
    ["NESTED_REPOSITORY", shell("git init -q nested& echo x>nested\\y"), 8, {}],
  ] as const)("%s", async (code, command, status, findings) => {
    // What the command did to the configuration stays, and is told; it is the command that did it.
    const planted = code === "COMMAND_CHANGED_GIT_STATE";
    const run = planted ? await deliverAnyway(command) : await deliver(command);
    expect([run.status, run.receipt.code]).toEqual([status, code]);
    expect(run.receipt).toMatchObject(findings);
    expect(run.stderr).toContain(`satyrn-engine: ${code}: `);
    expect(git(repo, "for-each-ref", "refs/satyrn")).toBe("");
  });

  async function deliverAnyway(command: readonly string[]) {
    const words = ["deliver", "--repo", repo, join(at.path, "contract.yaml"), "--", ...command];
    const run = await engine(words, { env: environment() });
    expect(readdirSync(temporary)).toEqual([]);
    return { ...run, receipt: JSON.parse(run.stdout) };
  }

  test("PATH_UNDECLARED, whatever the case", async () => {
    contract("writable_paths: [SRC/*]\n");
    const { receipt } = await deliver(shell("echo x>src\\c.txt"));
    expect(receipt).toMatchObject({ code: "PATH_UNDECLARED", changed_paths: ["src/c.txt"] });
    contract("writable_paths: [src/*]\n");
    expect((await deliver(shell("echo x>src\\c.txt"))).receipt.code).toBe("OK");
  });

  test("REPO_DIRTY, REPO_NOT_GIT and a base that is none", async () => {
    expect((await deliver(shell("rem"), ["--base", "nothing"])).receipt.code).toBe("BASE_UNAVAILABLE");
    writeFileSync(join(repo, "untracked"), "");
    expect((await deliver(shell("rem"))).receipt).toMatchObject({
      code: "REPO_DIRTY",
      message: "the working tree has uncommitted changes in 1 path: untracked",
    });
    const words = ["deliver", "--repo", join(repo, "src"), join(at.path, "contract.yaml"), "--", "cmd"];
    const run = await engine(words, { env: environment() });
    expect(JSON.parse(run.stdout)).toMatchObject({ code: "REPO_NOT_GIT" });
  });

  test("INVALID_CANDIDATE_ID for a name that Windows changes; GIT_FAILED for one that differs in case alone", async () => {
    contract("", "v1.");
    expect((await deliver(shell("echo x>y"))).receipt.code).toBe("INVALID_CANDIDATE_ID");
    contract("", "fix-1");
    expect((await deliver(shell("echo x>y"))).receipt.code).toBe("OK");
    const first = git(repo, "for-each-ref", "refs/satyrn");
    contract("", "FIX-1");
    expect((await deliver(shell("echo x>z"))).receipt.code).toBe("GIT_FAILED");
    expect(git(repo, "for-each-ref", "refs/satyrn")).toBe(first);
  });

  test("COMMAND_TIMEOUT, and nothing runs any more", async () => {
    const file = join(at.path, "beat");
    const script = `${startsInBackground(heartbeat(file))} ${heartbeat(`${file}-own`)}`;
    const { receipt } = await deliver(running(script), [], {}, "10");
    expect(receipt).toMatchObject({ code: "COMMAND_TIMEOUT", command_exit: null });
    expect(existsSync(file)).toBe(true);
    expect([await isStill(file), await isStill(`${file}-own`)]).toEqual([true, true]);
  }, 120_000);

  test("VERIFICATION_FAILED; checks are lines of cmd.exe, or programs", async () => {
    contract("acceptance:\n  verification_commands:\n    - cmd: 'findstr \"thr\" new.txt'\n");
    const failed = await deliver(shell("echo four>new.txt"));
    expect([failed.status, failed.receipt.code]).toEqual([21, "VERIFICATION_FAILED"]);
    const { receipt } = await deliver(shell("echo three>new.txt"));
    expect(receipt).toMatchObject({ code: "OK", verification: { passed: true } });
  });
});

test("an engine that is killed takes its command, and all that it started, along", async () => {
  const file = join(at.path, "beat");
  const script = `${startsInBackground(heartbeat(file))} ${heartbeat(`${file}-own`)}`;
  const words = ["deliver", "--repo", repo, join(at.path, "contract.yaml"), "--", ...running(script)];
  const child = Bun.spawn([executable, ...words], {
    env: { ...environment() },
    stdio: ["ignore", "ignore", "ignore"],
  });
  await appears(file);
  await appears(`${file}-own`);
  child.kill("SIGKILL");
  await child.exited;
  await Bun.sleep(500);
  expect([await isStill(file), await isStill(`${file}-own`)]).toEqual([true, true]);
}, 120_000);
