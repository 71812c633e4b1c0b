import { deliver } from "../delivery/deliver.ts";
import { receiptStatus, renderReceipt } from "../delivery/receipt.ts";
import { internalError } from "../outcome.ts";
import { interruption } from "../process/interruption.ts";
import { defineCommand } from "./command.ts";
import { seconds } from "./seconds.ts";
import { writeNote, writeResult } from "./streams.ts";

export const command = defineCommand({
  name: "deliver",
  summary: "Run a command in a throw-away worktree, for a candidate change",
  args: {
    repo: {
      type: "string",
      required: true,
      valueHint: "REPO",
      description: "root of the working tree",
      offer: "folder",
    },
    timeout: {
      type: "string",
      valueHint: "SECONDS",
      description: "how long the command may run (default 30)",
    },
    base: { type: "string", valueHint: "COMMIT", description: "start from this commit, not from HEAD" },
    contract: { type: "positional", description: "the contract, a YAML file", offer: "file" },
  },
  rest: "COMMAND",
  example: "deliver --repo . fix.yaml -- sh -c 'pi -p \"$SATYRN_TASK\"'",
  statuses: [
    "CONTRACT_UNREADABLE",
    "CONTRACT_INVALID_YAML",
    "CONTRACT_MISSING_FIELD",
    "REPO_UNAVAILABLE",
    "NO_CANDIDATE",
    "ACCEPTANCE_FAILED",
  ],
  async run({ values, rest }) {
    const timeoutMs = seconds("--timeout", values.timeout ?? "30");
    if (typeof timeoutMs === "object") return timeoutMs;
    const told = interruption();
    const request = { ...values, command: rest, timeoutMs, env: process.env, interruption: told };
    const { receipt, notes } = await deliver(request);
    for (const note of notes) writeNote(`satyrn-engine: ${note}`);
    if (receipt.code !== "OK") writeNote(`satyrn-engine: ${receipt.code}: ${receipt.message}`);
    return writeResult(renderReceipt(receipt)) ? receiptStatus(receipt) : internalError;
  },
});
