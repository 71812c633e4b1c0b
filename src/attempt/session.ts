/** The Pi that an attempt runs: its program, its arguments, its environment. */
import { existsSync, realpathSync } from "node:fs";
import { delimiter, isAbsolute, relative } from "node:path";
import type { Folders } from "../files/identity.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { commandLine } from "../process/command-line.ts";
import { commandEnvironment, type Environment } from "../process/environment.ts";
import { trustedProgram } from "../process/trusted-program.ts";
import type { Bench } from "./bench.ts";

type Caller = Readonly<Record<string, string | undefined>>;

/**
 * The argv prefix of Pi: `SATYRN_PI` as a JSON list of words, else `pi`. The program is resolved once, on the
 * absolute elements of PATH that lie outside of `outside`. `NO_PI` says what is wrong.
 */
export async function piProgram(
  caller: Caller,
  directory: string,
  outside: Folders,
): Promise<Result<readonly string[], "NO_PI">> {
  const value = caller["SATYRN_PI"];
  const expected =
    'SATYRN_PI must be a JSON list of words, the program first, such as ["node","/opt/pi/cli.js"]';
  if (!value) return resolved(["pi"], caller, directory, outside);
  let list: unknown;
  try {
    list = JSON.parse(value);
  } catch {
    return refusal("NO_PI", `${expected}; it is not JSON`);
  }
  const [program, ...rest] = isWords(list) ? list : [];
  return program ? resolved([program, ...rest], caller, directory, outside) : refusal("NO_PI", expected);
}

async function resolved(
  [program, ...rest]: readonly [string, ...string[]],
  caller: Caller,
  directory: string,
  outside: Folders,
): Promise<Result<readonly string[], "NO_PI">> {
  // On Windows npm installs a batch file, whose Node and script are started instead of it.
  const line = await commandLine(
    { argv: [program, ...rest] },
    directory,
    commandEnvironment(caller, directory),
  );
  if (!line.ok) return refusal("NO_PI", line.message);
  const [name = "", ...words] = line.value.argv;
  if (isAbsolute(name)) return success([name, ...words]);
  if (/[/\\]/.test(name))
    return refusal("NO_PI", `Pi must be an absolute path or a name on PATH, not '${name}'`);
  const repository = outside.filter(existsSync).map((path) => realpathSync.native(path));
  const path = trustedProgram(name, caller["PATH"], repository);
  if (path !== undefined) return success([path, ...words]);
  return refusal("NO_PI", `'${name}' is in no absolute folder of PATH outside of the repository`);
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

/** The arguments after the prefix: one turn of `model`, with the bounded tools and nothing else of the machine. */
export function piArguments(
  model: string,
  { extensions }: Bench,
  hasTests: boolean,
  prompt: string,
): readonly string[] {
  return [
    ...["--print", "--mode", "json", "--no-session", "--model", model, "--no-extensions"],
    ...["--extension", extensions.loopBreaker, "--extension", extensions.edit],
    ...(hasTests ? ["--extension", extensions.bash] : []),
    ...[
      "--no-skills",
      "--no-prompt-templates",
      "--no-themes",
      "--no-context-files",
      "--no-mcp",
      "--no-approve",
    ],
    ...["--tools", hasTests ? "read,edit,bash" : "read,edit", "--", prompt],
  ];
}

/**
 * The caller's environment without what belongs to the caller's own shell: Git's routing, a Python environment
 * and its place on PATH, the agent that holds keys.
 */
export function piEnvironment(
  caller: Caller,
  directory: string,
  engine: string,
  context: string,
): Environment {
  const { VIRTUAL_ENV: python, SSH_AUTH_SOCK: _, ...rest } = caller;
  const path = python ? withoutPlacesIn(python, rest["PATH"]) : rest["PATH"];
  return {
    ...commandEnvironment({ ...rest, PATH: path }, directory),
    SATYRN_ENGINE: engine,
    SATYRN_MUTATION_CONTEXT: context,
  };
}

function withoutPlacesIn(folder: string, path: string | undefined): string | undefined {
  return path
    ?.split(delimiter)
    .filter((place) => place === "" || isOutside(relative(folder, place)))
    .join(delimiter);
}

function isOutside(way: string): boolean {
  return way === ".." || way.startsWith("../") || way.startsWith("..\\") || /^([A-Za-z]:|\/)/.test(way);
}
