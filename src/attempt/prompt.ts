/** The one prompt of an attempt. */
import { type Result, refusal, success } from "../outcome.ts";

export interface Assignment {
  readonly task: string;
  /** Paths of the writable files. */
  readonly files: readonly string[];
  readonly writablePaths: readonly string[];
  readonly testCommand: readonly string[] | null;
}

/** Paths that are listed; of more, only the count and the patterns are told. */
const listed = 200;

/** The task, the writable files and the rules of the session; no plan and no hints. */
export function promptOf({ task, files, writablePaths, testCommand }: Assignment): string {
  const sorted = [...files].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const rest = sorted.length - listed;
  const lines = [
    "Task:",
    task,
    "",
    "Writable files:",
    ...sorted.slice(0, listed),
    ...(rest > 0 ? [`and ${rest} more: every existing file that matches ${writablePaths.join(" or ")}`] : []),
    "",
    "You may read files with read. Use edit for every write. Do not create files.",
    ...(testCommand ? [`bash runs exactly this command, and no other: ${testCommand.join(" ")}`] : []),
    "Stop when the task is done.",
  ];
  return lines.join("\n");
}

/**
 * `argv` if the system can hand it to a program. Linux takes 131,072 bytes an argument, its end included
 * (execve(2), MAX_ARG_STRLEN); Windows 32,767 characters for the whole command line (CreateProcess).
 */
export function fittingArguments(
  argv: readonly string[],
  platform: string = process.platform,
): Result<readonly string[], "TOO_LONG"> {
  if (platform === "win32") {
    const characters = argv.reduce((sum, word) => sum + quotedLength(word) + 1, 0);
    if (characters <= 32_767) return success(argv);
    return refusal("TOO_LONG", `the command line has ${characters} characters, more than 32767`);
  }
  const bytes = Math.max(...argv.map((word) => Buffer.byteLength(word) + 1));
  if (bytes <= 131_072) return success(argv);
  return refusal("TOO_LONG", `it has ${bytes} bytes with its end, more than 131072`);
}

/** Quotes around it, and at most one backslash before each quote and backslash of it. */
function quotedLength(word: string): number {
  return word.length + 2 + (word.match(/["\\]/g)?.length ?? 0);
}
