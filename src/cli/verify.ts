import { verify } from "../acceptance/verify.ts";
import { reportDerivation } from "./acceptance.ts";
import { defineCommand } from "./command.ts";

export const command = defineCommand({
  name: "verify",
  summary: "Run a task's declared checks on its committed candidate",
  args: {
    packet: {
      type: "string",
      required: true,
      valueHint: "PACKET",
      description: "the task packet, JSON",
      offer: "file",
    },
    source: {
      type: "string",
      valueHint: "SHA",
      description: "the candidate; the worktree's HEAD if left out",
    },
  },
  example: "verify --packet tasks/fix-login.json",
  statuses: ["ACCEPTANCE_BLOCKED", "ACCEPTANCE_FAILED"],
  run: ({ values }) => reportDerivation((interruption) => verify({ ...values, interruption })),
});
