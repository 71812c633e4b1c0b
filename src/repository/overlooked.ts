/** What Git leaves out without failing. */
import { oneLine, type Refusal, refusal } from "../outcome.ts";

/**
 * GIT_FAILED if `stderr`, of a Git `command` that exited 0, says that it could not look at something in the working
 * tree. It says so in a warning of a folder, and in the system's bare words (perror(3)) of a tracked file whose folder
 * may be listed and not entered. What it says of absolute paths is about a person's configuration, which it may be
 * unable to read.
 */
export function overlooked(command: string, stderr: string): Refusal<"GIT_FAILED"> | undefined {
  const words = warning.exec(stderr)?.[1] ?? bareWords.exec(stderr)?.[1];
  return words === undefined
    ? undefined
    : refusal("GIT_FAILED", `git ${command} left something out: ${oneLine(words).slice(0, 500)}`);
}

const warning = /^(?:warning|error): ((?:could not|unable to|cannot) .* '(?!\/).*)$/m;
const bareWords = /^(?!\/|\w+: )(.+: (?:Permission denied|File name too long|Input\/output error))$/m;
