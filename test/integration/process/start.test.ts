import { describe, expect, test } from "bun:test";
import { runProgram, runShell } from "../../support/tree.ts";

describe("a program ends", () => {
  test("with status 0", async () => {
    expect((await runProgram(["true"])).ending).toEqual({ kind: "exit", status: 0 });
  });

  test.each([1, 2, 126, 127, 128, 130, 137, 255])("with status %d", async (status) => {
    expect((await runShell(`exit ${status}`)).ending).toEqual({ kind: "exit", status });
  });

  test.each([1, 2, 6, 9, 11, 13, 15, 33, 40, 64])("by signal %d", async (signal) => {
    const run = await runProgram(["/bin/bash", "-c", `ulimit -c 0; kill -${signal} $$; sleep 9`]);
    expect(run.ending).toEqual({ kind: "signal", signal });
    expect(run.gone).toBe(true);
  });
});

describe("a program finds", () => {
  test("its exact arguments", async () => {
    const argv = ["", " ", "--", "-n", "$HOME", "a\nb", "ü", "*"];
    const run = await runProgram(["/bin/sh", "-c", 'for a; do printf "<%s>" "$a"; done', "sh", ...argv]);
    expect(run.text).toBe(argv.map((argument) => `<${argument}>`).join(""));
  });

  test("the name it was called by", async () => {
    expect((await runProgram(["sh", "-c", 'printf %s "$0"'])).text).toBe("sh");
  });

  test("nothing to read on its input", async () => {
    expect((await runShell("wc -c; readlink /proc/self/fd/0")).text).toBe("0\n/dev/null\n");
  });

  test("itself at the head of a session and a group of its own", async () => {
    const run = await runShell("cut -d' ' -f5,6 /proc/$$/stat; echo $$");
    const [ids, pid] = run.text.trim().split("\n");
    expect(ids).toBe(`${pid} ${pid}`);
  });

  test("no descriptor of the engine's but its three", async () => {
    // The one more is ls's own, on the directory it lists.
    const lines = (await runProgram(["ls", "-l", "/proc/self/fd"])).text
      .split("\n")
      .filter((line) => line.includes("->"));
    expect(lines.filter((line) => !line.endsWith("/fd")).length).toBe(3);
  });

  test("both streams open as /dev/stdout and /dev/stderr", async () => {
    const run = await runShell("echo one; echo two >/dev/stdout; echo three >&2; echo four >/dev/stderr");
    expect(run.text).toBe("one\ntwo\nthree\nfour\n");
  });
});
