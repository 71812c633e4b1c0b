import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTestCommand, type TestCommandRequest } from "../../src/test-command.ts";
import { type Bounded, bounded } from "../support/bounded.ts";
import { runningWith } from "../support/tree.ts";

let at: Bounded;
afterEach(() => at.dispose());

/** Runs the test command `argv` of a contract. */
function run(argv: readonly string[], request: Partial<TestCommandRequest> = {}, limit?: number) {
  at = bounded({ file: "in the repository" }, `test_command: ${JSON.stringify(argv)}`);
  return runTestCommand({ repo: at.repo, contract: at.contract, ...request }, limit);
}

const shell = (line: string) => ["/bin/sh", "-c", line];

async function outputOf(line: string): Promise<string> {
  const result = await run(shell(line));
  if (!result.ok) throw new Error(result.message);
  return result.value.output;
}

test.each([
  ["begins with a byte order mark", "\\357\\273\\277a", "\ufeffa"],
  ["begins within a character", "\\200\\200a", "\ufffd\ufffda"],
  ["ends within a character", "a\\342\\202", "a\ufffd"],
])("output that %s is told whole", async (_, bytes, text) => {
  expect(await outputOf(`printf '${bytes}'`)).toBe(text);
});

test("of what was cut within a character, no more than a character's rest is left out", async () => {
  const rest = `head -c 5 /dev/zero | tr '\\000' '\\200'; head -c 8187 /dev/zero | tr '\\000' x`;
  const kept = `${"\ufffd".repeat(2)}${"x".repeat(8187)}`;
  expect(await outputOf(`printf y; ${rest}`)).toBe(
    `[... only the last 8192 bytes of the output ...]\n${kept}`,
  );
});

test("a command that is not allowed is told in one line", async () => {
  expect(await run(["true", "a\nb\u2028c"], { command: "true" })).toMatchObject({
    code: "TEST_COMMAND_NOT_ALLOWED",
    message: "the one test command this contract allows is: true a\\nb\\u2028c",
  });
});

describe("a completed run is a result", () => {
  test.each([0, 1, 5, 255])("with status %d", async (status) => {
    expect(await run(shell(`echo out; echo err >&2; exit ${status}`))).toEqual({
      ok: true,
      value: { exit_code: status, output: "out\nerr\n", truncated: false, timed_out: false },
    });
  });

  test.each([9, 15, 6])("ended by signal %d: the status is minus its number", async (signal) => {
    expect(await run(["/bin/bash", "-c", `ulimit -c 0; kill -${signal} $$`])).toMatchObject({
      value: { exit_code: -signal, timed_out: false },
    });
  });

  test("past the limit: no status, what it printed, and nothing left running", async () => {
    const mark = `mark-${crypto.randomUUID()}`;
    process.env["SATYRN_TEST_MARK"] = mark;
    const began = performance.now();
    const result = await run(
      shell("echo before; setsid sleep 60 & trap '' TERM; sleep 60; sleep 60"),
      {},
      300,
    );
    delete process.env["SATYRN_TEST_MARK"];
    expect(result).toEqual({
      ok: true,
      value: { exit_code: null, output: "before\n", truncated: false, timed_out: true },
    });
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(runningWith(mark)).toEqual([]);
  });

  test("what it leaves behind is torn down", async () => {
    const mark = `mark-${crypto.randomUUID()}`;
    process.env["SATYRN_TEST_MARK"] = mark;
    const result = await run(shell("sleep 60 & setsid sleep 60 & echo done"));
    delete process.env["SATYRN_TEST_MARK"];
    expect(result).toMatchObject({ value: { exit_code: 0, output: "done\n" } });
    expect(runningWith(mark)).toEqual([]);
  });
});

