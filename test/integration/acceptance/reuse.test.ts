/** Outcomes of an earlier `verify`, and every way in which its evidence can have become another. */
import { afterEach, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { writeFiles } from "../../support/repository.ts";
import { checked, checks, disposeTask, judged, make, task } from "./current-task.ts";

afterEach(disposeTask);

const runs = () => join(task().worktree, ".devlyn/loop/runs");
const result = ".devlyn/loop/runs/1/result.json";

describe("re-use", () => {
  const count = "echo run >> ../runs.txt";
  const executed = () => {
    const path = join(task().worktree, "../runs.txt");
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
  };
  const reuse = (more: object = {}) => judged({ runner_results: [result], ...more });
  const edit = (change: (file: Record<string, unknown>) => void) => {
    const path = join(task().worktree, result);
    const file = JSON.parse(readFileSync(path, "utf8"));
    change(file);
    writeFileSync(path, JSON.stringify(file));
  };

  test("of an intact result executes nothing, and starts at most 12 Git processes", async () => {
    const forbidden_patterns = [{ pattern: "zzz", description: "x", severity: "disqualifier" }];
    const more = { forbidden_patterns, forbidden_files: ["x"], required_files: ["README.md", "src"] };
    make({ expected: { ...checks({ cmd: count }, { cmd: "echo b" }), ...more } });
    const verified = await checked();
    const git = countGit();
    const { status, file } = await reuse();
    expect(git.count()).toBeLessThanOrEqual(12);
    git.restore();
    expect({ status, runs: executed() }).toEqual({ status: "ACCEPTED", runs: 1 });
    expect(existsSync(join(runs(), "2"))).toBe(false);
    expect(file.commands).toEqual(
      verified.file.commands.map((record: object) => ({ ...record, reused_from: result })),
    );
  });

  test("by absolute path, and of the first listed", async () => {
    make({ expected: checks({ cmd: count }) });
    await checked();
    await checked();
    const second = ".devlyn/loop/runs/2/result.json";
    const { file } = await judged({ runner_results: [join(task().worktree, second), result] });
    expect(file.commands[0].reused_from).toBe(second);
    expect(executed()).toBe(2);
  });

  test.each<[string, () => void]>([
    ["a stream with one byte more", () => appendFileSync(join(runs(), "1/cmd-0.stdout"), "x")],
    ["a stream that is gone", () => rmSync(join(runs(), "1/cmd-0.stderr"))],
    [
      "a stream elsewhere",
      () => {
        const outside = join(task().worktree, "../outside");
        renameSync(join(runs(), "1/cmd-0.stdout"), outside);
        symlinkSync(outside, join(runs(), "1/cmd-0.stdout"));
      },
    ],
    [
      "another digest",
      () =>
        edit(({ commands }) =>
          Object.assign(first(commands), {
            stdout: { path: ".devlyn/loop/runs/1/cmd-0.stdout", sha256: "0".repeat(64) },
          }),
        ),
    ],
    [
      "a record that did not pass",
      () => edit(({ commands }) => Object.assign(first(commands), { passed: false })),
    ],
    [
      "another outcome",
      () =>
        edit(({ commands }) => Object.assign(first(commands), { outcome: { kind: "exit", exit_code: 1 } })),
    ],
    ["no streams", () => edit(({ commands }) => Object.assign(first(commands), { stdout: null }))],
    [
      "another command",
      () => edit(({ commands }) => Object.assign(first(commands), { command: { cmd: "true" } })),
    ],
    ["another index", () => edit(({ commands }) => Object.assign(first(commands), { index: 5 }))],
    ["another task", () => edit((file) => Object.assign(file, { task: "T2" }))],
    ["another source", () => edit((file) => Object.assign(file, { source_sha: task().inputs }))],
    [
      "another contract",
      () => edit(({ contract }) => Object.assign(contract as object, { meta: "0".repeat(64) })),
    ],
    ["reasons", () => edit((file) => Object.assign(file, { reasons: ["failed: x"] }))],
    ["another kind", () => edit((file) => Object.assign(file, { kind: "loop" }))],
    ["not an object", () => writeFileSync(join(task().worktree, result), "[]")],
  ])("%s is executed again", async (_, alter) => {
    make({ expected: checks({ cmd: count }) });
    await checked();
    alter();
    const { status, file } = await reuse();
    expect({ status, runs: executed() }).toEqual({ status: "ACCEPTED", runs: 2 });
    expect(file.commands[0].stdout.path).toBe(".devlyn/loop/runs/2/cmd-0.stdout");
    expect(file.commands[0]).not.toHaveProperty("reused_from");
  });

  test("whatever one value of a record is altered to say, it is executed again", async () => {
    make({
      expected: checks({ cmd: `${count}; echo out`, contract_refs: ["R1"], stdout_contains: ["out"] }),
    });
    await checked();
    const original = readFileSync(join(task().worktree, result), "utf8");
    const { commands } = JSON.parse(original);
    const places = leaves(first(commands));
    expect(places.length).toBeGreaterThan(12);
    for (const place of places) {
      const before = executed();
      edit((file) => alter(first(file["commands"]), place));
      expect((await reuse()).status).toBe("ACCEPTED");
      expect({ place, runs: executed() - before }).toEqual({ place, runs: 1 });
      writeFileSync(join(task().worktree, result), original);
    }
    const before = executed();
    edit((file) => Object.assign(first(file["commands"]), { more: 1 }));
    await reuse();
    expect(executed()).toBe(before);
  });

  test.each<[string, (path: string) => void, number]>([
    ["truncated", (path) => truncateSync(path, 1), 1],
    ["empty", (path) => truncateSync(path, 0), 1],
    ["of the same size", (path) => writeFileSync(path, "ouT\n"), 1],
    ["renamed", (path) => renameSync(path, `${path}.old`), 1],
    ["a folder", (path) => all(rmSync(path), mkdirSync(path)), 1],
    ["a pipe", (path) => all(rmSync(path), Bun.spawnSync(["mkfifo", path])), 1],
    ["a link that leads nowhere", (path) => all(rmSync(path), symlinkSync("nowhere", path)), 1],
    ["a link to a copy", (path) => all(renameSync(path, `${path}.old`), symlinkSync(`${path}.old`, path)), 1],
    ["a device", (path) => all(rmSync(path), symlinkSync("/dev/zero", path)), 1],
    ["written again with the same bytes", (path) => all(rmSync(path), writeFileSync(path, "out\n")), 0],
    [
      "a hard link",
      (path) => all(linkSync(path, `${path}.x`), rmSync(path), renameSync(`${path}.x`, path)),
      0,
    ],
  ])("a stream's file that is %s", async (_, change, again) => {
    make({ expected: checks({ cmd: `${count}; echo out` }) });
    await checked();
    change(join(runs(), "1/cmd-0.stdout"));
    expect((await reuse()).status).toBe("ACCEPTED");
    expect(executed()).toBe(1 + again);
  });

  test("only what is altered is executed again", async () => {
    make({ expected: checks({ cmd: count }, { cmd: "echo b" }) });
    await checked();
    appendFileSync(join(runs(), "1/cmd-1.stdout"), "x");
    const { file } = await reuse();
    expect(executed()).toBe(1);
    expect(file.commands.map((record: { reused_from?: string }) => record.reused_from)).toEqual([
      result,
      undefined,
    ]);
    expect(file.evidence).toContain(".devlyn/loop/runs/2/cmd-1.stdout");
  });

  test("a result of a commit before is passed over", async () => {
    make({ expected: checks({ cmd: count }) });
    await checked();
    task().git("commit", "-q", "--allow-empty", "-m", "more");
    const { status } = await reuse({ source_sha: task().git("rev-parse", "HEAD") });
    expect({ status, runs: executed() }).toEqual({ status: "ACCEPTED", runs: 2 });
  });

  test.each<[string, () => string, string]>([
    ["a path that is no file", () => ".devlyn/loop/none.json", "is not a file under .devlyn/loop"],
    ["a folder", () => ".devlyn/loop/runs", "is not a file under .devlyn/loop"],
    ["a file elsewhere", () => join(task().folder, "packet.json"), "is not a file under .devlyn/loop"],
    ["a way around", () => ".devlyn/loop/../../README.md", "is not a file under .devlyn/loop"],
    [
      "not strict JSON",
      () => afterwards(writeFiles(task().worktree, { [result]: '{"a":NaN}' })),
      "is not strict JSON",
    ],
    [
      "records that are no list",
      () => afterwards(edit((file) => Object.assign(file, { commands: {} }))),
      "has malformed command records",
    ],
    [
      "records without an index",
      () => afterwards(edit((file) => Object.assign(file, { commands: [{}] }))),
      "has malformed command records",
    ],
    [
      "an index that is no integer",
      () => afterwards(edit((file) => Object.assign(file, { commands: [{ index: true }] }))),
      "has malformed command records",
    ],
  ])("%s fails", async (_, prepare, problem) => {
    make({ expected: checks({ cmd: count }) });
    await checked();
    const listed = prepare();
    const { status, reasons } = await judged({ runner_results: [listed] });
    expect(status).toBe("FAILED");
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toStartWith(`failed: runner result ${listed} ${problem}`);
    expect(executed()).toBe(1);
  });
});

function afterwards(_altered: unknown): string {
  return result;
}

function first(commands: unknown): object {
  const [record] = commands as readonly object[];
  return record ?? {};
}

/** A Git in front of the real one that counts how often it is started. */
function countGit() {
  const folder = join(task().folder, "counting bin");
  const log = join(task().folder, "git.log");
  writeFiles(folder, { git: `#!/bin/sh\necho "$@" >> '${log}'\nexec '${Bun.which("git")}' "$@"\n` });
  Bun.spawnSync(["chmod", "+x", join(folder, "git")]);
  const before = process.env["PATH"];
  process.env["PATH"] = `${folder}:${before}`;
  return {
    count: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0),
    restore: () => {
      process.env["PATH"] = before;
    },
  };
}

type Place = readonly (string | number)[];

/** Where each value that holds no other lies in `value`. */
function leaves(value: unknown, place: Place = []): readonly Place[] {
  if (typeof value !== "object" || value === null) return [place];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...place, name]));
}

/** Puts another value of the same kind in that place. */
function alter(record: object, [name = "", ...rest]: Place): void {
  const fields = record as Record<string | number, unknown>;
  const value = fields[name];
  if (rest.length > 0) alter(value as object, rest);
  else if (typeof value === "number") fields[name] = value + 1;
  else if (typeof value === "boolean") fields[name] = !value;
  else fields[name] = value === null ? "x" : `${value}x`;
}

/** Several steps in one expression; each is done by the time it is passed. */
function all(..._steps: readonly unknown[]): void {}
