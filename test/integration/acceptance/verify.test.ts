import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accept } from "../../../src/acceptance/accept.ts";
import { verify } from "../../../src/acceptance/verify.ts";
import { writeFiles } from "../../support/repository.ts";
import { blockedBy, checked, checks, disposeTask, make, task } from "./current-task.ts";

afterEach(disposeTask);

describe("a clean candidate", () => {
  test("passes, with a result of fixed fields and layout", async () => {
    make({ expected: checks({ cmd: "printf out; printf err >&2", contract_refs: ["R1"] }) });
    const { passed, reasons, result, file } = await checked();
    expect({ passed, reasons }).toEqual({ passed: true, reasons: [] });
    expect(result).toBe(join(task().worktree, ".devlyn/loop/runs/1/result.json"));
    const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
    const stream = (name: string, text: string) => {
      return { path: `.devlyn/loop/runs/1/cmd-0.${name}`, sha256: sha256(text), bytes: 3 };
    };
    expect(file).toMatchObject({
      schema_version: 1,
      kind: "loop-checks",
      task: "T1",
      source_sha: task().source,
      inputs_sha: task().inputs,
      allocation_base: task().inputs,
      commands: [
        {
          index: 0,
          outcome: { kind: "exit", exit_code: 0 },
          stdout: stream("stdout", "out"),
          stderr: stream("stderr", "err"),
          passed: true,
          reason: null,
          command: { cmd: "printf out; printf err >&2" },
          contract_refs: ["R1"],
        },
      ],
      guards: [{ rule: "max_deps_added", subject: "0 added, limit 0", passed: true, blocking: true }],
      reasons: [],
    });
    expect(Object.keys(file)).toEqual(Object.keys(file).sort());
    expect(readFileSync(result, "utf8")).toBe(`${JSON.stringify(file, null, 2)}\n`);
    expect(readFileSync(join(task().worktree, ".devlyn/loop/runs/1/cmd-0.stdout"), "utf8")).toBe("out");
  });

  test("each run has a folder of its own, numbered from the largest", async () => {
    make();
    await checked();
    writeFiles(task().worktree, { ".devlyn/loop/runs/7/x": "", ".devlyn/loop/runs/notes": "" });
    expect((await checked()).result).toEndWith("/runs/8/result.json");
  });

  test("through a link to the worktree", async () => {
    make();
    const link = join(task().folder, "a link");
    symlinkSync(task().worktree, link);
    expect((await checked({ worktree: link })).result).toBe(join(link, ".devlyn/loop/runs/1/result.json"));
  });

  test.each([
    "with spaces and ümlauts",
    "line\nfeed",
    "quotes \"'",
    "back\\slash",
    "$HOME",
    "-dash",
    "e\u0301",
  ])("in a folder named %j", async (name) => {
    make({ name, expected: checks({ cmd: "cat README.md" }) });
    const { passed, result } = await checked();
    expect(passed).toBe(true);
    expect(result).toBe(join(task().worktree, ".devlyn/loop/runs/1/result.json"));
  });

  test("in a SHA-256 repository", async () => {
    make({ init: ["--object-format=sha256"], expected: checks({ cmd: "true" }) });
    const { passed, file } = await checked();
    expect(passed).toBe(true);
    expect(file.source_sha).toHaveLength(64);
  });

  test("from inside a hook of another repository", async () => {
    make({ expected: checks({ cmd: "git rev-parse HEAD" }) });
    const routing = { GIT_DIR: "/nowhere", GIT_INDEX_FILE: "/nowhere/index", GIT_WORK_TREE: "/" };
    Object.assign(process.env, routing);
    try {
      expect((await checked()).passed).toBe(true);
    } finally {
      for (const name of Object.keys(routing)) delete process.env[name];
    }
  });
});

