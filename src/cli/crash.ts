import { writeSync } from "node:fs";
import { internalError } from "../outcome.ts";

/**
 * Ends the process with the status of a crash on any error that nothing caught, its report on stderr. Left to
 * itself, Bun goes on while work is pending, and a later `exit(0)` would hide the error.
 */
export function exitOnCrash(): void {
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
}

function crash(error: unknown): never {
  try {
    const report = error instanceof Error ? (error.stack ?? error.message) : String(error);
    writeSync(2, `satyrn-engine: internal error: ${report}\n`);
  } catch {
    // A closed stderr must not keep the status from being told.
  }
  process.exit(internalError);
}
