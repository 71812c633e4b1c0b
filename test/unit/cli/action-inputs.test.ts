import { describe, expect, test } from "bun:test";
import { isStepsOwn, readInputs, readRunner, variableOf } from "../../../src/cli/action-inputs.ts";

const environment = (inputs: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(inputs).map(([name, value]) => [variableOf(name), value]));
const read = (inputs: Readonly<Record<string, string>>) => readInputs(environment(inputs));
const deliver = { operation: "deliver", contract: "c.yaml", command: "true" };

describe("the inputs of a step", () => {
  test("check", () => {
    expect(read({ operation: "check", contract: "c.yaml" })).toEqual({
      ok: true,
      value: { operation: "check", failOn: "refusal", repo: ".", contract: "c.yaml" },
    });
  });

  test("deliver, with everything that can be left out left out", () => {
    expect(read({ ...deliver, timeout: "", base: "", push: "", "fail-on": "" })).toEqual({
      ok: true,
      value: {
        ...{ operation: "deliver", failOn: "refusal", repo: ".", contract: "c.yaml", command: ["true"] },
        ...{ timeoutMs: 30_000, base: undefined, push: null },
      },
    });
  });

  test("deliver, with all of it", () => {
    const all = { repo: "a b", timeout: "0.5", base: "v1", push: "origin", "fail-on": "never" };
    expect(read({ ...deliver, ...all })).toMatchObject({
      value: { repo: "a b", timeoutMs: 500, base: "v1", push: "origin", failOn: "never" },
    });
  });

  test("verify and accept", () => {
    expect(read({ operation: "verify", packet: "p.json" })).toEqual({
      ok: true,
      value: { operation: "verify", failOn: "refusal", packet: "p.json" },
    });
    expect(read({ operation: "accept", packet: "p", submission: "s", push: "false" })).toEqual({
      ok: true,
      value: { operation: "accept", failOn: "refusal", packet: "p", submission: "s" },
    });
  });

  test.each([
    ["one argument a line", "sh\n-c\necho 'a b'  $X", ["sh", "-c", "echo 'a b'  $X"]],
    ["the end of a YAML block", "sh\n-c\nx\n", ["sh", "-c", "x"]],
    ["empty arguments", "printf\n\n\nx\n\n", ["printf", "", "", "x", ""]],
    ["blanks and what looks like a flag", " a \n--help\n--\n-x", [" a ", "--help", "--", "-x"]],
    ["an empty first word, which the delivery refuses", "\n", [""]],
  ])("a command: %s", (_, command, words) => {
    expect(read({ ...deliver, command })).toMatchObject({ ok: true, value: { command: words } });
  });

  test.each([
    [{}, "input 'operation' must be check, deliver, verify or accept, not empty"],
    [{ operation: "Check" }, "input 'operation' must be check, deliver, verify or accept, not \"Check\""],
    [
      { operation: "a\n::error::b" },
      "input 'operation' must be check, deliver, verify or accept, not \"a\\n::error::b\"",
    ],
    [{ operation: "check" }, "input 'contract' is required for check"],
    [{ operation: "deliver", contract: "c" }, "input 'command' is required for deliver"],
    [{ operation: "verify" }, "input 'packet' is required for verify"],
    [{ operation: "accept", packet: "p" }, "input 'submission' is required for accept"],
    [{ operation: "check", contract: "c", base: "x" }, "input 'base' is not one of check, but of deliver"],
    [
      { operation: "check", contract: "c", push: "origin" },
      "input 'push' is not one of check, but of deliver",
    ],
    [
      { operation: "verify", packet: "p", repo: "." },
      "input 'repo' is not one of verify, but of check or deliver",
    ],
    [
      { operation: "check", contract: "c", packet: "p" },
      "input 'packet' is not one of check, but of verify or accept",
    ],
    [{ ...deliver, "fail-on": "no" }, "input 'fail-on' must be refusal or never, not \"no\""],
    [
      { ...deliver, timeout: "0" },
      "input 'timeout' must be seconds above zero, such as 90 or 0.5, not \"0\"",
    ],
    [
      { ...deliver, timeout: "1e3" },
      "input 'timeout' must be seconds above zero, such as 90 or 0.5, not \"1e3\"",
    ],
    [{ ...deliver, base: "a\ufffd" }, "input 'base' must be UTF-8, without U+FFFD"],
  ])("refused: %j", (inputs, message) => {
    expect(read(inputs)).toEqual({ ok: false, code: "USAGE", message });
  });
});

describe("the runner's files", () => {
  test("are where the environment says", () => {
    const env = { GITHUB_OUTPUT: "/o", RUNNER_TEMP: "/t", GITHUB_STEP_SUMMARY: "/s" };
    const value = { outputFile: "/o", temporaryFolder: "/t", summaryFile: "/s" };
    expect(readRunner(env)).toEqual({ ok: true, value });
    expect(readRunner({ ...env, GITHUB_STEP_SUMMARY: undefined })).toMatchObject({
      value: { summaryFile: null },
    });
  });

  test.each(["GITHUB_OUTPUT", "RUNNER_TEMP"])("must be told: %s", (absent) => {
    const env = { GITHUB_OUTPUT: "/o", RUNNER_TEMP: "/t", [absent]: "" };
    expect(readRunner(env)).toMatchObject({
      code: "USAGE",
      message: `${absent} is not set: action runs in a step of a GitHub workflow`,
    });
  });
});

test("a step's own variables are its inputs, and the files that give the runner orders", () => {
  const own = [
    "SATYRN_ACTION_COMMAND",
    "SATYRN_ACTION_EXECUTABLE",
    "GITHUB_OUTPUT",
    "GITHUB_ENV",
    "GITHUB_PATH",
  ];
  for (const name of [...own, "GITHUB_STATE", "GITHUB_STEP_SUMMARY"]) expect(isStepsOwn(name)).toBe(true);
  const others = [
    "SATYRN_MODEL",
    "GITHUB_TOKEN",
    "GITHUB_WORKSPACE",
    "GITHUB_ENVIRONMENT",
    "X_GITHUB_OUTPUT",
    "PATH",
  ];
  for (const name of others) expect(isStepsOwn(name)).toBe(false);
});