describe("how a command ends", () => {
  const exit = (exit_code: number) => ({ kind: "exit", exit_code });
  test.each([
    ["exit", { cmd: "exit 3", exit_code: 3 }, exit(3), null],
    ["another exit", { cmd: "exit 3" }, exit(3), "exit 3, expected 0"],
    ["signal", { cmd: "kill -9 $$" }, { kind: "signal", signal: 9 }, "signal"],
    ["timeout", { cmd: "echo a; sleep 60", timeout_sec: 1 }, { kind: "timeout", timeout_sec: 1 }, "timeout"],
    ["argv", { argv: ["sh", "-c", 'test "$1" = "a  b"', "sh", "a  b"] }, exit(0), null],
    ["contains", { cmd: "echo abc", stdout_contains: ["abc"] }, exit(0), null],
    ["lacks", { cmd: "echo abc", stdout_contains: ["b", "ä", "c d"] }, exit(0), 'output lacks ["ä","c d"]'],
    ["free of", { cmd: "echo abc", stdout_not_contains: ["x"] }, exit(0), null],
    [
      "forbidden",
      { cmd: "echo abc >&2", stdout_not_contains: ["b", "x"] },
      exit(0),
      'output contains forbidden ["b"]',
    ],
    ["over the seam", { cmd: "printf ab; printf cd >&2", stdout_contains: ["bc"] }, exit(0), null],
    ["the status is asked first", { cmd: "exit 1", stdout_contains: ["b"] }, exit(1), "exit 1, expected 0"],
  ] as const)("%s", async (_, command, outcome, reason) => {
    make({ expected: checks(command) });
    const { file, reasons } = await checked();
    expect(file.commands[0]).toMatchObject({ outcome, reason, passed: reason === null });
    expect(reasons).toEqual(reason === null ? [] : [`failed: command 0 (no refs) ${reason}`]);
  });

  test("a program that is not there: its error stands in stderr", async () => {
    make({ expected: checks({ argv: ["no such program"], contract_refs: ["R1", "R2"] }) });
    const { file, reasons } = await checked();
    const { outcome, stderr } = file.commands[0];
    expect(outcome).toEqual({
      kind: "spawn_error",
      error: "program 'no such program' was not found on PATH",
    });
    expect(readFileSync(join(task().worktree, stderr.path), "utf8")).toBe(outcome.error);
    expect(reasons).toEqual(["failed: command 0 (R1, R2) spawn_error"]);
  });

  test("output before a timeout is kept, and a grandchild that holds the pipe delays nothing", async () => {
    make({ expected: checks({ cmd: "echo before; (sleep 60 & sleep 60)", timeout_sec: 1 }) });
    const begun = performance.now();
    const { file } = await checked();
    expect(performance.now() - begun).toBeLessThan(5000);
    expect(readFileSync(join(task().worktree, file.commands[0].stdout.path), "utf8")).toBe("before\n");
  });

  test("every command runs, also after one that failed", async () => {
    make({ expected: checks({ cmd: "exit 1" }, { cmd: "true" }, { cmd: "exit 2" }) });
    const { file, reasons } = await checked();
    expect(file.commands.map(({ passed }: { passed: boolean }) => passed)).toEqual([false, true, false]);
    expect(reasons).toHaveLength(2);
  });

  test("the command's world: worktree, null input, environment", async () => {
    const script =
      'cat; pwd -P; echo "$PWD:$GIT_TERMINAL_PROMPT:$PYTHONDONTWRITEBYTECODE:$(printenv GIT_DIR || echo unset)"';
    make({ expected: checks({ cmd: script }) });
    const { file } = await checked();
    const out = readFileSync(join(task().worktree, file.commands[0].stdout.path), "utf8");
    expect(out).toBe(`${task().worktree}\n${task().worktree}:0:1:unset\n`);
  });

  test("a gigabyte of output costs no memory", async () => {
    const cmd = "head -c 1073741824 /dev/zero; printf needle";
    make({ expected: checks({ cmd, stdout_contains: ["needle"], stdout_not_contains: ["\u0000x"] }) });
    const before = process.memoryUsage.rss();
    const { file, passed } = await checked();
    expect(process.memoryUsage.rss() - before).toBeLessThan(200e6);
    expect(passed).toBe(true);
    expect(file.commands[0].stdout.bytes).toBe(2 ** 30 + 6);
  });
});

