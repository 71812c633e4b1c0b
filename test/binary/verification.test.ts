/** A delivery's own checks and guards as a black box: each way in which they can go wrong, beside one that is right. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expectNothingLeft, type Scene, scenes } from "../support/delivery.ts";
import { executable, isRunning } from "../support/engine.ts";
import { needing } from "../support/means.ts";
import { git, gitEnvironment } from "../support/repository.ts";

const newScene = scenes();
const command = `echo changed > a.txt; echo ${"x".repeat(60)} > x.txt`;
const candidate = "refs/satyrn/candidates/fix-1/head";

interface Delivered {
  readonly at: Scene;
  readonly status: number | null;
  readonly peakKilobytes: number;
  readonly milliseconds: number;
  readonly receipt: Readonly<Record<string, unknown>> & { readonly verification: Verification };
}

interface Verification {
  readonly passed: boolean;
  readonly reasons: readonly string[];
  readonly commands: readonly {
    readonly outcome: object;
    readonly stdout: { readonly path: string; readonly bytes: number };
  }[];
}

/** Delivers a change with the contract's `acceptance`, and proves that nothing is left of it. */
async function deliver(acceptance: object, meanwhile = async (_: Bun.Subprocess, __: Scene) => {}) {
  const at = newScene(`id: fix-1\ntask: t\nacceptance: ${JSON.stringify(acceptance)}\n`);
  const begun = performance.now();
  const child = Bun.spawn(
    [executable, "deliver", "--repo", at.repo, at.contract, "--", "sh", "-c", command],
    {
      env: { ...process.env, ...gitEnvironment(), TMPDIR: at.temporary },
      stdout: "pipe",
      stderr: "ignore",
    },
  );
  let peakKilobytes = 0;
  const watch = setInterval(() => {
    peakKilobytes = Math.max(peakKilobytes, peakOf(child.pid));
  }, 20);
  const [text] = await Promise.all([child.stdout.text(), meanwhile(child, at)]);
  clearInterval(watch);
  const status = await child.exited;
  expectNothingLeft(at);
  const milliseconds = performance.now() - begun;
  return { at, status, peakKilobytes, milliseconds, receipt: JSON.parse(text) } as Delivered;
}

const checks = (...verification_commands: readonly object[]) => ({ verification_commands });
const published = ({ at }: Delivered) => git(at.repo, "for-each-ref", "--format=%(refname)", "refs/satyrn");

test("passed: 0, the candidate is published, and the evidence outlives the worktree", async () => {
  const run = await deliver({ ...checks({ cmd: "cat a.txt" }), required_files: ["src/b.txt"] });
  expect([run.status, run.receipt["code"], published(run)]).toEqual([0, "OK", candidate]);
  expect(run.receipt.verification).toMatchObject({ passed: true, reasons: [] });
  const [record] = run.receipt.verification.commands;
  expect(readFileSync(record?.stdout.path ?? "", "utf8")).toBe("changed\n");
});

test.each<[string, object, string]>([
  ["a check", checks({ cmd: "exit 3", contract_refs: ["R1"] }), "command 0 (R1) exit 3, expected 0"],
  ["a program that is not there", checks({ argv: ["no-such-program"] }), "command 0 (no refs) spawn_error"],
  [
    "a check that changes the tree",
    checks({ cmd: "echo x > new" }, { cmd: "test -e new" }),
    "source changed during checks: the worktree is no longer the candidate: new",
  ],
  [
    "an edit behind assume-unchanged",
    checks({ cmd: "git update-index --assume-unchanged a.txt; echo hidden > a.txt" }),
    "source changed during checks: the worktree is no longer the candidate: a.txt",
  ],
  [
    "a pattern",
    { forbidden_patterns: [{ pattern: "(?m)^\\+ch", description: "no ch", severity: "disqualifier" }] },
    "guard forbidden_patterns/0 no ch",
  ],
  ["a forbidden file", { forbidden_files: ["a.txt"] }, "guard forbidden_files a.txt"],
])("VERIFICATION_FAILED by %s: 21, and nothing is published", async (_, acceptance, reason) => {
  const run = await deliver(acceptance);
  expect([run.status, run.receipt["code"], published(run)]).toEqual([21, "VERIFICATION_FAILED", ""]);
  expect(run.receipt.verification).toMatchObject({ passed: false, reasons: [`failed: ${reason}`] });
  expect(run.receipt["candidate_commit"]).toMatch(/^[0-9a-f]{40}$/);
});

