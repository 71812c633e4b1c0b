import { internalError } from "../outcome.ts";
import { handleProtocol, maxRequestBytes } from "../protocol/handler.ts";
import { defineCommand } from "./command.ts";
import { readInput } from "./input.ts";
import { writeResult } from "./streams.ts";

export const command = defineCommand({
  name: "protocol",
  summary: "Answer one JSON request on stdin with one JSON response",
  args: {},
  example: "protocol < request.json",
  statuses: [
    "CONTRACT_UNREADABLE",
    "CONTRACT_INVALID_YAML",
    "CONTRACT_MISSING_FIELD",
    "REPO_UNAVAILABLE",
    "INVALID_REQUEST",
    "MUTATION_REFUSED",
    "TEST_COMMAND_UNAVAILABLE",
    "TEST_COMMAND_NOT_ALLOWED",
  ],
  async run() {
    const { response, exitStatus } = await handleProtocol(readInput(maxRequestBytes + 1));
    return writeResult(`${JSON.stringify(response)}\n`) ? exitStatus : internalError;
  },
});
