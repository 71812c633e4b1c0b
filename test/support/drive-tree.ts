/**
 * Runs one command as a process of its own, so that a test can choose its descriptors, its parent and the
 * signals it gets. Takes a `Drive` as JSON; prints a `DriveResult` as JSON on its stdout, or, when that is
 * where the command's output goes, into the file `report`.
 */
import { readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { commandEnvironment } from "../../src/process/environment.ts";
import { interruption } from "../../src/process/interruption.ts";
import { forward } from "../../src/process/sinks.ts";
import { runTree, type TreeResult } from "../../src/process/tree.ts";

export interface Drive {
  readonly argv: readonly string[];
  readonly deadline: number | null;
  /** The descriptor that both streams are forwarded to; null drops them. */
  readonly descriptor: number | null;
  /** Null leaves the process's signals as they are. */
  readonly interruption: "SIGTERM" | "the same" | null;
  readonly report: string | null;
}

export interface DriveResult extends TreeResult {
  readonly milliseconds: number;
  /** Peak resident memory in megabytes before the command was started, and now. */
  readonly peakBefore: number;
  readonly peak: number;
  readonly interruptedBy: string | null;
}

if (import.meta.main) await drive(JSON.parse(process.argv[2] ?? "") as Drive);

async function drive(request: Drive): Promise<void> {
  const by = request.interruption === null ? null : interruption();
  const peakBefore = peakMemory();
  const began = performance.now();
  const result = await runTree({
    argv: request.argv,
    cwd: process.cwd(),
    environment: commandEnvironment(process.env, process.cwd()),
    deadline: request.deadline,
    interruption: by === null || request.interruption === null ? null : { by, send: request.interruption },
    output: {
      kind: "joined",
      sink: request.descriptor === null ? () => {} : forward(request.descriptor),
    },
  });
  const report: DriveResult = {
    ...result,
    milliseconds: performance.now() - began,
    peakBefore,
    peak: peakMemory(),
    interruptedBy: by?.name() ?? null,
  };
  const text = JSON.stringify(report);
  if (request.report === null) writeSync(1, text);
  else {
    // Whoever waits for it must not find half of it.
    writeFileSync(`${request.report}.part`, text);
    renameSync(`${request.report}.part`, request.report);
  }
  process.exit(0);
}

function peakMemory(): number {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "latin1"));
  return Math.round(Number(line?.[1]) / 1024);
}
