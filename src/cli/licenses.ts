import { exitStatus, internalError } from "../outcome.ts";
import { defineCommand } from "./command.ts";
import { writeResult } from "./streams.ts";
import { licenses } from "./texts.generated.ts";

export const command = defineCommand({
  name: "licenses",
  summary: "Print the licences of what this executable is made of",
  args: {},
  example: "licenses",
  statuses: [],
  run: () => (writeResult(licenses) ? exitStatus.OK : internalError),
});