test("a pattern that backtracks without end is an error after its limit, whatever its severity", async () => {
  const forbidden = { pattern: "(x+x+)+y", description: "d", severity: "warning" };
  const run = await deliver({ forbidden_patterns: [forbidden] });
  expect([run.status, run.receipt["code"], published(run)]).toEqual([21, "VERIFICATION_FAILED", ""]);
  expect(run.receipt["message"]).toContain("forbidden_patterns[0].pattern");
  expect(run.receipt["message"]).toEndWith("did not finish within 5 s");
});

test.each<[string, string, string]>([
  ["COMMAND_CHANGED_HEAD", "commits", "git -c user.name=a -c user.email=b commit -q --allow-empty -m x"],
  ["COMMAND_CHANGED_GIT_STATE", "removes .git", "rm .git"],
  ["COMMAND_CHANGED_GIT_STATE", "plants a filter", "git config filter.x.clean 'touch ../ran'"],
])("%s: 8, by a check that %s", async (code, _, cmd) => {
  const run = await deliver(checks({ cmd }));
  expect([run.status, run.receipt["code"], published(run)]).toEqual([8, code, ""]);
  expect(run.receipt.verification.passed).toBe(false);
});

describe("what a check starts", () => {
  const pidOf = (at: Scene) => readFileSync(join(at.folder, "pid"), "utf8").trim();
  const leave = 'setsid sleep 300 & echo $! > "$TMPDIR/../pid"';

  needing("a subreaper")("is gone before the candidate is published", async () => {
    const run = await deliver(checks({ cmd: leave }));
    expect([run.status, run.receipt["code"]]).toEqual([0, "OK"]);
    expect(isRunning(Number(pidOf(run.at)))).toBe(false);
  });

  needing("time of its own")(
    "does not hold up a limit by holding the pipe, and what was printed is kept",
    async () => {
      const run = await deliver(checks({ cmd: `echo before; ${leave}; sleep 300`, timeout_sec: 1 }));
      expect([run.status, run.receipt["message"]]).toEqual([21, "failed: command 0 (no refs) timeout"]);
      expect(run.receipt.verification.commands[0]).toMatchObject({
        outcome: { kind: "timeout", timeout_sec: 1 },
        stdout: { bytes: 7 },
      });
      expect(run.milliseconds).toBeLessThan(10_000);
      expect(isRunning(Number(pidOf(run.at)))).toBe(false);
    },
  );

  test("is ended with the engine: INTERRUPTED, 8", async () => {
    const run = await deliver(checks({ cmd: `${leave}; sleep 300` }, { cmd: "true" }), async (child, at) => {
      while (!existsSync(join(at.folder, "pid")) || pidOf(at) === "") await Bun.sleep(20);
      child.kill("SIGTERM");
    });
    expect([run.status, run.receipt["code"], published(run)]).toEqual([8, "INTERRUPTED", ""]);
    expect(run.receipt["verification"]).toMatchObject({
      passed: false,
      reasons: ["failed: command 0 was interrupted"],
    });
    expect(isRunning(Number(pidOf(run.at)))).toBe(false);
  });

  needing("memory of its own")("prints half a gigabyte: at most 120 MB of memory", async () => {
    const cmd = "head -c 268435456 /dev/zero; head -c 268435456 /dev/zero >&2";
    const run = await deliver(checks({ cmd, stdout_not_contains: ["needle"] }));
    expect([run.status, run.receipt["code"]]).toEqual([0, "OK"]);
    expect(run.receipt.verification.commands[0]?.stdout.bytes).toBe(268_435_456);
    expect(run.peakKilobytes).toBeGreaterThan(10 * 1024);
    expect(run.peakKilobytes).toBeLessThan(120 * 1024);
  });
});

/** Peak memory of a process; its resource usage would begin with the peak of the runner that started it. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
