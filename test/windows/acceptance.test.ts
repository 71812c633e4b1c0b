/** `verify` and `accept`, with checks that are lines of cmd.exe and programs. */
import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { engine } from "../support/engine.ts";
import { gitEnvironment, temporaryFolder } from "../support/repository.ts";
import { makeTask, type TaskOptions, type TestTask } from "../support/task.ts";
import { appears, heartbeat, isStill, running, startsInBackground } from "./program.ts";

let task: TestTask;
afterEach(() => task.dispose());

const make = (...verification_commands: readonly unknown[]) => {
  const options: TaskOptions = { expected: { verification_commands } };
  task = makeTask(options);
};
const verify = () => engine(["verify", "--packet", task.packet()], { env: gitEnvironment() });
const raw = (name: string) => readFileSync(join(task.worktree, ".devlyn/loop/runs/1", name), "utf8");

describe("verify", () => {
  test("runs lines and programs, and keeps what they print", async () => {
    make(
      { cmd: 'echo "a b"', stdout_contains: ['"a b"'] },
      { argv: running("console.log(process.argv[1])", 'c "d"'), stdout_contains: ['c "d"'] },
      { cmd: "exit 3", exit_code: 3 },
    );
    const run = await verify();
    expect(JSON.parse(run.stdout)).toMatchObject({ status: "CHECKED", passed: true, reasons: [] });
    expect([run.status, raw("cmd-0.stdout"), raw("cmd-1.stdout")]).toEqual([0, '"a b"\r\n', 'c "d"\n']);
  });

  test("fails a check whose time is up, and ends all of it", async () => {
    const { path: folder, dispose } = temporaryFolder();
    const beat = join(folder, "beat");
    make({
      argv: running(`${startsInBackground(heartbeat(beat))} ${heartbeat(`${beat}-own`)}`),
      timeout_sec: 8,
    });
    const running_ = verify();
    await appears(beat);
    const run = await running_;
    expect(run.status).toBe(21);
    expect(JSON.parse(run.stdout)).toMatchObject({ passed: false });
    expect(await isStill(beat)).toBe(true);
    dispose();
  }, 120_000);

  test("names a batch file that it does not start", async () => {
    make({ argv: ["npm.cmd.bat"] });
    const run = await verify();
    expect([run.status, JSON.parse(run.stdout).passed]).toEqual([21, false]);
  });
});

describe("accept", () => {
  test("derives ACCEPTED from source and evidence", async () => {
    make({ cmd: "findstr one src\\a.txt" });
    const words = ["accept", "--packet", task.packet(), "--submission", task.submission()];
    const run = await engine(words, { env: gitEnvironment() });
    expect(JSON.parse(run.stdout)).toMatchObject({ status: "ACCEPTED", reasons: [] });
    const result = JSON.parse(readFileSync(join(task.worktree, ".devlyn/loop/acceptance.json"), "utf8"));
    expect(result.verdict).toBe("ACCEPTED");
  });

  test("derives FAILED from a check that fails", async () => {
    make({ cmd: "findstr two src\\a.txt" });
    const words = ["accept", "--packet", task.packet(), "--submission", task.submission()];
    const run = await engine(words, { env: gitEnvironment() });
    expect(JSON.parse(run.stdout)).toMatchObject({ status: "FAILED" });
  });
});
