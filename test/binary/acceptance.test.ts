/** `verify` and `accept` as a black box: streams, exit statuses, signals, memory. */
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { engine, executable, isRunning } from "../support/engine.ts";
import { needing } from "../support/means.ts";
import { gitEnvironment, snapshot, writeFiles } from "../support/repository.ts";
import { makeTask, type TaskOptions, type TestTask } from "../support/task.ts";

let task: TestTask;
const make = (options: TaskOptions = {}) => {
  task = makeTask(options);
};
afterEach(() => task.dispose());

const checks = (...verification_commands: readonly unknown[]) => ({ verification_commands });
const sortedLine = (line: object) => `${JSON.stringify(line, Object.keys(line).sort())}\n`;

describe("verify", () => {
  test("passed: one line with sorted keys, 0", async () => {
    make({ expected: checks({ cmd: "true" }) });
    const run = await engine(["verify", "--packet", task.packet()]);
    const result = join(task.worktree, ".devlyn/loop/runs/1/result.json");
    const line = { passed: true, reasons: [], result, status: "CHECKED" };
    expect(run).toMatchObject({ status: 0, stdout: sortedLine(line), stderr: "" });
  });

  test("checked with reasons: 21", async () => {
    make({ expected: checks({ cmd: "exit 1" }) });
    const run = await engine(["verify", `--packet=${task.packet()}`, "--source", task.source]);
    const reasons = ["failed: command 0 (no refs) exit 1, expected 0"];
    const result = join(task.worktree, ".devlyn/loop/runs/1/result.json");
    expect(run.stdout).toBe(sortedLine({ passed: false, reasons, result, status: "CHECKED" }));
    expect(run.status).toBe(21);
    expect(run.stderr).toBe(`satyrn-engine: ACCEPTANCE_FAILED: ${reasons[0]}\n`);
  });

  test("blocked: 20", async () => {
    make();
    const run = await engine(["verify", "--packet", task.packet(), "--source", "HEAD"]);
    const reason = "candidate 'HEAD' is not a commit";
    expect(run.stdout).toBe(sortedLine({ reason, status: "BLOCKED" }));
    expect(run).toMatchObject({ status: 20, stderr: `satyrn-engine: ACCEPTANCE_BLOCKED: ${reason}\n` });
  });

  test.each([
    [],
    ["--packet"],
    ["--packet", "p", "--packet", "p"],
    ["--packet", "p", "x"],
    ["--packet", "p", "--source="],
  ])("a malformed command line: 2", async (...args) => {
    make();
    expect(await engine(["verify", ...args])).toMatchObject({ status: 2, stdout: "" });
  });

  test("writes nothing in the worktree but below .devlyn, whatever the outcome", async () => {
    make({
      expected: {
        ...checks({ cmd: "true" }),
        forbidden_patterns: [{ pattern: "one", description: "x", severity: "warning" }],
      },
    });
    writeFiles(task.worktree, { ".devlyn/notes": "" });
    task.git("update-index", "--assume-unchanged", "README.md");
    const seen = () => {
      const entries = Object.entries(snapshot(task.worktree)).filter(
        ([name]) => !name.startsWith("tree .devlyn/loop"),
      );
      return Object.fromEntries(entries);
    };
    const before = seen();
    await engine(["verify", "--packet", task.packet()]);
    await engine(["verify", "--packet", task.packet(), "--source", task.inputs]);
    await engine(["accept", "--packet", task.packet(), "--submission", task.submission()]);
    const after = seen();
    expect({ ...after, "tree .devlyn": "" }).toEqual({ ...before, "tree .devlyn": "" });
  });

  test("told to stop: the command is torn down, 20", async () => {
    make({ expected: checks({ cmd: "sleep 60 & echo $! > ../pid; wait" }) });
    const child = Bun.spawn([executable, "verify", "--packet", task.packet()], {
      stdout: "pipe",
      stderr: "ignore",
    });
    const pid = join(task.worktree, "../pid");
    while (!existsSync(pid) || readFileSync(pid, "utf8") === "") await Bun.sleep(20);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(20);
    expect(JSON.parse(await child.stdout.text())).toEqual({
      reason: "command 0 was interrupted",
      status: "BLOCKED",
    });
    expect(isRunning(Number(readFileSync(pid, "utf8")))).toBe(false);
  });

  needing("memory of its own")("a gigabyte of output, looked through: at most 120 MB", async () => {
    const cmd = "head -c 1073741824 /dev/zero";
    make({ expected: checks({ cmd, stdout_not_contains: ["needle"] }) });
    const child = Bun.spawn([executable, "verify", "--packet", task.packet()], {
      stdout: "ignore",
      stderr: "ignore",
    });
    let peak = 0;
    while (child.exitCode === null) {
      peak = Math.max(peak, peakKilobytes(child.pid));
      await Bun.sleep(5);
    }
    expect(await child.exited).toBe(0);
    expect(peak).toBeGreaterThan(10 * 1024);
    expect(peak).toBeLessThan(120 * 1024);
  });
});

describe("accept", () => {
  test("accepted: 0; with a failure: 21; blocked: 20", async () => {
    make();
    const result = join(task.worktree, ".devlyn/loop/acceptance.json");
    const submission = task.submission();
    const accepted = await engine(["accept", "--packet", task.packet(), "--submission", submission]);
    expect(accepted).toMatchObject({ status: 0, stderr: "" });
    expect(accepted.stdout).toBe(sortedLine({ reasons: [], result, status: "ACCEPTED" }));
    const failing = ["--failure", "it died"];
    const failed = await engine([
      "accept",
      "--packet",
      task.packet(),
      "--submission",
      submission,
      ...failing,
    ]);
    expect(failed.stdout).toBe(sortedLine({ reasons: ["it died"], result, status: "FAILED" }));
    expect(failed.status).toBe(21);
    expect(JSON.parse(readFileSync(result, "utf8")).verdict).toBe("FAILED");
    const blocked = await engine([
      "accept",
      "--packet",
      task.packet({ branch: "x" }),
      "--submission",
      submission,
    ]);
    expect(blocked.status).toBe(20);
    expect(JSON.parse(blocked.stdout).status).toBe("BLOCKED");
  });

  test("a malformed command line: 2", async () => {
    make();
    expect(await engine(["accept", "--packet", task.packet()])).toMatchObject({ status: 2, stdout: "" });
  });
});

describe("a contract's acceptance", () => {
  const contract = (acceptance: string) => {
    const path = join(task.folder, "contract.yaml");
    writeFiles(task.folder, { "contract.yaml": `id: a\ntask: b\nacceptance:\n${acceptance}` });
    return ["check", "--repo", task.worktree, path];
  };

  test("is checked with the contract: a misspelt key, a wrong type, a pattern that cannot be honoured: 5", async () => {
    make();
    const acceptance = "  verification_commands:\n    - cmd: make test\n      timeout_sec: 600\n";
    expect(await engine(contract(acceptance), { env: gitEnvironment() })).toMatchObject({
      status: 0,
      stderr: "",
    });
    for (const [text, problem] of [
      ["  verification_command: []\n", "'acceptance.verification_command' is not known"],
      ["  max_deps_added: true\n", "'acceptance.max_deps_added' must be int >= 0 (not bool)"],
      [
        "  forbidden_patterns: [{ pattern: '(?t)', description: d, severity: warning }]\n",
        "flag t is not supported",
      ],
    ] as const) {
      const run = await engine(contract(text));
      expect(run.status).toBe(5);
      expect(run.stderr).toContain(problem);
    }
  });
});

/** Peak memory of a process; its resource usage would begin with the peak of the runner that started it. */
function peakKilobytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
