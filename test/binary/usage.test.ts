import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { engine, executable } from "../support/engine.ts";
import { needing } from "../support/means.ts";
import { makeRepository, temporaryFolder } from "../support/repository.ts";

const manifest = JSON.parse(readFileSync(join(import.meta.dir, "../../package.json"), "utf8"));

describe("a usage error is told on stderr, with status 2", () => {
  test.each([
    ["no command", [], "a command is missing"],
    ["unknown command", ["bogus"], 'unknown command "bogus"'],
    ["inherited name", ["constructor"], 'unknown command "constructor"'],
    ["empty command", [""], 'unknown command ""'],
    ["unknown flag", ["--bogus"], "unknown flag --bogus"],
    ["unknown flag of a command", ["check", "--bogus"], "unknown flag --bogus"],
    ["missing argument", ["check", "--repo", "."], "CONTRACT is missing"],
    ["missing flag", ["check", "contract.yaml"], "--repo is required"],
    ["extra argument", ["check", "--repo", ".", "a", "b"], 'unexpected argument "b"'],
    ["empty value", ["check", "--repo", "", "a"], "--repo must not be empty"],
    ["empty argument", ["check", "--repo", ".", ""], "CONTRACT must not be empty"],
    ["flag given twice", ["check", "--repo=.", "--repo=.", "a"], "--repo is given twice"],
    ["argument to protocol", ["protocol", "request.json"], 'unexpected argument "request.json"'],
    ["--version with more", ["--version", "check"], 'unexpected argument "check"'],
    ["--json alone", ["--json"], "unknown flag --json"],
    ["--version twice", ["--version", "--version"], "--version is given twice"],
    ["--version with an unknown flag", ["--version", "--bogus"], "unknown flag --bogus"],
    ["control characters", ["a\nb\u001b"], 'unknown command "a\\nb\\u001b"'],
    ["line separators", ["a\u2028b\u0085"], 'unknown command "a\\u2028b\\u0085"'],
    ["control characters in a flag", ["--a\nb"], "unknown flag --a\\nb"],
    ["line separators in an argument", ["protocol", "a\u2028b"], 'unexpected argument "a\\u2028b"'],
  ])("%s", async (_, args, problem) => {
    const run = await engine(args, { stdin: "" });
    expect(run).toMatchObject({ status: 2, stdout: "" });
    const [first, usage, hint, end] = run.stderr.split("\n");
    expect(first).toBe(`satyrn-engine: USAGE: ${problem}`);
    expect(usage).toStartWith("Usage: satyrn-engine ");
    expect(hint).toStartWith("Try:   satyrn-engine ");
    expect(end).toBe("");
  });

  needing("names that are bytes")("an argument that is not UTF-8 is refused, never altered", () => {
    const check = '"$0" check --repo . "$(printf \'a\\377.yaml\')"';
    const run = Bun.spawnSync(["sh", "-c", check, executable]);
    expect(run.exitCode).toBe(2);
    expect(run.stderr.toString()).toStartWith("satyrn-engine: USAGE: an argument is not valid UTF-8\n");
  });

  needing("names that are bytes")(
    "an argument that holds U+FFFD itself is an argument like any other",
    async () => {
      const run = await engine(["check", "--repo", ".", "a\ufffd.yaml"]);
      expect(run).toMatchObject({
        status: 3,
        stderr: expect.stringContaining("contract a\ufffd.yaml: no such file"),
      });
    },
  );
});

describe("help is printed on stdout, with status 0", () => {
  test.each([
    [["--help"], "satyrn-engine COMMAND [ARGUMENTS]"],
    [["-h"], "satyrn-engine COMMAND [ARGUMENTS]"],
    [["--help", "check"], "satyrn-engine COMMAND [ARGUMENTS]"],
    [["--version", "--help"], "satyrn-engine COMMAND [ARGUMENTS]"],
    [["check", "--help"], "satyrn-engine check --repo REPO CONTRACT"],
    [["check", "-h"], "satyrn-engine check --repo REPO CONTRACT"],
    [["check", "--repo", ".", "a", "--help"], "satyrn-engine check --repo REPO CONTRACT"],
    [["protocol", "--help"], "satyrn-engine protocol"],
  ])("%j", async (args, usage) => {
    const run = await engine(args);
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(run.stdout).toContain(`Usage:\n  ${usage}\n`);
    expect(run.stdout).not.toContain("\u001b");
  });
});

describe("--version", () => {
  test("names the release, the commit, Bun and the protocol", async () => {
    const run = await engine(["--version"]);
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(run.stdout).toMatch(/^satyrn-engine \S+ \(([0-9a-f]{12}|unknown), bun 1\.4\.5, protocol 1\)\n$/);
    expect(run.stdout).toStartWith(`satyrn-engine ${manifest.version} (`);
  });

  test.each([[["--version", "--json"]], [["--json", "--version"]]])("as JSON: %j", async (args) => {
    const run = await engine(args);
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(run.stdout)).toEqual({
      version: manifest.version,
      commit: expect.stringMatching(/^([0-9a-f]{12}|unknown)$/),
      bun: "1.4.5",
      protocol: 1,
    });
    expect(Object.keys(JSON.parse(run.stdout))).toEqual(["version", "commit", "bun", "protocol"]);
  });
});

describe("a stream that cannot be written", () => {
  const run = (redirected: string) => Bun.spawnSync(["sh", "-c", redirected, executable]).exitCode;

  const shell = needing("a POSIX shell");
  needing("/dev/full").each([
    ["stdout is full", '"$0" --version > /dev/full', 1],
    ["stdout of help is full", '"$0" check --help > /dev/full', 1],
    ["stderr is full", '"$0" check --repo . missing.yaml 2> /dev/full', 3],
    ["stderr is full and the command line wrong", '"$0" --bogus 2> /dev/full', 2],
  ])("%s", (_, script, status) => {
    expect(run(script)).toBe(status);
  });

  shell.each([
    ["stdout is closed", '"$0" --version >&-', 1],
    ["stdout and what is around it are closed", '"$0" --version <&- >&- 2>&-', 1],
    ["stdout is closed and the result a response", '"$0" protocol < /dev/null >&-', 1],
    ["stdout is closed, and nothing is to be written", '"$0" check --repo . missing.yaml >&-', 3],
    ["stdout is thrown away", '"$0" --version > /dev/null', 0],
    ["stdout is thrown away, by a descriptor that can be read too", '"$0" --version 1<> /dev/null', 0],
    ["stderr is closed", '"$0" check --repo . missing.yaml 2>&-', 3],
  ])("%s", (_, script, status) => {
    expect(run(script)).toBe(status);
  });

  shell("stdout is closed, and the result is empty", () => {
    const { path, dispose } = temporaryFolder();
    try {
      makeRepository(path, { "a.txt": "one\n" });
      const script = '"$0" recover --repo "$1" >&-';
      expect(Bun.spawnSync(["sh", "-c", script, executable, path]).exitCode).toBe(0);
    } finally {
      dispose();
    }
  });

  shell("the reader of stdout is gone", async () => {
    const script = '{ sleep 0.3; "$0" --version; echo "$?" >&2; } | true';
    const child = Bun.spawn(["sh", "-c", script, executable], { stderr: "pipe" });
    expect(await child.stderr.text()).toBe("1\n");
  });
});
