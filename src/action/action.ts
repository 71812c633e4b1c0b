/** One step of a workflow: the operation, and what the runner and people are told of it. */
import { appendFileSync, closeSync } from "node:fs";
import { join } from "node:path";
import { openNew, writeAll } from "../files/new-file.ts";
import { type ExitStatus, exitStatus, internalError, oneLine } from "../outcome.ts";
import type { Interruption } from "../process/interruption.ts";
import type { Sink } from "../process/sinks.ts";
import { systemReason } from "../system-error.ts";
import type { Asked } from "./asked.ts";
import { outputsOf, outputsText } from "./outputs.ts";
import { perform, usageReport } from "./perform.ts";
import type { Report } from "./report.ts";
import { summaryOf } from "./summary.ts";
import { type Annotation, annotationLine, fence } from "./workflow-commands.ts";

/** Where the runner takes things from. */
export interface Runner {
  readonly outputFile: string;
  /** Older servers show no summaries. */
  readonly summaryFile: string | null;
  readonly temporaryFolder: string;
}

export interface Step {
  /** What is asked; in words, if the inputs do not say it. */
  readonly asked: Asked | { readonly usage: string };
  readonly runner: Runner;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly interruption: Interruption;
  /** Writes to the step's log; false if nobody reads it. */
  readonly write: (text: string) => boolean;
  /** Writes the command's output to the same log. */
  readonly log: Sink;
}

/**
 * Does what the step asks for, and tells the outcome four times: in the outputs, on the summary page, as annotations
 * and in the log. Gives the status to exit with: the operation's own, or 0 where refusals are not to fail the
 * step; always 2 for inputs that are refused, and 1 for an outcome that could not be told.
 */
export async function runStep(step: Step): Promise<ExitStatus> {
  const asked = "usage" in step.asked ? null : step.asked;
  const told: boolean[] = [];
  const say = (text: string) => told.push(step.write(text));
  const report = "usage" in step.asked ? usageReport(step.asked.usage) : await fenced(step, step.asked, say);
  for (const annotation of annotationsOf(report)) say(annotationLine(annotation));
  const problems = record(step.runner, asked, report);
  for (const message of problems) say(annotationLine({ level: "error", title: "satyrn-engine", message }));
  if (problems.length > 0 || told.includes(false)) return internalError;
  return asked?.failOn === "never" && report.code !== "USAGE" ? exitStatus.OK : report.status;
}

/** Performs the operation while the runner obeys nothing that is printed. */
async function fenced(step: Step, asked: Asked, say: (text: string) => void): Promise<Report> {
  const { begin, end } = fence();
  let lineIsOpen = false;
  const output: Sink = async (chunk, cut) => {
    await step.log(chunk, cut);
    lineIsOpen = cut.aborted || chunk.at(-1) !== newline;
  };
  say(begin);
  try {
    const report = await perform(asked, { env: step.env, interruption: step.interruption, output });
    if (lineIsOpen) say("\n");
    lineIsOpen = false;
    for (const note of report.notes) say(`satyrn-engine: ${note}\n`);
    say(`satyrn-engine: ${asked.operation}: ${report.code}${report.message && `: ${report.message}`}\n`);
    return report;
  } finally {
    say(`${lineIsOpen ? "\n" : ""}${end}`);
  }
}

const newline = 10;

/** One for the refusal, if there is one, and one for each guard that did not pass. */
function annotationsOf({ code, message, place, derivation }: Report): readonly Annotation[] {
  const at = (where: Report["place"]) => ({ file: where?.file, line: where?.line ?? undefined });
  const refused: Annotation[] =
    code === "OK" ? [] : [{ level: "error", title: `satyrn-engine: ${code}`, message, ...at(place) }];
  const broken = (derivation?.broken ?? []).map(({ guard, place: where }): Annotation => {
    const { rule, subject, blocking } = guard;
    const level = blocking ? "error" : "warning";
    return { level, title: `satyrn-engine: guard ${rule}`, message: subject, ...at(where) };
  });
  return [...refused, ...broken];
}

/** Writes receipt, outputs and summary; gives what could not be written, in words. */
function record(runner: Runner, asked: Asked | null, report: Report): readonly string[] {
  const problems: string[] = [];
  const attempt = (what: string, write: () => void) => {
    try {
      write();
    } catch (error) {
      problems.push(oneLine(`${what} could not be written: ${systemReason(error)}`));
    }
  };
  let receipt: string | null = null;
  attempt("the receipt", () => {
    if (report.receipt !== null) receipt = keepReceipt(runner.temporaryFolder, report.receipt);
  });
  attempt("the outputs", () => appendFileSync(runner.outputFile, outputsText(outputsOf(report, receipt))));
  const page = runner.summaryFile;
  if (page !== null) attempt("the summary", () => appendFileSync(page, summaryOf(asked, report)));
  return problems;
}

/** Writes a receipt to a new file that is the user's alone; gives its path. */
function keepReceipt(folder: string, text: string): string {
  const path = join(folder, `satyrn-receipt-${crypto.randomUUID()}.json`);
  const descriptor = openNew(path, 0o600);
  try {
    writeAll(descriptor, Buffer.from(text, "utf8"));
  } finally {
    closeSync(descriptor);
  }
  return path;
}
