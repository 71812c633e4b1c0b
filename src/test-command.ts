/** The one test command that a contract declares, run as it is declared. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "./check.ts";
import { contractVariables } from "./contract/variables.ts";
import { makePrivateFolder, removePrivateFolder } from "./files/private-folder.ts";
import {
  type CheckRefusalCode,
  oneLine,
  type Result,
  refusal,
  success,
  type TestRefusalCode,
} from "./outcome.ts";
import { commandEnvironment } from "./process/environment.ts";
import { interruption } from "./process/interruption.ts";
import { type Kept, keepLast } from "./process/sinks.ts";
import { runTree, type TreeResult } from "./process/tree.ts";

export interface TestCommandRequest {
  /** The folder to run in, absolute. */
  readonly repo: string;
  /** Path of the contract file. */
  readonly contract: string;
  /** What the caller takes the command to be, if it says so. */
  readonly command?: string;
}

export interface TestRun {
  /** The status; minus the signal's number if a signal ended it; null if it timed out. */
  readonly exit_code: number | null;
  /** The last 8,192 bytes of both streams as text, behind a line that says so if there was more. */
  readonly output: string;
  readonly truncated: boolean;
  readonly timed_out: boolean;
}

/**
 * Runs the contract's `test_command`, never the caller's words, for at most `limit` milliseconds, and leaves
 * nothing of it running. A suite that fails is a result. Refuses as `check` does, and with
 * `TEST_COMMAND_UNAVAILABLE` if the contract has none or it could not be started, and
 * `TEST_COMMAND_NOT_ALLOWED` if the caller named another.
 *
 * A signal that tells this process to stop ends the command first and then takes its usual effect.
 */
export async function runTestCommand(
  request: TestCommandRequest,
  limit = 120_000,
): Promise<Result<TestRun, CheckRefusalCode | TestRefusalCode>> {
  const checked = check(request);
  if (checked.code !== "OK") return refusal(checked.code, checked.message);
  const { contract, bytes } = checked;
  const argv = contract.test_command;
  if (argv === undefined) return refusal("TEST_COMMAND_UNAVAILABLE", "the contract has no test_command");
  const allowed = argv.join(" ").trim();
  if (request.command !== undefined && request.command.trim() !== allowed) {
    return refusal(
      "TEST_COMMAND_NOT_ALLOWED",
      `the one test command this contract allows is: ${oneLine(allowed)}`,
    );
  }
  const copy = freeze(bytes, request.contract);
  const environment = {
    ...commandEnvironment(process.env, request.repo),
    ...contractVariables(contract, copy.path),
  };
  const told = interruption();
  const printed = keepLast(outputLimit);
  const run = await runTree({
    argv,
    cwd: request.repo,
    environment,
    deadline: limit,
    interruption: { by: told, send: "the same" },
    output: { kind: "joined", sink: printed.sink },
  });
  told.dispose();
  // What still runs may still read it.
  if (run.gone) copy.remove();
  const signal = told.name();
  if (run.ending.kind === "interrupted" && signal !== null) process.kill(process.pid, signal);
  if (run.ending.kind === "spawn_error") return refusal("TEST_COMMAND_UNAVAILABLE", run.ending.error);
  return success(report(run, printed.kept()));
}

const outputLimit = 8192;

interface Copy {
  readonly path: string;
  remove(): void;
}

/**
 * A copy of the contract that nobody changes while the command runs, in a folder of its own; without one, in
 * a system where no folder for temporary files takes it, the file that was read stands for itself.
 */
function freeze(bytes: Uint8Array, original: string): Copy {
  const made = makePrivateFolder(process.env);
  if (!made.ok) return { path: original, remove: () => {} };
  const remove = () => removePrivateFolder(made.value);
  const path = join(made.value.path, "contract.yaml");
  try {
    writeFileSync(path, bytes, { mode: 0o400 });
    return { path, remove };
  } catch {
    remove();
    return { path: original, remove: () => {} };
  }
}

/** A UTF-8 sequence has at most three bytes after its first. */
const longestTail = 3;

function report({ ending, gone, survivors }: TreeResult, { bytes, truncated }: Kept): TestRun {
  let start = 0;
  while (truncated && start < longestTail && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(start));
  const lost = truncated ? `[... only the last ${outputLimit} bytes of the output ...]\n` : "";
  const left = gone ? "" : `\n[... still running: ${survivors.join(", ")} ...]\n`;
  return {
    exit_code: ending.kind === "exit" ? ending.status : ending.kind === "signal" ? -ending.signal : null,
    output: lost + text + left,
    truncated,
    timed_out: ending.kind === "timeout",
  };
}
