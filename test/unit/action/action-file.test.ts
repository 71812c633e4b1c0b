/** `action.yml`, the code that reads what it hands over, and the page that explains it, against each other. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { outputNames } from "../../../src/action/outputs.ts";
import { inputs, variableOf } from "../../../src/cli/action-inputs.ts";
import { actionFolder, readAction } from "../../support/runner.ts";

const action = readAction();
const [get, run] = action.runs.steps;
if (get === undefined || run === undefined) throw new Error("action.yml has fewer than two steps");
const page = readFileSync(join(actionFolder, "docs/action.md"), "utf8");

/** The names in the first column of the table under a heading. */
function rowsUnder(heading: string): readonly string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| `([a-z-]+)` \|/gm)].map((row) => row[1] ?? "");
}

describe("action.yml", () => {
  test("is two steps of bash, and uses no other action", () => {
    expect(action.runs.using).toBe("composite");
    expect(action.runs.steps.map((step) => [step.id, step.shell])).toEqual([
      ["get", "bash"],
      ["run", "bash"],
    ]);
    expect(readFileSync(join(actionFolder, "action.yml"), "utf8")).not.toMatch(/^\s*-?\s*uses:/m);
  });

  test("holds no expression in a script", () => {
    for (const step of action.runs.steps) expect(step.run).not.toContain("${{");
  });

  test("holds no expression elsewhere but one whole value, of an input, an output or the action's repository", () => {
    const values = [...Object.values(get.env), ...Object.values(run.env)].filter((value) => value !== "");
    for (const value of values) {
      expect(value).toMatch(
        /^\$\{\{ (inputs\.[a-z-]+|github\.action_repository|steps\.get\.outputs\.executable) \}\}$/,
      );
    }
  });

  test("has the inputs that the code reads and docs/action.md explains, in one order", () => {
    const names = Object.keys(action.inputs);
    const read = Object.keys(inputs);
    expect(names).toEqual([...read.slice(0, 1), "version", "path", ...read.slice(1)]);
    expect(rowsUnder("Inputs")).toEqual(names);
  });

  test("says of each input which operations it belongs to, as the code and docs/action.md do", () => {
    for (const [name, operations] of Object.entries(inputs)) {
      const ofAll = operations.length === 4;
      const named = operations.map((operation) => `\`${operation}\``).join(", ");
      expect(page).toContain(`| \`${name}\` | ${ofAll ? "all" : named} |`);
      if (!ofAll) expect(action.inputs[name]?.description).toStartWith(`${named}: `);
    }
  });

  test("hands every input to the step that reads it", () => {
    const handed = (names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [variableOf(name), `\${{ inputs.${name} }}`]));
    expect(run.env).toMatchObject(handed(Object.keys(inputs)));
    expect(get.env).toMatchObject(handed(["version", "path"]));
  });

  test("has defaults for what the code takes for left out", () => {
    const defaults = Object.entries(action.inputs).filter(([, input]) => input.default !== undefined);
    expect(defaults.map(([name, input]) => [name, input.default])).toEqual([
      ["push", "false"],
      ["fail-on", "refusal"],
    ]);
  });

  test("has the outputs that the code writes and docs/action.md explains, in one order", () => {
    expect(Object.keys(action.outputs)).toEqual([...outputNames]);
    expect(rowsUnder("Outputs")).toEqual([...outputNames]);
    for (const [name, { value }] of Object.entries(action.outputs)) {
      expect(value).toBe(`\${{ steps.run.outputs.${name} }}`);
    }
  });

  test("drops the variables that docs/security.md says reach the executable", () => {
    const security = readFileSync(join(actionFolder, "docs/security.md"), "utf8");
    const table = security.split("## Variables that still have an effect")[1] ?? "";
    const rows = [...table.matchAll(/^\| `([A-Z]+)_(\w*)[*`]/gm)].map((row) => row[0].split("`")[1] ?? "");
    const ofTheSystem = ["LD_PRELOAD", "PATH"];
    const named = rows.filter((name) => !ofTheSystem.includes(name));
    expect(named).toEqual([
      "BUN_JSC_*",
      "JSC_SIGNAL_FOR_GC",
      "MIMALLOC_*",
      "NODE_CHANNEL_FD",
      "SIMDUTF_FORCE_IMPLEMENTATION",
    ]);
    for (const name of named) {
      const isDropped = run.run.includes(` ${name} `) || run.run.includes(`"\${!${name.split("_")[0]}_@}"`);
      expect([name, isDropped]).toEqual([name, true]);
    }
    for (const step of [get, run])
      expect(step.env).toMatchObject({ LD_PRELOAD: "", LD_AUDIT: "", BASH_ENV: "" });
  });
});

test("the workflow in docs/action.md is one, and uses inputs and outputs that there are", () => {
  const example = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? "";
  const { jobs } = parse(example) as { jobs: { deliver: { steps: readonly Record<string, unknown>[] } } };
  const step = jobs.deliver.steps.find((each) => String(each["uses"]).startsWith("OWNER/"));
  for (const name of Object.keys(step?.["with"] ?? {})) expect(Object.keys(action.inputs)).toContain(name);
  const used = [...example.matchAll(/steps\.fix\.outputs\.([a-z-]+)/g)].map((match) => match[1] ?? "");
  expect(used.length).toBeGreaterThan(0);
  for (const name of used) expect<readonly string[]>(outputNames).toContain(name);
});
