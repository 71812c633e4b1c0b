/** The executable: argv in, exit status out. */
import { writeSync } from "node:fs";
import { start } from "./cli/start.ts";
import { internalError } from "./outcome.ts";

// Bun goes on after an uncaught error while work is pending, and a later exit(0) would hide it.
process.on("uncaughtException", crash);
process.on("unhandledRejection", crash);
// Windows looks for programs in the working directory first, unless this is set.
if (process.platform === "win32") process.env["NoDefaultCurrentDirectoryInExePath"] = "1";

process.exit(await start(process.argv.slice(2)));

function crash(error: unknown): never {
  try {
    const report = error instanceof Error ? (error.stack ?? error.message) : String(error);
    writeSync(2, `satyrn-engine: internal error: ${report}\n`);
  } catch {
    // A closed stderr must not keep the status from being told.
  }
  process.exit(internalError);
}
