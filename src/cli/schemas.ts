import { exitStatus, internalError, oneLine } from "../outcome.ts";
import { defineCommand } from "./command.ts";
import { schemas } from "./schemas.generated.ts";
import { writeResult } from "./streams.ts";

export const command = defineCommand({
  name: "schema",
  summary: "Print the JSON Schema of what the engine reads or writes",
  args: {
    name: { type: "positional", description: Object.keys(schemas).join(", "), offer: Object.keys(schemas) },
  },
  example: "schema contract",
  statuses: [],
  run({ values: { name } }) {
    if (!Object.hasOwn(schemas, name)) {
      const known = Object.keys(schemas).join(", ");
      return { usage: `there is no schema ${oneLine(JSON.stringify(name))}; there are ${known}` };
    }
    const text = `${JSON.stringify(schemas[name], undefined, 2)}\n`;
    return writeResult(text) ? exitStatus.OK : internalError;
  },
});
