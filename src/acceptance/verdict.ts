/** Whether a command passed, from how it ended and what it printed. */
import type { VerificationCommand } from "../expected/shape.ts";
import { occurring, type StreamSeen, type StreamWatch, watchStream } from "./stream.ts";
import type { Outcome } from "./verification-schema.ts";

export interface Verdict {
  readonly passed: boolean;
  /** Why it did not pass; null if it did. */
  readonly reason: string | null;
}

export const defaultTimeoutSec = 60;

/** Watches for everything the command's output is asked for. */
export function watchFor(command: VerificationCommand): StreamWatch {
  return watchStream(textsOf(command));
}

/**
 * Judges a command by its outcome and by its stdout followed by its stderr: it must exit with the declared
 * status, then print every text of `stdout_contains`, then none of `stdout_not_contains`.
 */
export function judge(
  command: VerificationCommand,
  outcome: Outcome,
  stdout: StreamSeen,
  stderr: StreamSeen,
): Verdict {
  if (outcome.kind !== "exit") return { passed: false, reason: outcome.kind };
  const expected = command.exit_code ?? 0;
  if (outcome.exit_code !== expected) {
    return { passed: false, reason: `exit ${outcome.exit_code}, expected ${expected}` };
  }
  const wanted = command.stdout_contains ?? [];
  const unwanted = command.stdout_not_contains ?? [];
  const found = occurring(textsOf(command), stdout, stderr);
  const lacking = wanted.filter((_, index) => !found.has(index));
  if (lacking.length > 0) return { passed: false, reason: `output lacks ${JSON.stringify(lacking)}` };
  const forbidden = unwanted.filter((_, index) => found.has(wanted.length + index));
  if (forbidden.length === 0) return { passed: true, reason: null };
  return { passed: false, reason: `output contains forbidden ${JSON.stringify(forbidden)}` };
}

function textsOf(command: VerificationCommand): readonly Uint8Array[] {
  const texts = [...(command.stdout_contains ?? []), ...(command.stdout_not_contains ?? [])];
  return texts.map((text) => Buffer.from(text, "utf8"));
}
