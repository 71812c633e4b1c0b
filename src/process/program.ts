/** Which file a command word names, and whether its argument vector can be handed to a program unaltered. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";
import { oneLine } from "../outcome.ts";
import { systemReason } from "../system-error.ts";
import type { Environment } from "./environment.ts";

/** The program to start, or in one line why there is none. */
export type Program =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: string };

/**
 * The file that `argv[0]` names for a process that starts in `cwd` with `environment`: what execvp(3) finds
 * after a chdir(2) to `cwd`. A name with a slash is relative to `cwd`; any other is looked up on the
 * environment's PATH, whose relative elements, the empty one included, are relative to `cwd` too.
 *
 * The runtime's own lookup passes over empty elements and fails for good at an unset PATH, and its errors
 * do not tell a missing directory from a missing program; so the answer is found here, and the runtime is
 * handed an absolute path.
 */
export function findProgram(argv: readonly string[], cwd: string, environment: Environment): Program {
  const reason = unstartable(argv, cwd);
  if (reason !== null) return { ok: false, reason };
  const name = argv[0] ?? "";
  if (name.includes("/")) return judge(resolveIn(cwd, name), name);
  let denied = false;
  for (const element of (environment["PATH"] ?? defaultPath).split(delimiter)) {
    const path = resolveIn(cwd, `${element === "" ? "." : element}/${name}`);
    const state = runnable(path);
    if (state === "yes") return { ok: true, path };
    if (state === "denied") denied = true;
  }
  const found = denied ? "is on PATH, but may not be executed" : "was not found on PATH";
  return { ok: false, reason: `program '${oneLine(name)}' ${found}` };
}

// What glibc and musl search when PATH is not set.
const defaultPath = "/bin:/usr/bin";

/** Why no program can be started with this vector in this directory, whatever its name; null if one can. */
export function unstartable(argv: readonly string[], cwd: string): string | null {
  if (argv[0] === undefined || argv[0] === "") return "the program's name is empty";
  return unsoundArgument(argv) ?? unusableDirectory(cwd);
}

function unsoundArgument(argv: readonly string[]): string | null {
  for (const [index, argument] of argv.entries()) {
    if (argument.includes("\0")) return `argument ${index} of the command holds a NUL character`;
    if (!argument.isWellFormed()) return `argument ${index} of the command is not Unicode text`;
  }
  return null;
}

function unusableDirectory(cwd: string): string | null {
  try {
    if (!statSync(cwd).isDirectory()) return `working directory '${oneLine(cwd)}' is not a directory`;
    accessSync(cwd, constants.X_OK);
    return null;
  } catch (error) {
    return `working directory '${oneLine(cwd)}' cannot be entered: ${systemReason(error)}`;
  }
}

function judge(path: string, name: string): Program {
  const state = runnable(path);
  if (state === "yes") return { ok: true, path };
  const found = state === "denied" ? "is not a file that may be executed" : "does not exist";
  return { ok: false, reason: `program '${oneLine(name)}' ${found}` };
}

function runnable(path: string): "yes" | "denied" | "missing" {
  try {
    if (!statSync(path).isFile()) return "denied";
  } catch (error) {
    return errorCode(error) === "EACCES" ? "denied" : "missing";
  }
  try {
    accessSync(path, constants.X_OK);
    return "yes";
  } catch {
    return "denied";
  }
}

// Not path.join, which strikes out `link/..` although the two are not the same place.
function resolveIn(cwd: string, path: string): string {
  return isAbsolute(path) ? path : `${cwd}/${path}`;
}

/** What a failed start means, in one line, when the file itself was found. */
export function startFailure(error: unknown, name: string): string {
  const code = errorCode(error);
  return `program '${oneLine(name)}' ${reasons[code] ?? `could not be started (${code})`}`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "names an interpreter or loader that does not exist",
  EACCES: "may not be executed",
  ENOEXEC: "is not in an executable format",
  E2BIG: "was given more arguments and environment than the system allows",
  EAGAIN: "could not be started: the limit of processes is reached",
  ENOMEM: "could not be started: out of memory",
  ETXTBSY: "is being written",
  ELOOP: "is behind too many symbolic links",
};

function errorCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? oneLine(error.message) : "unknown error";
}
