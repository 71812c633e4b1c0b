/** What a subcommand is: its surface as data, and what it does. One file a command, listed in commands.ts. */
import type { ArgsDef } from "citty";
import type { ExitName, ExitStatus } from "../outcome.ts";
import { type CommandLine, parseArguments, type UsageError } from "./arguments.ts";

/** What a shell offers in a value's place: names of files, of folders, or these words; nothing, if left out. */
export type Offer = "file" | "folder" | readonly string[];

type Arguments = Readonly<Record<string, ArgsDef[string] & { readonly offer?: Offer }>>;

/** The flags of the program itself, where no command is given. */
export const programFlags = {
  version: { type: "boolean", description: "show the version, the commit, and the protocol's version" },
  json: { type: "boolean", description: "show the version as JSON" },
} as const satisfies Arguments;

interface Surface {
  readonly name: string;
  /** What it does, in one line that begins with a verb. */
  readonly summary: string;
  /** Flags and positionals, positionals in their order. */
  readonly args: Arguments;
  /** The name of the words after `--`, for a command that runs another. */
  readonly rest?: string;
  /** A command line that works, without the program's name. */
  readonly example: string;
  /** The exit statuses it has besides OK and USAGE. */
  readonly statuses: readonly ExitName[];
}

interface Definition<Args extends Arguments> extends Surface {
  readonly args: Args;
  /** A usage error is one that only the meaning of the values shows. */
  readonly run: (line: CommandLine<Args>) => Outcome | Promise<Outcome>;
}

type Outcome = ExitStatus | UsageError;

export interface Command extends Surface {
  /** Reads the words after the command's name; gives the status to exit with, or what to tell instead. */
  readonly start: (argv: readonly string[]) => Outcome | Promise<Outcome> | "help";
}

export function defineCommand<const Args extends Arguments>(definition: Definition<Args>): Command {
  const { run, ...surface } = definition;
  return {
    ...surface,
    start(argv) {
      const line = parseArguments(argv, definition.args, definition.rest);
      return line === "help" || "usage" in line ? line : run(line);
    },
  };
}
