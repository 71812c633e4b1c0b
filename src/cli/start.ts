/** From the command line to a command, its help, or a usage error. */
import { type ExitStatus, exitStatus, internalError, oneLine } from "../outcome.ts";
import type { Command } from "./command.ts";
import { commands } from "./commands.ts";
import { writeNote, writeResult } from "./streams.ts";

/** Runs what `argv`, without the program's name, asks for. */
export async function start(argv: readonly string[]): Promise<ExitStatus> {
  const [name, ...words] = argv;
  if (argv.some((word) => word.includes("\ufffd"))) {
    const { areExact } = await import("./exact.ts");
    if (!areExact()) return usageError("an argument is not valid UTF-8");
  }
  if (name === undefined) return usageError("a command is missing");
  if (name === "--help" || name === "-h") return words.length === 0 ? printProgramHelp() : surplus(words);
  if (name === "--version" || name === "--json") return printVersion(argv);
  if (!Object.hasOwn(commands, name)) {
    return usageError(
      name.startsWith("-") ? `unknown flag ${oneLine(name)}` : `unknown command ${quoted(name)}`,
    );
  }
  const command = await load(name);
  const outcome = await command.start(words);
  if (outcome === "help") {
    const { commandHelp } = await import("./help.ts");
    return print(commandHelp(command));
  }
  return typeof outcome === "number" ? outcome : usageError(outcome.usage, command);
}

async function load(name: string): Promise<Command> {
  const entry = commands[name];
  if (entry === undefined) throw new Error(`no command ${name}`);
  return (await entry.load()).command;
}

async function printProgramHelp(): Promise<ExitStatus> {
  const { programHelp } = await import("./help.ts");
  return print(programHelp(await Promise.all(Object.keys(commands).map(load))));
}

async function printVersion(argv: readonly string[]): Promise<ExitStatus> {
  const { version, versionLine } = await import("./version.ts");
  const asJson = argv.includes("--json");
  const expected = asJson ? 2 : 1;
  if (!argv.includes("--version")) return usageError("unknown flag --json");
  if (argv.length !== expected)
    return surplus(argv.filter((word) => word !== "--version" && word !== "--json"));
  return print(`${asJson ? JSON.stringify(version) : versionLine(version)}\n`);
}

function print(text: string): ExitStatus {
  return writeResult(text) ? exitStatus.OK : internalError;
}

function surplus(words: readonly string[]): Promise<ExitStatus> {
  return usageError(`unexpected argument ${quoted(words[0] ?? "")}`);
}

function quoted(word: string): string {
  return oneLine(JSON.stringify(word));
}

async function usageError(problem: string, command?: Command): Promise<ExitStatus> {
  const { synopsis } = await import("./help.ts");
  const usage = command ? synopsis(command) : "COMMAND [ARGUMENTS]";
  const help = command ? `${command.name} --help` : "--help";
  writeNote(`satyrn-engine: USAGE: ${problem}\nUsage: satyrn-engine ${usage}\nTry:   satyrn-engine ${help}`);
  return exitStatus.USAGE;
}
