/** The inputs of the GitHub Action, which its steps hand over in the environment. */
import type { Runner } from "../action/action.ts";
import type { Asked } from "../action/asked.ts";
import { oneLine, type Result, refusal, success } from "../outcome.ts";
import { seconds } from "./seconds.ts";

/** The operations that each input belongs to, in the order the inputs are documented in. */
export const inputs = {
  operation: ["check", "deliver", "verify", "accept"],
  contract: ["check", "deliver"],
  repo: ["check", "deliver"],
  timeout: ["deliver"],
  base: ["deliver"],
  command: ["deliver"],
  packet: ["verify", "accept"],
  submission: ["accept"],
  push: ["deliver"],
  "fail-on": ["check", "deliver", "verify", "accept"],
} as const satisfies Record<string, readonly Operation[]>;

type Operation = Asked["operation"];
type InputName = keyof typeof inputs;
type Environment = Readonly<Record<string, string | undefined>>;

/** `fail-on` is read from `SATYRN_ACTION_FAIL_ON`. */
export function variableOf(input: string): string {
  return `SATYRN_ACTION_${input.toUpperCase().replaceAll("-", "_")}`;
}

/**
 * Whether a variable is for the step alone: the inputs, and the files by which a step gives orders to the runner,
 * which a command that only changes a worktree has no use for.
 */
export function isStepsOwn(variable: string): boolean {
  return /^(SATYRN_ACTION_.*|GITHUB_(OUTPUT|ENV|PATH|STATE|STEP_SUMMARY))$/i.test(variable);
}

/** The runner's files; USAGE if this is no step of a workflow. */
export function readRunner(env: Environment): Result<Runner, "USAGE"> {
  const { GITHUB_OUTPUT: outputFile, RUNNER_TEMP: temporaryFolder, GITHUB_STEP_SUMMARY: summaryFile } = env;
  if (!outputFile || !temporaryFolder) {
    const absent = outputFile ? "RUNNER_TEMP" : "GITHUB_OUTPUT";
    return refusal("USAGE", `${absent} is not set: action runs in a step of a GitHub workflow`);
  }
  return success({ outputFile, temporaryFolder, summaryFile: summaryFile || null });
}

/**
 * What the inputs ask for. An input that is empty was left out, since a workflow cannot tell the two apart. USAGE
 * names the input that is missing, is of another operation, or has no meaning.
 */
export function readInputs(env: Environment): Result<Asked, "USAGE"> {
  const given = (name: InputName) => env[variableOf(name)] || undefined;
  // What the runtime puts in the place of bytes that are not UTF-8.
  const unreadable = Object.keys(inputs).find((name) => env[variableOf(name)]?.includes("\ufffd"));
  if (unreadable !== undefined)
    return refusal("USAGE", `input '${unreadable}' must be UTF-8, without U+FFFD`);
  const operation = operations.find((name) => name === given("operation"));
  if (operation === undefined) return wrong("operation", list(operations), given("operation"));
  const failOn = given("fail-on") ?? "refusal";
  if (failOn !== "refusal" && failOn !== "never") return wrong("fail-on", "refusal or never", failOn);
  const push = given("push") ?? "false";
  for (const [name, owners] of Object.entries(inputs) as [InputName, readonly Operation[]][]) {
    if (owners.includes(operation) || given(name) === undefined) continue;
    if (name === "push" && push === "false") continue;
    return refusal("USAGE", `input '${name}' is not one of ${operation}, but of ${list(owners)}`);
  }
  const absent = required[operation].find((name) => given(name) === undefined);
  if (absent !== undefined) return refusal("USAGE", `input '${absent}' is required for ${operation}`);
  const text = (name: InputName) => given(name) ?? "";
  const repo = given("repo") ?? ".";
  switch (operation) {
    case "check":
      return success({ operation, failOn, repo, contract: text("contract") });
    case "verify":
      return success({ operation, failOn, packet: text("packet") });
    case "accept":
      return success({ operation, failOn, packet: text("packet"), submission: text("submission") });
    case "deliver": {
      const timeoutMs = seconds("input 'timeout'", given("timeout") ?? "30");
      if (typeof timeoutMs === "object") return refusal("USAGE", timeoutMs.usage);
      return success({
        ...{ operation, failOn, repo, timeoutMs },
        contract: text("contract"),
        base: given("base"),
        command: commandOf(text("command")),
        push: push === "false" ? null : push,
      });
    }
  }
}

const operations = inputs.operation;

const required = {
  check: ["contract"],
  deliver: ["contract", "command"],
  verify: ["packet"],
  accept: ["packet", "submission"],
} as const satisfies Record<Operation, readonly InputName[]>;

/** One argument a line. The line feed with which a YAML block ends begins no other. */
function commandOf(text: string): readonly string[] {
  return text.replace(/\n$/, "").split("\n");
}

function wrong(name: InputName, accepted: string, found: string | undefined): Result<never, "USAGE"> {
  const shown = found === undefined ? "empty" : oneLine(JSON.stringify(found.slice(0, 200)));
  return refusal("USAGE", `input '${name}' must be ${accepted}, not ${shown}`);
}

function list(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
