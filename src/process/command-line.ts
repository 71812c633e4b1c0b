/** How a declared command is started. */
import { readFileSync, statSync } from "node:fs";
import { win32 } from "node:path";
import { oneLine, type Result, refusal, success } from "../outcome.ts";
import type { Environment } from "./environment.ts";
import { readShim } from "./shim.ts";
import { keepLast } from "./sinks.ts";
import { runTree } from "./tree.ts";

/** A line for the system's shell, or an argument vector: one of the two is there. */
export interface DeclaredCommand {
  readonly cmd?: string;
  readonly argv?: readonly string[];
}

/** What resolving a command asks of the system. */
export interface System {
  readonly platform: string;
  isFile(path: string): boolean;
  read(path: string): string;
  /** What Node prints when it runs `script` in `directory`; undefined if it fails. */
  runNode(
    node: string,
    script: string,
    directory: string,
    environment: Environment,
  ): Promise<string | undefined>;
}

export interface CommandLine {
  readonly argv: readonly string[];
  /**
   * Whether the words are joined by blanks as they are. Windows hands a program one line, and cmd.exe reads it by
   * rules of its own: it knows no backslash before a quote.
   */
  readonly verbatim: boolean;
}

/**
 * The words for `command`: a `cmd` goes to the system's shell, an `argv` is taken as it is. On Windows an
 * `argv` whose program is a Node command shim becomes the Node executable and the script it names.
 *
 * `SPAWN_ERROR` on Windows for a shim that sets NODE_PATH, and for any other batch file.
 */
export async function commandLine(
  command: DeclaredCommand,
  directory: string,
  environment: Environment,
  system: System = thisSystem,
): Promise<Result<CommandLine, "SPAWN_ERROR">> {
  const windows = system.platform === "win32";
  const exact = (argv: readonly string[]) => success({ argv, verbatim: false });
  if (command.cmd !== undefined) {
    if (!windows) return exact(["/bin/sh", "-c", command.cmd]);
    const shell = variable(environment, "COMSPEC") ?? "cmd.exe";
    // With /s cmd.exe takes off the first and the last quote, and reads what is between as it was typed.
    return success({ argv: [shell, "/d", "/s", "/c", `"${command.cmd}"`], verbatim: true });
  }
  const [name = "", ...rest] = command.argv ?? [];
  const program = windows ? findOnWindows(name, directory, environment, system) : undefined;
  if (program === undefined || !/\.(?:cmd|bat)$/i.test(program)) return exact([name, ...rest]);
  const start = await resolveShim(program, directory, environment, system);
  return start.ok ? exact([...start.value, ...rest]) : start;
}

const thisSystem: System = {
  platform: process.platform,
  isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true,
  read: (path) => readFileSync(path, "utf8"),
  runNode: async (node, script, directory, environment) => {
    const printed = keepLast(65536);
    const run = await runTree({
      argv: [node, script],
      cwd: directory,
      environment,
      deadline: 10_000,
      interruption: null,
      output: { kind: "apart", stdout: printed.sink, stderr: () => {} },
    });
    const worked = run.ending.kind === "exit" && run.ending.status === 0;
    return worked ? new TextDecoder().decode(printed.kept().bytes) : undefined;
  },
};

/** The file a program word names on Windows, its extension supplied from PATHEXT. */
function findOnWindows(
  name: string,
  directory: string,
  environment: Environment,
  system: System,
): string | undefined {
  const extensions = (variable(environment, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";").filter(Boolean);
  const typed = extensions.some((each) => name.toLowerCase().endsWith(each.toLowerCase()));
  const names = typed ? [name] : extensions.map((each) => name + each.toLowerCase());
  const folders = /[\\/]/.test(name) ? [directory] : pathFolders(environment);
  for (const folder of folders) {
    const found = names.map((each) => win32.resolve(folder, each)).find((path) => system.isFile(path));
    if (found !== undefined) return found;
  }
  return undefined;
}

function pathFolders(environment: Environment): readonly string[] {
  return (variable(environment, "PATH") ?? "").split(";").filter((folder) => win32.isAbsolute(folder));
}

/** Node and the arguments that stand before the caller's. */
async function resolveShim(
  shim: string,
  directory: string,
  environment: Environment,
  system: System,
): Promise<Result<readonly string[], "SPAWN_ERROR">> {
  const folder = win32.dirname(shim);
  const name = oneLine(shim);
  let start = readShim(system.read(shim));
  if (start.kind === "shim") {
    const other = win32.join(folder, start.shim);
    start = system.isFile(other) ? readShim(system.read(other)) : { kind: "other" };
  }
  if (start.kind === "sets NODE_PATH") {
    return refusal("SPAWN_ERROR", `'${name}' sets NODE_PATH: use argv with an explicit interpreter`);
  }
  if (start.kind === "other" || start.kind === "shim") {
    return refusal("SPAWN_ERROR", `'${name}' is a batch file: use argv with an explicit interpreter`);
  }
  const beside = win32.join(folder, "node.exe");
  const node = system.isFile(beside) ? beside : findOnWindows("node.exe", directory, environment, system);
  if (node === undefined) return refusal("SPAWN_ERROR", `'${name}' needs node.exe, which is not on PATH`);
  const script = win32.resolve(folder, start.script);
  if (start.kind === "node") return success([node, ...start.options, script]);
  const prefixScript = win32.resolve(folder, start.prefixScript);
  const printed = await system.runNode(node, prefixScript, directory, environment);
  const prefix = printed?.split(/\r?\n/).filter(Boolean).at(-1);
  const deferred = prefix === undefined ? undefined : win32.join(prefix, start.script);
  return success([node, deferred !== undefined && system.isFile(deferred) ? deferred : script]);
}

/** Windows' environment ignores case in names. */
function variable(environment: Environment, name: string): string | undefined {
  const found = Object.keys(environment).find((each) => each.toUpperCase() === name);
  return found === undefined ? undefined : environment[found];
}
