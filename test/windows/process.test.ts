/** How a program is found, started, and ended with all that it started. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "../../src/process/command-line.ts";
import { commandEnvironment } from "../../src/process/environment.ts";
import { pause } from "../../src/process/pause.ts";
import { keepLast } from "../../src/process/sinks.ts";
import { runTree, type TreeRequest } from "../../src/process/tree.ts";
import { temporaryFolder } from "../support/repository.ts";
import { appears, heartbeat, isStill, running, startsInBackground } from "./program.ts";

const { path: folder, dispose } = temporaryFolder("satyrn prögrams ");
afterAll(dispose);

async function run(argv: readonly string[], request: Partial<TreeRequest> = {}) {
  const printed = keepLast(64 * 1024 * 1024);
  const result = await runTree({
    argv,
    cwd: folder,
    environment: commandEnvironment(process.env, folder),
    deadline: 60_000,
    interruption: null,
    output: { kind: "joined", sink: printed.sink },
    ...request,
  });
  return { ...result, text: new TextDecoder().decode(printed.kept().bytes) };
}

const echo = "console.log(JSON.stringify(process.argv.slice(1)))";

describe("a program gets", () => {
  test("its exact arguments", async () => {
    const words = [
      "",
      " ",
      'a"b',
      "c\\",
      'd\\"',
      "e f\\",
      "--",
      "%PATH%",
      "^&|<>",
      "ä\u{1f600}",
      "*",
      "a\nb",
    ];
    const { ending, text } = await run(running(echo, ...words));
    expect(ending).toEqual({ kind: "exit", status: 0 });
    expect(JSON.parse(text)).toEqual(words);
  });

  test("its whole status back", async () => {
    for (const status of [1, 127, 255, 256, 259, 0xc0000005]) {
      const { ending } = await run(["cmd.exe", "/d", "/c", `exit ${status | 0}`]);
      expect(ending).toEqual({ kind: "exit", status });
    }
  });

  test("no input, and both its streams are heard, whole", async () => {
    const script = `console.log(fs.readFileSync(0, "utf8").length); console.error("two");
      for (let n = 0; n < 300; n++) fs.writeSync(1, "x".repeat(65536));`;
    const { text } = await run(running(script));
    expect(text.match(/x/g)).toHaveLength(300 * 65536);
    expect(text.replaceAll("x", "").split("\n").sort()).toEqual(["", "0", "two"]);
  });
});

describe("both streams of a program", () => {
  test("are heard in the order they were written", async () => {
    const numbers = Array.from({ length: 2000 }, (_, n) => n);
    const { text } = await run(running("for (let n = 0; n < 2000; n++) fs.writeSync(1 + (n % 2), n + ' ');"));
    expect(text).toBe(numbers.map((n) => `${n} `).join(""));
    const line = "for /l %i in (1,1,20) do @(echo o%i& echo e%i>&2)";
    const lines = numbers.slice(1, 21).flatMap((n) => [`o${n}`, `e${n}`]);
    expect((await run(["cmd.exe", "/d", "/c", line])).text.trim().split(/ *\r\n/)).toEqual(lines);
  });

  test("apart are heard each by itself", async () => {
    const [out, error] = [keepLast(1000), keepLast(1000)];
    await run(running("fs.writeSync(1, 'one'); fs.writeSync(2, 'two');"), {
      output: { kind: "apart", stdout: out.sink, stderr: error.sink },
    });
    const texts = [out, error].map((each) => new TextDecoder().decode(each.kept().bytes));
    expect(texts).toEqual(["one", "two"]);
  });

  test("that nobody takes stop a program that prints on and on, not its deadline", async () => {
    const { ending, gone } = await run(running("for (;;) fs.writeSync(1, 'x'.repeat(65536));"), {
      deadline: 3000,
      output: { kind: "joined", sink: (_, cut) => pause(60_000, cut) },
    });
    expect({ ending, gone }).toEqual({ ending: { kind: "timeout" }, gone: true });
  });

  test("that are printed without end do not hold up a deadline", async () => {
    const { ending, gone } = await run(running("for (;;) fs.writeSync(1, 'x'.repeat(65536));"), {
      deadline: 3000,
      output: { kind: "joined", sink: () => {} },
    });
    expect({ ending, gone }).toEqual({ ending: { kind: "timeout" }, gone: true });
  });
});

describe("a shell line", () => {
  const shell = async (cmd: string) => {
    const line = await commandLine({ cmd }, folder, commandEnvironment(process.env, folder));
    if (!line.ok) throw new Error(line.message);
    return run(line.value.argv, { verbatim: line.value.verbatim });
  };

  test.each([
    ["echo hello", "hello\r\n"],
    ['echo "a b"', '"a b"\r\n'],
    ['echo "a" && echo "b & c"', '"a" \r\n"b & c"\r\n'],
    ["echo a^&b| findstr a", "a&b\r\n"],
    ["if exist nothing (echo yes) else (echo no)", "no\r\n"],
  ])("%s is read by cmd.exe as it was typed", async (line, printed) => {
    const { ending, text } = await shell(line);
    expect([ending, text]).toEqual([{ kind: "exit", status: 0 }, printed]);
  });

  test("has its status", async () => {
    expect((await shell("exit 7")).ending).toEqual({ kind: "exit", status: 7 });
  });
});

describe("a program's name", () => {
  const cmd = join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", "cmd.exe");
  const tools = join(folder, "tools");
  beforeAll(() => {
    mkdirSync(tools);
    copyFileSync(cmd, join(folder, "planted.exe"));
    copyFileSync(cmd, join(tools, "tool.exe"));
    writeFileSync(join(tools, "batch.cmd"), "@echo ran\r\n");
  });
  const where = (Path: string) => ({
    environment: { ...commandEnvironment({ ...process.env, PATH: undefined }, folder), Path },
  });
  const hello = ["/d", "/c", "echo hello"];

  test("is not looked up in the working directory", async () => {
    for (const path of ["", ".", "tools;.", `${tools};`]) {
      const { ending } = await run(["planted", ...hello], where(path));
      expect(ending).toEqual({ kind: "spawn_error", error: "program 'planted' was not found on PATH" });
    }
    expect((await run([".\\planted", ...hello])).text).toBe("hello\r\n");
  });

  test("is looked up in the absolute folders of PATH, however that is spelled", async () => {
    expect((await run(["tool", ...hello], where(`.;"${tools}"`))).text).toBe("hello\r\n");
    expect((await run(["TOOL.EXE", ...hello], where(tools))).text).toBe("hello\r\n");
  });

  test("of a batch file is refused: its arguments would be read by cmd.exe", async () => {
    const { ending } = await run(["batch", "a&calc"], where(tools));
    expect(ending).toEqual({
      kind: "spawn_error",
      error: "program 'batch' is a batch file: name its interpreter and script instead",
    });
  });

  test("of a command shim starts Node with its script and the exact arguments", async () => {
    const shim = join(import.meta.dir, "../../fixtures/acceptance/shims/cmd-shim.cmd");
    const bin = join(folder, "shims");
    mkdirSync(bin);
    cpSync(shim, join(bin, "x.cmd"));
    // No link: Windows removes none to a program that runs.
    copyFileSync(process.execPath, join(bin, "node.exe"));
    mkdirSync(join(bin, "pkg/lib"), { recursive: true });
    writeFileSync(join(bin, "pkg/lib/cli.js"), "console.log(JSON.stringify(process.argv.slice(2)))");
    const words = ["a b", 'c"d', "&calc", "%PATH%"];
    const { environment } = where(bin);
    const line = await commandLine({ argv: ["x", ...words] }, folder, environment);
    if (!line.ok) throw new Error(line.message);
    const { text } = await run(line.value.argv, { environment });
    expect(JSON.parse(text)).toEqual(words);
  });
});

describe("nothing is left of", () => {
  test("a program whose deadline passed, nor of what it started", async () => {
    const file = join(folder, "deadline");
    const script = `${startsInBackground(heartbeat(file))} ${heartbeat(`${file}-own`)}`;
    const running_ = run(running(script), { deadline: 8000 });
    await appears(file);
    const { ending, gone, reach } = await running_;
    expect({ ending, gone, reach }).toEqual({ ending: { kind: "timeout" }, gone: true, reach: "tree" });
    expect([await isStill(file), await isStill(`${file}-own`)]).toEqual([true, true]);
  }, 60_000);

  test("a background process that a program leaves", async () => {
    const file = join(folder, "leftover");
    const script = `${startsInBackground(heartbeat(file))}
      while (!fs.existsSync(${JSON.stringify(file)})) Bun.sleepSync(50);`;
    const { ending, gone } = await run(running(script));
    expect({ ending, gone }).toEqual({ ending: { kind: "exit", status: 0 }, gone: true });
    expect(readFileSync(file, "utf8")).not.toBe("");
    expect(await isStill(file)).toBe(true);
  }, 60_000);

  test("a program that is told to stop", async () => {
    const file = join(folder, "told");
    const controller = new AbortController();
    const by = { signal: controller.signal, name: () => "SIGINT" as const };
    const stopping = run(running(heartbeat(file)), { interruption: { by, send: "SIGTERM" } });
    await appears(file);
    controller.abort();
    expect(await stopping).toMatchObject({ ending: { kind: "interrupted" }, gone: true });
    expect(await isStill(file)).toBe(true);
  }, 60_000);
});
