/** The environment of a command the caller asked for. */
import { readFileSync } from "node:fs";
import { pathAlone } from "../path-alone.ts";

/**
 * The variables by which a caller's Git (a hook, an alias, `git rebase --exec`) routes its children to a
 * repository, an index or an object store of its own.
 *
 * What `git rev-parse --local-env-vars` prints, united over Git 2.36 and later (a test compares it with the
 * installed Git), and two that it leaves out: `GIT_NAMESPACE`, and `GIT_QUARANTINE_PATH`, which a receive
 * hook inherits.
 */
export const repositoryVariables: readonly string[] = [
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_CONFIG",
  "GIT_CONFIG_COUNT",
  "GIT_CONFIG_PARAMETERS",
  "GIT_DIR",
  "GIT_GRAFT_FILE",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_INTERNAL_SUPER_PREFIX",
  "GIT_NAMESPACE",
  "GIT_NO_REPLACE_OBJECTS",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_QUARANTINE_PATH",
  "GIT_REPLACE_REF_BASE",
  "GIT_SHALLOW_FILE",
  "GIT_WORK_TREE",
];

const routing: ReadonlySet<string> = new Set(repositoryVariables);
const configurationPair = /^GIT_CONFIG_(?:KEY|VALUE)_/;

/** Whether a variable of this name routes Git to another repository. Names ignore case on Windows. */
export function routesGit(name: string, platform: string = process.platform): boolean {
  const spelled = platform === "win32" ? name.toUpperCase() : name;
  return routing.has(spelled) || configurationPair.test(spelled);
}

function isEnginesOwn(name: string, value: string): boolean {
  return value === pathAlone.value && name.toUpperCase() === pathAlone.name.toUpperCase();
}

/** What a child process is given: every variable has a value. */
export type Environment = Readonly<Record<string, string>>;

/**
 * The caller's environment for a command that runs in `directory`: without the variables that route Git and
 * what the engine set for itself, with Git's terminal prompts off, and with `PWD` naming the directory.
 */
export function commandEnvironment(
  caller: Readonly<Record<string, string | undefined>>,
  directory: string,
  platform: string = process.platform,
): Environment {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(caller)) {
    if (value === undefined || routesGit(name, platform)) continue;
    if (platform !== "win32" || !isEnginesOwn(name, value)) environment[name] = value;
  }
  environment["GIT_TERMINAL_PROMPT"] = "0";
  if (platform !== "win32") environment["PWD"] = directory;
  return environment;
}

/**
 * Why a process cannot be given this environment as it is, or undefined. The runtime replaces bytes that are not
 * UTF-8 by U+FFFD, and a Git that looks for its settings below a `HOME` so changed would find none and say nothing.
 *
 * A value can hold that character by itself: /proc (proc(5)) tells the two apart. Windows has text alone; elsewhere only
 * the engine's own variables are trusted.
 */
export function alteredVariable(
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (process.platform === "win32") return undefined;
  const suspects = Object.entries(environment).filter(([, value]) => value?.includes("\ufffd"));
  if (suspects.length === 0) return undefined;
  const broken = entriesNotUtf8();
  const altered = suspects.find(([name, value]) =>
    broken === null ? !name.startsWith("SATYRN_") : broken.has(`${name}=${value}`),
  );
  if (altered === undefined) return undefined;
  return `the environment variable ${altered[0]} holds bytes that are not UTF-8, which cannot be passed on as they are`;
}

/** Those of this process's environment, as the runtime reads them; null where they cannot be seen as they are. */
function entriesNotUtf8(): ReadonlySet<string> | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync("/proc/self/environ");
  } catch {
    return null;
  }
  const entries = bytes.toString("latin1").split("\0");
  const lossy = entries.map((entry) => [entry, Buffer.from(entry, "latin1").toString("utf8")] as const);
  const broken = lossy.filter(([entry, text]) => Buffer.from(text).toString("latin1") !== entry);
  return new Set(broken.map(([, text]) => text));
}
