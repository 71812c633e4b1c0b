import { accept } from "../acceptance/accept.ts";
import { reportDerivation } from "./acceptance.ts";
import { defineCommand } from "./command.ts";

export const command = defineCommand({
  name: "accept",
  summary: "Derive whether a task's candidate may be accepted",
  args: {
    packet: {
      type: "string",
      required: true,
      valueHint: "PACKET",
      description: "the task packet, JSON",
      offer: "file",
    },
    submission: {
      type: "string",
      required: true,
      valueHint: "SUBMISSION",
      description: "what the executor handed in, JSON",
      offer: "file",
    },
    failure: { type: "string", valueHint: "REASON", description: "fail the task with this one reason" },
  },
  example: "accept --packet task.json --submission submission.json",
  statuses: ["ACCEPTANCE_BLOCKED", "ACCEPTANCE_FAILED"],
  run: ({ values }) => reportDerivation((interruption) => accept({ ...values, interruption })),
});
