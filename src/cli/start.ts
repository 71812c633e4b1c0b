/** From the command line to a command, its help, or a usage error. */
import { type ExitStatus, exitStatus, internalError, oneLine } from "../outcome.ts";
import type { Version } from "../version.ts";
import { parseArguments } from "./arguments.ts";
import { type Command, programFlags } from "./command.ts";
import { commands, loadAll } from "./commands.ts";
import { writeNote, writeResult } from "./streams.ts";

/** Runs what `argv`, without the program's name, asks for. */
export async function start(argv: readonly string[]): Promise<ExitStatus> {
  const [name, ...words] = argv;
  if (argv.some((word) => word.includes("\ufffd"))) {
    const { areExact } = await import("./exact.ts");
    if (!areExact()) return usageError("an argument is not valid UTF-8");
  }
  if (name === undefined) return usageError("a command is missing");
  if (name === "--help" || name === "-h") return printProgramHelp();
  if (name === "--version" || name === "--json") return printVersion(argv);
  if (!Object.hasOwn(commands, name)) {
    return usageError(
      name.startsWith("-")
        ? `unknown flag ${oneLine(name)}`
        : `unknown command ${oneLine(JSON.stringify(name))}`,
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
  return print(programHelp(await loadAll()));
}

async function printVersion(argv: readonly string[]): Promise<ExitStatus> {
  const line = parseArguments(argv, programFlags);
  if (line === "help") return printProgramHelp();
  if ("usage" in line) return usageError(line.usage);
  if (!line.values.version) return usageError("unknown flag --json");
  const { version } = await import("../version.ts");
  const { protocolVersion } = await import("../protocol/version.ts");
  const about = { ...version, protocol: protocolVersion };
  return print(`${line.values.json ? JSON.stringify(about) : versionLine(about)}\n`);
}

/** `satyrn-engine 1.2.3 (0123456789ab, bun 1.4.5, protocol 1)` */
function versionLine(about: Version & { readonly protocol: number }): string {
  return `satyrn-engine ${about.version} (${about.commit}, bun ${about.bun}, protocol ${about.protocol})`;
}

function print(text: string): ExitStatus {
  return writeResult(text) ? exitStatus.OK : internalError;
}

async function usageError(problem: string, command?: Command): Promise<ExitStatus> {
  const { synopsis } = await import("./help.ts");
  const usage = command ? synopsis(command) : "COMMAND [ARGUMENTS]";
  const help = command ? `${command.name} --help` : "--help";
  writeNote(`satyrn-engine: USAGE: ${problem}\nUsage: satyrn-engine ${usage}\nTry:   satyrn-engine ${help}`);
  return exitStatus.USAGE;
}
