import { attempt, type Summary } from "../attempt/attempt.ts";
import { exitStatus, internalError, oneLine } from "../outcome.ts";
import { interruption } from "../process/interruption.ts";
import { forward } from "../process/sinks.ts";
import { defineCommand } from "./command.ts";
import { seconds } from "./seconds.ts";
import { isStandIn, writeNote } from "./streams.ts";

export const command = defineCommand({
  name: "attempt",
  summary: "Run Pi once on a contract, in the current disposable worktree",
  args: {
    model: { type: "string", valueHint: "MODEL", description: "model to run (default: SATYRN_MODEL)" },
    timeout: { type: "string", valueHint: "SECONDS", description: "limit for Pi (default: none)" },
    contract: { type: "positional", description: "the contract, a YAML file", offer: "file" },
  },
  example: "attempt --model local/qwen3 contracts/fix-login.yaml",
  statuses: [
    "CONTRACT_UNREADABLE",
    "CONTRACT_INVALID_YAML",
    "CONTRACT_MISSING_FIELD",
    "REPO_UNAVAILABLE",
    "ATTEMPT_FAILED",
  ],
  async run({ values }) {
    const model = values.model ?? process.env["SATYRN_MODEL"];
    if (!model) return { usage: "no model: give --model, or set SATYRN_MODEL" };
    const timeout = values.timeout === undefined ? null : seconds("--timeout", values.timeout);
    if (timeout !== null && typeof timeout === "object") return timeout;

    const told = interruption();
    let readerGone = isStandIn(1);
    const result = await attempt({
      contract: values.contract,
      model,
      timeout,
      directory: ".",
      environment: process.env,
      engine: process.execPath,
      interruption: told,
      stdout: forward(1, () => {
        readerGone = true;
      }),
      stderr: forward(2),
    });
    told.dispose();
    if ("unnamed" in result && result.unnamed > 0) {
      writeNote(`satyrn-engine: ${result.unnamed} files are left out: their names are not UTF-8`);
    }
    if (result.code === "OK") writeNote(`satyrn-engine: attempt OK: ${sentence(model, result.summary)}`);
    else writeNote(`satyrn-engine: ${result.code}: ${result.message}`);
    return readerGone ? internalError : exitStatus[result.code];
  },
});

function sentence(model: string, { turns, toolCalls, edits, refusedEdits, durationMs }: Summary): string {
  const calls = `${toolCalls} tool calls (${edits} edits, ${refusedEdits} refused)`;
  return oneLine(`model ${model}, ${turns} turns, ${calls}, ${Math.round(durationMs / 1000)} s`);
}
