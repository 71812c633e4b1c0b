import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { interruption } from "../../../src/process/interruption.ts";
import type { DriveResult } from "../../support/drive-tree.ts";
import { temporaryFolder } from "../../support/repository.ts";
import { driverArgv, runShell } from "../../support/tree.ts";

const folder = temporaryFolder();
afterAll(() => folder.dispose());

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

// Says which signal it got, and goes on until it is killed or gets one.
const reporter =
  'for s in INT TERM HUP; do trap "echo $s >> \'$0\'; exit 0" $s; done; : > "$1"; while :; do sleep 0.02; done';

describe("a signal to the engine", () => {
  test.each(signals)("%s ends the command with SIGTERM", async (signal) => {
    const run = await interrupted(signal, "SIGTERM");
    expect(run.result).toMatchObject({ ending: { kind: "interrupted" }, gone: true, interruptedBy: signal });
    expect(run.got).toBe("TERM\n");
  });

  test.each(signals)("%s is passed on to a command that is to get the same", async (signal) => {
    const run = await interrupted(signal, "the same");
    expect(run.result).toMatchObject({ ending: { kind: "interrupted" }, gone: true, interruptedBy: signal });
    expect(run.got).toBe(`${signal.slice(3)}\n`);
  });

  test("ends the wait for a stderr that nobody reads, after the command", async () => {
    const line = `head -c 100000 /dev/zero >&2; : > "${folder.path}/printed"`;
    const report = join(folder.path, crypto.randomUUID());
    const argv = driverArgv({
      argv: ["/bin/sh", "-c", line],
      deadline: null,
      descriptor: 2,
      interruption: "SIGTERM",
      report,
    });
    // A shell holds the reading end, and leaves it alone.
    const driver = Bun.spawn(["/bin/bash", "-c", '"$@" 2> >(sleep 60)', "bash", ...argv], { detached: true });
    await appears(join(folder.path, "printed"));
    await Bun.sleep(200);
    expect(existsSync(report)).toBe(false);
    process.kill(-driver.pid, "SIGTERM");
    await appears(report);
    const result = (await Bun.file(report).json()) as DriveResult;
    expect(result).toMatchObject({
      ending: { kind: "exit", status: 0 },
      gone: true,
      interruptedBy: "SIGTERM",
    });
  });

  test("that it was started to ignore, as under nohup, is still ignored", async () => {
    const argv = driverArgv({ argv: ["/bin/sh", "-c", "sleep 0.6"], interruption: "SIGTERM" });
    const driver = Bun.spawn(["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh", ...argv], { stdout: "pipe" });
    await Bun.sleep(300);
    driver.kill("SIGHUP");
    const result = (await driver.stdout.json()) as DriveResult;
    expect(result).toMatchObject({ ending: { kind: "exit", status: 0 }, interruptedBy: null });
  });
});

test("a command is not started after an interruption", async () => {
  const aborted = { signal: AbortSignal.abort(), name: () => "SIGINT" as const };
  const path = join(folder.path, "never");
  const run = await runShell(`: > "${path}"`, { interruption: { by: aborted, send: "SIGTERM" } });
  expect(run).toMatchObject({ ending: { kind: "interrupted" }, gone: true });
  expect(existsSync(path)).toBe(false);
});

test("a command that nobody interrupts ends by itself", async () => {
  const calm = { signal: new AbortController().signal, name: () => null };
  const run = await runShell("exit 3", { interruption: { by: calm, send: "the same" } });
  expect(run).toMatchObject({ ending: { kind: "exit", status: 3 }, gone: true });
});

test("signals are the process's own again once nobody listens for them", () => {
  const before = signals.map((signal) => process.listenerCount(signal));
  const listening = interruption();
  expect(signals.map((signal) => process.listenerCount(signal))).toEqual(before.map((count) => count + 1));
  expect(listening.name()).toBeNull();
  listening.dispose();
  expect(signals.map((signal) => process.listenerCount(signal))).toEqual(before);
});

/** Runs a command that says which signal it got, and sends `signal` to the engine once it runs. */
async function interrupted(signal: NodeJS.Signals, send: "SIGTERM" | "the same") {
  const [got, ready] = [join(folder.path, crypto.randomUUID()), join(folder.path, crypto.randomUUID())];
  const argv = driverArgv({ argv: ["/bin/sh", "-c", reporter, got, ready], interruption: send });
  const driver = Bun.spawn([...argv], { stdout: "pipe" });
  await appears(ready);
  driver.kill(signal);
  const result = (await driver.stdout.json()) as DriveResult;
  return { result, got: await Bun.file(got).text() };
}

async function appears(path: string): Promise<void> {
  for (let tries = 0; !existsSync(path); tries++) {
    if (tries > 1000) throw new Error(`${path} did not appear`);
    await Bun.sleep(10);
  }
}