describe("what blocks, each beside the clean candidate that passes", () => {
  test("a packet that is missing, malformed, or incomplete", async () => {
    make();
    const missing = await verify({ packet: join(task().folder, "none.json") });
    const unread = `task packet ${task().folder}/none.json: cannot be read: no such file or directory`;
    expect(missing.status === "BLOCKED" && missing.reason).toStartWith(unread);
    const path = join(task().folder, "packet.json");
    for (const [text, problem] of [
      ["[]", "the top level must be an object, not an empty list"],
      ["{", "is not strict JSON"],
      ['{"a":1,"a":2}', 'duplicate key "a"'],
      ["{}", "task is missing"],
    ] as const) {
      writeFileSync(path, text);
      const outcome = await verify({ packet: path });
      expect(outcome.status === "BLOCKED" && outcome.reason).toContain(problem);
    }
  });

  test.each([
    [{ worktree: "task" }, 'worktree must be an absolute path, not "task"'],
    [{ branch: "" }, "branch must be a non-empty string, not an empty string"],
    [{ inputs_sha: "HEAD" }, 'inputs_sha must be 40 or 64 lowercase hex digits, not a string ("HEAD")'],
    [{ requirements: "R1" }, 'requirements must be a list of non-empty strings, not a string ("R1")'],
    [{ review_requirements: [1] }, "review_requirements[0] must be a non-empty string, not a number (1)"],
    [{ meta: { path: "/x" } }, "meta.sha256 is missing"],
    [{ meta: { path: "x", sha256: "0".repeat(64) } }, 'meta.path must be an absolute path, not "x"'],
  ] as const)("%j", async (changes, problem) => {
    make();
    expect(await blockedBy(changes)).toBe(`task packet ${task().folder}/packet.json: ${problem}`);
  });

  test("meta that lies at the worktree's root, or outside it", async () => {
    make();
    const problem = "meta.path must lie in a folder of its own below the worktree's root";
    for (const path of [join(task().worktree, "README.md"), "/x/meta.json"]) {
      expect(await blockedBy({ meta: { path, sha256: "0".repeat(64) } })).toContain(problem);
    }
  });

  test("a worktree that is none, or not its root", async () => {
    make();
    const none = join(task().folder, "none");
    const meta = { path: join(none, "a/meta.json"), sha256: "0".repeat(64) };
    expect(await blockedBy({ worktree: none, meta })).toContain("is not available");
    const within = join(task().worktree, "tasks");
    expect(await blockedBy({ worktree: within })).toContain("is not the root of its working tree");
  });

  test.each(["contract", "expected", "meta"])("%s is another than the packet says", async (name) => {
    make();
    const files: Record<string, string> = {
      contract: "contract.md",
      expected: "expected.json",
      meta: "meta.json",
    };
    const path = join(task().worktree, "tasks/T1", files[name] ?? "");
    const differs = (at: string) => `${at} at the inputs commit differs from the task packet`;
    expect(await blockedBy({ [name]: { path, sha256: "0".repeat(64) } })).toBe(differs(path));
    const absent = join(task().worktree, "tasks/T1/none");
    expect(await blockedBy({ [name]: { path: absent, sha256: "0".repeat(64) } })).toBe(differs(absent));
    if (name === "meta") return;
    expect(await blockedBy({ [name]: { path: "/elsewhere", sha256: "0".repeat(64) } })).toBe(
      differs("/elsewhere"),
    );
  });

  test("the committed contract counts, not the file that is checked out", async () => {
    make({ expected: checks({ cmd: "echo committed" }) });
    writeFiles(task().worktree, { "tasks/T1/contract.md": "changed\n" });
    expect(await blockedBy()).toContain("undeclared source delta");
    task().git("checkout", "-q", "--", ".");
    expect((await checked()).passed).toBe(true);
  });

  test("an expected file of the wrong shape, or with a pattern that cannot be honoured", async () => {
    make({ expected: checks({ cmd: "true" }, { cmd: "true" }, { cmd: "true", timeout_sec: true }) });
    const place = "verification_commands[2].timeout_sec must be int from 1 to 600 (not bool)";
    expect(await blockedBy()).toBe(`${task().worktree}/tasks/T1/expected.json: ${place}`);
    disposeTask();
    make({ expected: { forbidden_patterns: [{ pattern: "(?t)a", description: "x", severity: "warning" }] } });
    expect(await blockedBy()).toContain("flag t is not supported at position 0");
  });

  test("a link in the place of .devlyn, which is not written through", async () => {
    make({ expected: checks({ cmd: "true" }), change: { ".gitignore": ".devlyn\n" } });
    symlinkSync(task().folder, join(task().worktree, ".devlyn"));
    expect(await blockedBy()).toBe(".devlyn is not a folder");
  });
});

test.skipIf(process.platform === "win32")(
  "being told to stop ends Git, and no verdict is written",
  async () => {
    make();
    const [real, folder, path] = [Bun.which("git"), join(task().folder, "bin"), process.env["PATH"]];
    mkdirSync(folder);
    const slow = `#!/bin/sh\ncase "$*" in *ls-files*) : > '${folder}/asked'; sleep 60;; esac\nexec '${real}' "$@"\n`;
    writeFileSync(join(folder, "git"), slow, { mode: 0o755 });
    process.env["PATH"] = `${folder}:${path}`;
    try {
      for (const operation of ["verify", "accept"] as const) {
        const stop = new AbortController();
        const interruption = { signal: stop.signal, name: () => "SIGTERM" as const };
        const request = { packet: task().packet(), submission: task().submission(), interruption };
        const outcome = operation === "verify" ? verify(request) : accept(request);
        while (!existsSync(join(folder, "asked"))) await Bun.sleep(20);
        const begun = performance.now();
        stop.abort();
        expect(await outcome).toMatchObject({
          status: "BLOCKED",
          reason: expect.stringContaining("the engine was told to stop"),
        });
        expect(performance.now() - begun).toBeLessThan(5000);
        expect(existsSync(join(task().worktree, ".devlyn/loop/acceptance.json"))).toBe(false);
        rmSync(join(folder, "asked"));
      }
    } finally {
      process.env["PATH"] = path;
    }
  },
);
