import { check } from "../check.ts";
import { exitStatus } from "../outcome.ts";
import { defineCommand } from "./command.ts";
import { writeNote } from "./streams.ts";

export const command = defineCommand({
  name: "check",
  summary: "Accept a contract, or refuse it with a named cause",
  args: {
    repo: {
      type: "string",
      required: true,
      valueHint: "REPO",
      description: "root of the working tree",
      offer: "folder",
    },
    contract: { type: "positional", description: "the contract, a YAML file", offer: "file" },
  },
  example: "check --repo . contracts/fix-login.yaml",
  statuses: ["CONTRACT_UNREADABLE", "CONTRACT_INVALID_YAML", "CONTRACT_MISSING_FIELD", "REPO_UNAVAILABLE"],
  run({ values }) {
    const { code, message } = check(values);
    if (code !== "OK") writeNote(`satyrn-engine: ${code}: ${message}`);
    return exitStatus[code];
  },
});
