/** What `verify` and `accept` print, and the status they exit with. */
import type { Accepted } from "../acceptance/accept.ts";
import { lineText } from "../acceptance/result.ts";
import type { Blocked, Checked } from "../acceptance/verify.ts";
import { type ExitStatus, exitStatus, internalError, oneLine } from "../outcome.ts";
import { type Interruption, interruption } from "../process/interruption.ts";
import { writeNote, writeResult } from "./streams.ts";

/** Runs `derive` so that a signal stops it, and reports what it gives: one JSON line, keys sorted. */
export async function reportDerivation(
  derive: (interruption: Interruption) => Promise<Checked | Accepted | Blocked>,
): Promise<ExitStatus> {
  const stop = interruption();
  const outcome = await derive(stop);
  stop.dispose();
  const name = statusOf(outcome);
  const why = "reason" in outcome ? outcome.reason : outcome.reasons.join("; ");
  if (name !== "OK") writeNote(`satyrn-engine: ${name}: ${oneLine(why)}`);
  return writeResult(lineText(outcome)) ? exitStatus[name] : internalError;
}

function statusOf(outcome: Checked | Accepted | Blocked): "OK" | "ACCEPTANCE_BLOCKED" | "ACCEPTANCE_FAILED" {
  if (outcome.status === "BLOCKED") return "ACCEPTANCE_BLOCKED";
  return outcome.reasons.length === 0 ? "OK" : "ACCEPTANCE_FAILED";
}
