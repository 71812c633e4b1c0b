import { exitStatus, internalError, recoverStatus } from "../outcome.ts";
import { interruption } from "../process/interruption.ts";
import { recover } from "../recovery/recover.ts";
import { defineCommand } from "./command.ts";
import { writeNote, writeResult } from "./streams.ts";

export const command = defineCommand({
  name: "recover",
  summary: "Remove what an engine that was killed left of a delivery",
  args: {
    repo: {
      type: "string",
      required: true,
      valueHint: "REPO",
      description: "root of the working tree",
      offer: "folder",
    },
    "dry-run": { type: "boolean", description: "change nothing, say what would be done" },
  },
  example: "recover --repo . --dry-run",
  statuses: ["REPO_UNAVAILABLE", "NO_CANDIDATE"],
  async run({ values }) {
    const told = interruption();
    const request = { repo: values.repo, dryRun: values["dry-run"], env: process.env, interruption: told };
    const recovered = await recover(request);
    told.dispose();
    if (!recovered.ok) {
      writeNote(`satyrn-engine: ${recovered.code}: ${recovered.message}`);
      return recoverStatus[recovered.code];
    }
    const lines = recovered.value.map((finding) => `${JSON.stringify(finding)}\n`);
    return writeResult(lines.join("")) ? exitStatus.OK : internalError;
  },
});