describe("the output", () => {
  test("of 8,192 bytes is whole", async () => {
    expect(await run(shell("head -c 8192 /dev/zero | tr '\\0' x"))).toMatchObject({
      value: { output: "x".repeat(8192), truncated: false },
    });
  });

  test("of more is its end, and says so", async () => {
    expect(await run(shell("echo first; head -c 8188 /dev/zero | tr '\\0' x; echo end"))).toMatchObject({
      value: {
        output: `[... only the last 8192 bytes of the output ...]\n${"x".repeat(8188)}end\n`,
        truncated: true,
      },
    });
  });

  test("is cut between characters", async () => {
    const output = await outputOf("printf '\u{1f600}%.0s' $(seq 3000); printf a");
    expect(output).toBe(`[... only the last 8192 bytes of the output ...]\n${"\u{1f600}".repeat(2047)}a`);
  });

  test("that is not text is decoded all the same", async () => {
    expect(await outputOf("printf 'a\\377b\\000c'")).toBe("a\ufffdb\0c");
    at.dispose();
    expect(
      (await outputOf("head -c 20000 /dev/zero | tr '\\0' '\\200'")).endsWith("\ufffd".repeat(8189)),
    ).toBe(true);
  });

  test("of a gigabyte takes no memory to speak of", async () => {
    const before = process.memoryUsage().rss;
    expect(await run(shell("head -c 1000000000 /dev/zero; echo end"))).toMatchObject({
      value: { truncated: true },
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(120 * 1024 * 1024);
  });
});

describe("the command's world", () => {
  test("is the repository, with nothing to read", async () => {
    expect(await outputOf('cat; cat file; echo; pwd -P; echo "$PWD"')).toBe(
      `in the repository\n${at.repo}\n${at.repo}\n`,
    );
  });

  test("has the caller's variables, but not those that route Git, nor its prompts", async () => {
    const planted = {
      GIT_DIR: "/x",
      GIT_INDEX_FILE: "/x",
      GIT_CONFIG_COUNT: "0",
      GIT_AUTHOR_NAME: "me",
      OTHER: "kept",
    };
    Object.assign(process.env, planted);
    const output = await outputOf(
      "env | grep -E '^(GIT_(DIR|INDEX_FILE|CONFIG_COUNT|AUTHOR_NAME|TERMINAL_PROMPT)|OTHER)=' | sort",
    );
    for (const name of Object.keys(planted)) delete process.env[name];
    expect(output).toBe("GIT_AUTHOR_NAME=me\nGIT_TERMINAL_PROMPT=0\nOTHER=kept\n");
  });

  test("names the contract, by a copy that nobody changes and that goes with the run", async () => {
    const output = await outputOf(
      'echo "$SATYRN_CONTRACT_ID|$SATYRN_TASK|$SATYRN_CONTRACT"; cat "$SATYRN_CONTRACT"',
    );
    const [first = "", ...copy] = output.split("\n");
    const path = first.split("|")[2] as string;
    expect(first).toBe(`bounded|change something|${path}`);
    expect(path).not.toBe(at.contract);
    expect(copy.join("\n")).toBe(readFileSync(at.contract, "utf8"));
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("satyrn-test-"))).toEqual([]);
  });

  test("leaves out a task that no variable can hold", async () => {
    at = bounded({}, 'test_command: ["/bin/sh", "-c", "echo none$SATYRN_TASK"]');
    const task = "x".repeat(140_000);
    writeFileSync(at.contract, readFileSync(at.contract, "utf8").replace("change something", task));
    expect(await runTestCommand({ repo: at.repo, contract: at.contract })).toMatchObject({
      value: { output: "none\n" },
    });
  });
});

describe("refusals", () => {
  test("TEST_COMMAND_UNAVAILABLE: the contract has none", async () => {
    at = bounded({});
    expect(await runTestCommand({ repo: at.repo, contract: at.contract, command: "true" })).toEqual({
      ok: false,
      code: "TEST_COMMAND_UNAVAILABLE",
      message: "the contract has no test_command",
    });
  });

  test("TEST_COMMAND_UNAVAILABLE: it cannot be started", async () => {
    for (const argv of [["no-such-program-anywhere"], ["./file"], ["/"]]) {
      const result = await run(argv);
      expect(result).toMatchObject({ ok: false, code: "TEST_COMMAND_UNAVAILABLE" });
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith("satyrn-test-"))).toEqual([]);
      at.dispose();
    }
    expect(await run(["true"])).toMatchObject({ value: { exit_code: 0 } });
  });

  test("TEST_COMMAND_NOT_ALLOWED: another command, and the message gives the one that is", async () => {
    for (const command of ["", "echo", "echo a  b", "echo a b;", "sh -c 'echo a b'", "ECHO a b"]) {
      expect(await run(["echo", "a", "b"], { command })).toEqual({
        ok: false,
        code: "TEST_COMMAND_NOT_ALLOWED",
        message: "the one test command this contract allows is: echo a b",
      });
      at.dispose();
    }
    for (const command of ["echo a b", "  echo a b\n"]) {
      expect(await run(["echo", "a", "b"], { command })).toMatchObject({ value: { output: "a b\n" } });
      at.dispose();
    }
    expect(await run(["echo", "a b"], { command: "echo a b" })).toMatchObject({ value: { output: "a b\n" } });
  });

  test("the caller's words never reach a shell, nor do the contract's", async () => {
    expect(await run(["echo", "$(id)", ";", "*"], { command: "echo $(id) ; *" })).toMatchObject({
      value: { output: "$(id) ; *\n" },
    });
  });

  test("those of check come first", async () => {
    expect(await run(["true"], { contract: "/none" })).toMatchObject({ code: "CONTRACT_UNREADABLE" });
    at.dispose();
    expect(await run(["true"], { repo: "/none" })).toMatchObject({ code: "REPO_UNAVAILABLE" });
  });
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "told to stop by %s, the command ends first, and then the process by the signal",
  async (signal) => {
    const mark = `mark-${crypto.randomUUID()}`;
    at = bounded({}, `test_command: ["/bin/sh", "-c", "echo started > started; sleep 60"]`);
    const source = `
      const { runTestCommand } = await import(${JSON.stringify(join(import.meta.dir, "../../src/test-command.ts"))});
      await runTestCommand(${JSON.stringify({ repo: at.repo, contract: at.contract })});
      console.log("went on");`;
    const child = Bun.spawn([process.execPath, "-e", source], {
      env: { ...process.env, SATYRN_TEST_MARK: mark },
      stdout: "pipe",
    });
    while (!existsSync(join(at.repo, "started"))) await Bun.sleep(10);
    child.kill(signal);
    await child.exited;
    expect(child.signalCode).toBe(signal);
    expect(await child.stdout.text()).toBe("");
    expect(runningWith(mark)).toEqual([]);
  },
);
