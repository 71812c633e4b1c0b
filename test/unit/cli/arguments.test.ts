import { describe, expect, test } from "bun:test";
import { parseArguments } from "../../../src/cli/arguments.ts";

const definition = {
  repo: { type: "string", required: true },
  timeout: { type: "string" },
  json: { type: "boolean" },
  contract: { type: "positional" },
} as const;

const parse = (...argv: string[]) => parseArguments(argv, definition);
const plain = { repo: "R", contract: "C", json: false };

describe("a command line is read", () => {
  test.each([
    ["flags first", ["--repo", "R", "C"], plain],
    ["flags last", ["C", "--repo", "R"], plain],
    ["a value after =", ["--repo=R", "C"], plain],
    ["a value with = in it", ["--repo=R=S", "C"], { ...plain, repo: "R=S" }],
    ["a value that looks like a flag", ["--repo", "-R", "C"], { ...plain, repo: "-R" }],
    ["an optional flag", ["--timeout", "3", "--repo", "R", "C"], { ...plain, timeout: "3" }],
    ["a boolean flag", ["--json", "--repo", "R", "C"], { ...plain, json: true }],
    ["a positional after --", ["--repo", "R", "--", "-C"], { ...plain, contract: "-C" }],
    ["a positional --help after --", ["--repo", "R", "--", "--help"], { ...plain, contract: "--help" }],
    ["a lone dash", ["--repo", "R", "-"], { ...plain, contract: "-" }],
  ])("%s", (_, argv, values) => {
    expect<unknown>(parse(...argv)).toEqual({ values, rest: [] });
  });

  test.each([
    ["--help", ["--help"]],
    ["-h", ["-h"]],
    ["--help after other words", ["C", "--repo", "R", "--help"]],
  ])("for help: %s", (_, argv) => {
    expect(parse(...argv)).toBe("help");
  });
});

describe("a usage error is told", () => {
  test.each([
    ["unknown flag", ["--bogus", "C"], "unknown flag --bogus"],
    ["unknown short flag", ["-r", "R", "C"], "unknown flag -r"],
    ["a flag's name behind other characters", ["-xrepo", "R", "C"], "unknown flag -xrepo"],
    ["abbreviated flag", ["--rep", "R", "C"], "unknown flag --rep"],
    ["inherited name", ["--constructor", "C"], "unknown flag --constructor"],
    ["a positional's name", ["--contract", "C"], "unknown flag --contract"],
    ["control characters in a flag", ["--a\nb"], "unknown flag --a\\nb"],
    ["flag given twice", ["--repo", "R", "--repo=S", "C"], "--repo is given twice"],
    ["boolean given twice", ["--json", "--json"], "--json is given twice"],
    ["boolean with a value", ["--json=yes"], "--json takes no value"],
    ["missing value at the end", ["C", "--repo"], "--repo needs a value"],
    ["missing value before --", ["--repo", "--", "C"], "--repo needs a value"],
    ["empty value", ["--repo", "", "C"], "--repo must not be empty"],
    ["empty value after =", ["--repo=", "C"], "--repo must not be empty"],
    ["missing flag", ["C"], "--repo is required"],
    ["missing positional", ["--repo", "R"], "CONTRACT is missing"],
    ["empty positional", ["--repo", "R", ""], "CONTRACT must not be empty"],
    ["extra positional", ["--repo", "R", "C", "D\n"], 'unexpected argument "D\\n"'],
    ["extra positional after --", ["--repo", "R", "C", "--", "D"], 'unexpected argument "D"'],
  ])("%s", (_, argv, usage) => {
    expect(parse(...argv)).toEqual({ usage });
  });
});

describe("the words of a command to run", () => {
  const run = (...argv: string[]) => parseArguments(argv, definition, "COMMAND");

  test("are taken as they are", () => {
    const rest = ["make", "--repo", "", "--", "-h", "--help"];
    expect<unknown>(run("--repo", "R", "C", "--", ...rest)).toEqual({ values: plain, rest });
  });

  test("may be one empty word", () => {
    expect<unknown>(run("--repo", "R", "C", "--", "")).toEqual({ values: plain, rest: [""] });
  });

  test.each([
    ["missing", ["--repo", "R", "C", "--"], "COMMAND is missing: it follows --"],
    ["without --", ["--repo", "R", "C"], "COMMAND is missing: it follows --"],
    ["not separated", ["--repo", "R", "C", "make"], 'unexpected argument "make"'],
    ["never a positional", ["--repo", "R", "--", "C"], "CONTRACT is missing"],
  ])("%s", (_, argv, usage) => {
    expect(run(...argv)).toEqual({ usage });
  });
});
