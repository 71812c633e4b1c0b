/**
 * The strict command line: every flag declared, given at most once, with a value that is not empty.
 *
 * citty's definitions describe the surface; its own parser accepts unknown and repeated flags, and Node's
 * strict parser costs a sixth of a bare start to load, so the walk over argv is written out here.
 */
import type { ArgsDef } from "citty";
import { oneLine } from "../outcome.ts";

/** What was given, by name: a required flag or a positional as a string, a boolean flag as whether it was. */
export type Values<Args extends ArgsDef> = {
  readonly [Name in keyof Args]: Args[Name] extends { type: "boolean" }
    ? boolean
    : Args[Name] extends { type: "positional" } | { required: true }
      ? string
      : string | undefined;
};

/** A command line read by its definition. */
export interface CommandLine<Args extends ArgsDef> {
  readonly values: Values<Args>;
  /** The words after `--`, as they are, of a command that runs another. */
  readonly rest: readonly string[];
}

/** A malformed command line, in words for the person who typed it. */
export interface UsageError {
  readonly usage: string;
}

/**
 * Reads `argv` by `definition`; `"help"` if that is asked for. After a bare `--` every word is a positional,
 * or, if `restName` names them, a word of the command to run.
 */
export function parseArguments<const Args extends ArgsDef>(
  argv: readonly string[],
  definition: Args,
  restName?: string,
): CommandLine<Args> | UsageError | "help" {
  const flags: Record<string, string | boolean> = {};
  const end = argv.indexOf("--");
  const positionals: string[] = [];
  const words = argv.slice(0, end < 0 ? argv.length : end);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (!word.startsWith("-") || word === "-") {
      positionals.push(word);
      continue;
    }
    if (word === "--help" || word === "-h") return "help";
    const equals = word.indexOf("=");
    const name = flagName(equals < 0 ? word : word.slice(0, equals), definition);
    if (name === undefined) return { usage: `unknown flag ${oneLine(word)}` };
    if (name in flags) return { usage: `--${name} is given twice` };
    if (definition[name]?.type === "boolean") {
      if (equals >= 0) return { usage: `--${name} takes no value` };
      flags[name] = true;
      continue;
    }
    const value = equals < 0 ? words[++at] : word.slice(equals + 1);
    if (value === undefined) return { usage: `--${name} needs a value` };
    if (value === "") return { usage: `--${name} must not be empty` };
    flags[name] = value;
  }
  const rest = end < 0 ? [] : argv.slice(end + 1);
  if (restName === undefined) positionals.push(...rest);
  const problem = placePositionals(positionals, definition, flags) ?? findAbsent(flags, definition);
  if (problem !== undefined) return { usage: problem };
  if (restName !== undefined && rest.length === 0) return { usage: `${restName} is missing: it follows --` };
  // Every name of the definition now holds what its kind says.
  return { values: flags as Values<Args>, rest: restName === undefined ? [] : rest };
}

function flagName(word: string, definition: ArgsDef): string | undefined {
  const name = word.slice(2);
  if (!word.startsWith("--") || !Object.hasOwn(definition, name)) return undefined;
  return definition[name]?.type === "positional" ? undefined : name;
}

function placePositionals(
  words: readonly string[],
  definition: ArgsDef,
  values: Record<string, string | boolean>,
): string | undefined {
  const names = Object.keys(definition).filter((name) => definition[name]?.type === "positional");
  for (const [at, name] of names.entries()) {
    const word = words[at];
    if (word === undefined) return `${name.toUpperCase()} is missing`;
    if (word === "") return `${name.toUpperCase()} must not be empty`;
    values[name] = word;
  }
  const extra = words[names.length];
  return extra === undefined ? undefined : `unexpected argument ${oneLine(JSON.stringify(extra))}`;
}

/** Names a required flag that is absent; an absent boolean is false. */
function findAbsent(values: Record<string, string | boolean>, definition: ArgsDef): string | undefined {
  for (const [name, argument] of Object.entries(definition)) {
    if (name in values) continue;
    if (argument.type === "boolean") values[name] = false;
    else if (argument.required) return `--${name} is required`;
  }
  return undefined;
}
