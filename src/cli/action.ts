import { runStep } from "../action/action.ts";
import { interruption } from "../process/interruption.ts";
import { forward } from "../process/sinks.ts";
import { isStepsOwn, readInputs, readRunner } from "./action-inputs.ts";
import { defineCommand } from "./command.ts";
import { writeResult } from "./streams.ts";

export const command = defineCommand({
  name: "action",
  summary: "Be a step of a GitHub workflow; inputs are in the environment",
  args: {},
  example: "action",
  statuses: [
    "CONTRACT_UNREADABLE",
    "CONTRACT_INVALID_YAML",
    "CONTRACT_MISSING_FIELD",
    "REPO_UNAVAILABLE",
    "NO_CANDIDATE",
    "ACCEPTANCE_BLOCKED",
    "ACCEPTANCE_FAILED",
  ],
  async run() {
    const runner = readRunner(process.env);
    if (!runner.ok) return { usage: runner.message };
    const read = readInputs(process.env);
    // The checks of `verify` and `accept` are given the process's own environment.
    for (const name of Object.keys(process.env)) if (isStepsOwn(name)) delete process.env[name];
    const told = interruption();
    const status = await runStep({
      asked: read.ok ? read.value : { usage: read.message },
      runner: runner.value,
      env: process.env,
      interruption: told,
      write: writeResult,
      log: forward(1),
    });
    told.dispose();
    return status;
  },
});
