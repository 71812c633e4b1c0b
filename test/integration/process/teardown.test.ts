import { describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { ownChildren } from "../../../src/process/own-children.ts";
import type { DriveResult } from "../../support/drive-tree.ts";
import { temporaryFolder } from "../../support/repository.ts";
import { driverArgv, runningWith, runProgram, runShell } from "../../support/tree.ts";

const downWhole = { gone: true, survivors: [], left: [], reach: "tree" } as const;
const briefly = { deadline: 300 } as const;

describe("at the deadline nothing is left of", () => {
  test("a program that sleeps", async () => {
    const run = await runShell("sleep 60", briefly);
    expect(run).toMatchObject({ ending: { kind: "timeout" }, ...downWhole });
    expect(run.milliseconds).toBeWithin(300, 1500);
  });

  test("a child in a session of its own", async () => {
    expect(await runShell("setsid sleep 60 & sleep 60", briefly)).toMatchObject(downWhole);
  });

  test("a daemon that forked twice", async () => {
    expect(await runShell("(setsid sh -c 'sleep 60 & sleep 60' &) ; sleep 60", briefly)).toMatchObject(
      downWhole,
    );
  });

  test("a stopped child", async () => {
    const run = await runShell("sh -c 'kill -STOP $$' & kill -STOP $$", briefly);
    expect(run).toMatchObject({ ending: { kind: "timeout" }, ...downWhole });
    expect(run.milliseconds).toBeLessThan(2000);
  });

  test("a program that ended well on SIGTERM, and what it printed is kept", async () => {
    const run = await runShell("trap 'echo bye; exit 0' TERM; echo hello; sleep 60 & wait", briefly);
    expect(run).toMatchObject({ ending: { kind: "timeout" }, text: "hello\nbye\n", ...downWhole });
    expect(run.milliseconds).toBeLessThan(1500);
  });
});

describe("of what does not heed SIGTERM nothing is left five seconds after the deadline:", () => {
  // Each in a process of its own, so that all can wait at the same time.
  const inFiveSeconds = { ending: { kind: "timeout" }, gone: true, survivors: [], left: [] } as const;

  test.concurrent("a program that ignores it", async () => {
    const run = await drive(shell("trap '' TERM; sh -c 'while :; do sleep 1; done'"));
    expect(run).toMatchObject(inFiveSeconds);
    expect(run.milliseconds).toBeWithin(5200, 9000);
  });

  test.concurrent("a child that ignores it, hidden in another session", async () => {
    const line = "trap '' TERM; (setsid sh -c 'while :; do sleep 1; done' &); trap - TERM; sleep 60";
    const run = await drive(shell(line));
    expect(run).toMatchObject(inFiveSeconds);
    expect(run.milliseconds).toBeWithin(5200, 9000);
  });

  test.concurrent("processes that replace themselves without end, each in a new session", async () => {
    const folder = temporaryFolder("hydra");
    try {
      const hydra = join(folder.path, "hydra");
      await Bun.write(hydra, `#!/bin/sh\ntrap "" TERM; sleep 0.01; setsid "$0" & exit\n`);
      chmodSync(hydra, 0o755);
      expect(await drive(shell(`for i in 1 2 3 4 5 6; do ${hydra} & done; sleep 60`))).toMatchObject(
        inFiveSeconds,
      );
    } finally {
      folder.dispose();
    }
  });

  test.concurrent("a fork bomb, within the processes its user may have", async () => {
    const [setpriv, prlimit] = [Bun.which("setpriv"), Bun.which("prlimit")];
    if (process.getuid?.() !== 0 || setpriv === null || prlimit === null) {
      console.log("skipped: needs root, setpriv and prlimit, to bound the bomb");
      return;
    }
    const bounds = ["--reuid=65533", "--regid=65533", "--clear-groups", prlimit, "--nproc=250"];
    const bomb = ["/bin/bash", "-c", "b() { b | b & }; b; b; sleep 60"];
    expect(await drive([setpriv, ...bounds, ...bomb])).toMatchObject(inFiveSeconds);
  });

  test.concurrent("but a command that cannot be signalled is reported as still there", async () => {
    const setpriv = Bun.which("setpriv");
    if (process.getuid?.() !== 0 || setpriv === null) {
      console.log("skipped: needs root and setpriv, to make a process that another user may not signal");
      return;
    }
    const folder = temporaryFolder();
    try {
      chmodSync(folder.path, 0o755);
      const elevate = join(folder.path, "elevate");
      copyFileSync(setpriv, elevate);
      chmodSync(elevate, 0o4755);
      const untouchable = [elevate, "--reuid=0", "--clear-groups", "sleep", "15"];
      const command = ["/bin/sh", "-c", '"$@" & sleep 60', "sh", ...untouchable];
      const run = await drive(command, [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"]);
      expect(run).toMatchObject({ ending: { kind: "timeout" }, gone: false, left: ["sleep 15 "] });
      expect(run.survivors).toEqual([expect.stringMatching(/^\d+ \(sleep\)$/)]);
      expect(run.milliseconds).toBeLessThan(14_000);
      process.kill(Number.parseInt(run.survivors[0] ?? "", 10), "SIGKILL");
    } finally {
      folder.dispose();
    }
  });
});

/** Runs `argv` with a brief deadline, by a driver that `prefix` starts. */
async function drive(argv: readonly string[], prefix: readonly string[] = []) {
  const mark = `tree-${crypto.randomUUID()}`;
  const env = { ...process.env, SATYRN_TEST_MARK: mark };
  const driver = Bun.spawn([...prefix, ...driverArgv({ argv, ...briefly })], {
    cwd: "/",
    env,
    stdout: "pipe",
  });
  const result = (await driver.stdout.json()) as DriveResult;
  return { ...result, left: runningWith(mark) };
}

function shell(line: string): readonly string[] {
  return ["/bin/sh", "-c", line];
}

test("a program that ends before the deadline is not timed out", async () => {
  const run = await runShell("sleep 0.1", briefly);
  expect(run).toMatchObject({ ending: { kind: "exit", status: 0 }, ...downWhole });
});

test("a deadline longer than one timer can hold is waited for, not passed at once", async () => {
  const run = await runShell("sleep 0.2", { deadline: 2 ** 40 });
  expect(run).toMatchObject({ ending: { kind: "exit", status: 0 }, ...downWhole });
});

describe("after a normal exit nothing is left of", () => {
  test("a background job", async () => {
    const run = await runShell("sleep 60 & exit 3");
    expect(run).toMatchObject({ ending: { kind: "exit", status: 3 }, ...downWhole });
    expect(run.milliseconds).toBeLessThan(1000);
  });

  test("a background job that ignores SIGTERM", async () => {
    const run = await runShell("trap '' TERM; (while :; do sleep 1; done) & exit 0");
    expect(run).toMatchObject({ ending: { kind: "exit", status: 0 }, ...downWhole });
    expect(run.milliseconds).toBeLessThan(3000);
  });

  test("a stopped background job", async () => {
    const run = await runShell("sh -c 'kill -STOP $$; sleep 60' & sleep 0.1");
    expect(run).toMatchObject({ ending: { kind: "exit", status: 0 }, ...downWhole });
  });

  test("a daemon that forked twice and closed its streams", async () => {
    const run = await runShell("(setsid sh -c 'exec sleep 60 <&- >&- 2>&-' &)");
    expect(run).toMatchObject({ ending: { kind: "exit", status: 0 }, ...downWhole });
  });

  test("a daemon that cleared its environment", async () => {
    const folder = temporaryFolder();
    try {
      await runShell(`(setsid env -i sh -c 'echo $$ > "${folder.path}/pid"; exec sleep 60' &) ; sleep 0.1`);
      const pid = Number(await Bun.file(join(folder.path, "pid")).text());
      expect(pid).toBeGreaterThan(1);
      expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    } finally {
      folder.dispose();
    }
  });

  test("zombies whose parent never asks for them", async () => {
    const run = await runShell("sh -c 'true & exec sleep 60' & sleep 0.1; exit 0");
    expect(run).toMatchObject({ ending: { kind: "exit", status: 0 }, ...downWhole });
  });
});

test("what a program left gets a moment to end by itself", async () => {
  const run = await runProgram([
    "/bin/bash",
    "-c",
    "trap '' PIPE; echo one; { sleep 0.01; echo two; } & exit 0",
  ]);
  expect(run.text).toBe("one\ntwo\n");
});

describe("what was not the command's is spared:", () => {
  test("children that the engine had before, as of a shell's process substitution", async () => {
    const folder = temporaryFolder();
    try {
      const [copy, report] = [join(folder.path, "copy"), join(folder.path, "report")];
      const argv = driverArgv({
        argv: ["/bin/sh", "-c", "echo said >&2; sleep 60 & exit 0"],
        descriptor: 2,
        report,
      });
      const line = `exec "$@" 2> >(cat > '${copy}'; echo ended >> '${copy}')`;
      const shell = Bun.spawn(["/bin/bash", "-c", line, "bash", ...argv], { detached: true });
      await shell.exited;
      const result = (await Bun.file(report).json()) as DriveResult;
      expect(result).toMatchObject({ ending: { kind: "exit", status: 0 }, gone: true });
      await until(async () => (await Bun.file(copy).text()).includes("ended"));
      expect(await Bun.file(copy).text()).toBe("said\nended\n");
    } finally {
      folder.dispose();
    }
  });

  test("a child that this process started meanwhile in its own session", async () => {
    const beside = runShell("sleep 0.3");
    await Bun.sleep(100);
    const child = Bun.spawn(["sleep", "60"]);
    expect(await beside).toMatchObject(downWhole);
    expect(child.exitCode ?? child.signalCode).toBeNull();
    child.kill("SIGKILL");
    await child.exited;
  });

  test("a child that the engine named its own, in a session of its own", async () => {
    const beside = runShell("sleep 0.3");
    await Bun.sleep(100);
    const child = Bun.spawn(["sleep", "60"], { detached: true });
    ownChildren.add(child.pid);
    expect(await beside).toMatchObject(downWhole);
    expect(child.exitCode ?? child.signalCode).toBeNull();
    ownChildren.delete(child.pid);
    child.kill("SIGKILL");
    await child.exited;
  });

  test("another command of the same process", async () => {
    const runs = [runShell("sleep 0.2; echo one"), runShell("(setsid sleep 0.2 &); sleep 0.3; echo two")];
    expect((await Promise.all(runs)).map(({ text }) => text)).toEqual(["one\n", "two\n"]);
  });
});

test("the mark by which leftovers are found does find them", async () => {
  const child = Bun.spawn(["sleep", "60"], { env: { SATYRN_TEST_MARK: "tree-known" } });
  await until(async () => runningWith("tree-known").length > 0);
  expect(runningWith("tree-known")).toEqual(["sleep 60 "]);
  child.kill("SIGKILL");
  await child.exited;
  expect(runningWith("tree-known")).toEqual([]);
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error("did not come true within ten seconds");
    await Bun.sleep(10);
  }
}
