/**
 * The strict command line: every flag declared, given at most once, with a value that is not empty.
 *
 * citty's definitions describe the surface; its own parser accepts unknown and repeated flags, and Node's
 * strict parser costs a sixth of a bare start to load, so the walk over argv is written out here.
 */
import type { ArgsDef } from "citty";

export interface CommandLine {
  /** Flag values by name; a boolean flag holds "". */
  readonly flags: Readonly<Record<string, string>>;
  readonly positionals: readonly string[];
}

/** A malformed command line, in words for the person who typed it. */
export interface UsageError {
  readonly usage: string;
}

/** Reads `argv` by `definition`. Everything after a bare `--` is positional. */
export function parseArguments(argv: readonly string[], definition: ArgsDef): CommandLine | UsageError {
  const flags: Record<string, string> = Object.create(null);
  const positionals: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string;
    if (word === "--") {
      positionals.push(...argv.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      positionals.push(word);
      continue;
    }
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const name = flagName(equals < 0 ? word : word.slice(0, equals), definition);
    if (name === undefined) return { usage: `unknown flag ${word}` };
    if (name in flags) return { usage: `--${name} is given twice` };
    if (definition[name]?.type === "boolean") {
      if (equals >= 0) return { usage: `--${name} takes no value` };
      flags[name] = "";
      continue;
    }
    const value = equals < 0 ? argv[++at] : word.slice(equals + 1);
    if (value === undefined || value === "--") return { usage: `--${name} needs a value` };
    if (value === "") return { usage: `--${name} must not be empty` };
    flags[name] = value;
  }
  return checkCounts({ flags, positionals }, definition);
}

function flagName(word: string, definition: ArgsDef): string | undefined {
  const long = word.startsWith("--") ? word.slice(2) : undefined;
  for (const [name, argument] of Object.entries(definition)) {
    if (argument.type !== "string" && argument.type !== "boolean") continue;
    if (long === name) return name;
    if (long === undefined && [argument.alias ?? []].flat().includes(word.slice(1))) return name;
  }
  return undefined;
}

function checkCounts(line: CommandLine, definition: ArgsDef): CommandLine | UsageError {
  if ("help" in line.flags) return line;
  const declared = Object.entries(definition);
  for (const [name, argument] of declared) {
    if (argument.type === "string" && argument.required && !(name in line.flags)) {
      return { usage: `--${name} is required` };
    }
  }
  const names = declared.filter(([, argument]) => argument.type === "positional").map(([name]) => name);
  const missing = names[line.positionals.length];
  if (missing !== undefined) return { usage: `${missing.toUpperCase()} is missing` };
  const extra = line.positionals[names.length];
  if (extra !== undefined) return { usage: `unexpected argument ${JSON.stringify(extra)}` };
  const empty = line.positionals.indexOf("");
  if (empty >= 0) return { usage: `${(names[empty] as string).toUpperCase()} must not be empty` };
  return line;
}
