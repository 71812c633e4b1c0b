/** The outputs of a step. */
import type { Report } from "./report.ts";

/** Every output, in the order it is documented in. */
export const outputNames = [
  "outcome",
  "code",
  "exit-status",
  "candidate-ref",
  "candidate-commit",
  "receipt",
  "verdict",
] as const;

export type OutputName = (typeof outputNames)[number];

/** What each output holds; `receipt` is the path of the receipt's file. */
export function outputsOf(report: Report, receipt: string | null): Readonly<Record<OutputName, string>> {
  return {
    outcome: report.outcome,
    code: report.code,
    "exit-status": String(report.status),
    "candidate-ref": report.candidate?.ref ?? "",
    "candidate-commit": report.candidate?.commit ?? "",
    receipt: receipt ?? "",
    verdict: report.verdict ?? "",
  };
}

/**
 * What is appended to the file that `GITHUB_OUTPUT` names: each output between two lines of a delimiter that
 * nobody could guess, and that does not occur in the value.
 */
export function outputsText(outputs: Readonly<Record<string, string>>): string {
  return Object.entries(outputs)
    .map(([name, value]) => {
      let delimiter = "";
      do delimiter = `satyrn-${crypto.randomUUID()}`;
      while (value.includes(delimiter));
      return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
    })
    .join("");
}
