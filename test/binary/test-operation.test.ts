/** The `test` operation of the executable, beyond what the request and response pairs hold. */
import { afterEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Bounded, bounded } from "../support/bounded.ts";
import { engine, executable } from "../support/engine.ts";
import { needing } from "../support/means.ts";
import { runningWith } from "../support/tree.ts";

let at: Bounded;
afterEach(() => at.dispose());

function request(argv: readonly string[], extra: object = {}): string {
  at = bounded({ file: "text\n" }, `test_command: ${JSON.stringify(argv)}`);
  return JSON.stringify({ version: 1, operation: "test", repo: at.repo, contract: at.contract, ...extra });
}

test("a suite that fails is a result: exit 0, and its output is in the response alone", async () => {
  const run = await engine(["protocol"], {
    stdin: request(["sh", "-c", "cat file; pwd; echo no >&2; exit 2"]),
  });
  expect({ ...run, stdout: JSON.parse(run.stdout) }).toEqual({
    status: 0,
    signal: null,
    stderr: "",
    stdout: {
      version: 1,
      ok: true,
      code: "OK",
      message: "",
      result: { exit_code: 2, output: `text\n${at.repo}\nno\n`, truncated: false, timed_out: false },
    },
  });
});

needing("a subreaper")("nothing of the command outlives the response", async () => {
  const mark = `mark-${crypto.randomUUID()}`;
  const stdin = request(["sh", "-c", "sleep 60 & setsid sh -c 'sleep 60 & sleep 60' & echo done"]);
  const run = await engine(["protocol"], { stdin, env: { SATYRN_TEST_MARK: mark } });
  expect(JSON.parse(run.stdout)).toMatchObject({ result: { exit_code: 0, output: "done\n" } });
  expect(runningWith(mark)).toEqual([]);
});

test("Git's routing does not reach the command, and it has nothing to read", async () => {
  const stdin = request(["sh", "-c", "cat; env | grep -c ^GIT_DIR="]);
  const run = await engine(["protocol"], { stdin, env: { GIT_DIR: "/nowhere" } });
  expect(JSON.parse(run.stdout)).toMatchObject({ result: { output: "0\n" } });
});

test("another command is refused with 12, an absent one with 11", async () => {
  const other = await engine(["protocol"], { stdin: request(["echo", "a"], { command: "echo b" }) });
  expect(other.status).toBe(12);
  expect(JSON.parse(other.stdout)).toMatchObject({ code: "TEST_COMMAND_NOT_ALLOWED", result: null });
  at.dispose();
  const absent = await engine(["protocol"], { stdin: request(["no-such-program-anywhere"]) });
  expect(absent.status).toBe(11);
  expect(JSON.parse(absent.stdout)).toMatchObject({ code: "TEST_COMMAND_UNAVAILABLE", result: null });
});

test("told to stop, the engine ends the command and dies by the signal, without a response", async () => {
  const mark = `mark-${crypto.randomUUID()}`;
  const stdin = Buffer.from(request(["sh", "-c", "echo > started; sleep 60"]));
  const env = { ...process.env, SATYRN_TEST_MARK: mark };
  const child = Bun.spawn([executable, "protocol"], { stdin, env, stdout: "pipe", stderr: "pipe" });
  while (!existsSync(join(at.repo, "started"))) await Bun.sleep(10);
  child.kill("SIGTERM");
  await child.exited;
  expect([child.signalCode, await child.stdout.text(), await child.stderr.text()]).toEqual([
    "SIGTERM",
    "",
    "",
  ]);
  expect(runningWith(mark)).toEqual([]);
});
