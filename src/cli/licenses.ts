import { exitStatus, internalError } from "../outcome.ts";
import { defineCommand } from "./command.ts";
import { licenses } from "./licenses.generated.ts";
import { writeResult } from "./streams.ts";

export const command = defineCommand({
  name: "licenses",
  summary: "Print the licences of what this executable is made of",
  args: {},
  example: "licenses",
  statuses: [],
  run() {
    const text = Buffer.from(Bun.gunzipSync(Buffer.from(licenses, "base64"))).toString("utf8");
    return writeResult(text) ? exitStatus.OK : internalError;
  },
});
