/** Help and usage texts, within 80 columns. */
import type { ArgsDef } from "citty";
import { type ExitName, exitStatus } from "../outcome.ts";
import type { Command } from "./command.ts";

/** The whole help of one command. */
export function commandHelp(command: Command): string {
  return join([
    `${command.summary}.`,
    `Usage:\n${folded(`  satyrn-engine ${synopsis(command)}`)}`,
    section("Arguments", positionals(command.args)),
    section("Flags", [...flags(command.args), ["-h, --help", "show this help"]]),
    `Example:\n  satyrn-engine ${command.example}`,
    section("Exit statuses", statuses(["OK", "USAGE", ...command.statuses])),
  ]);
}

/** The help of the program: every command and every exit status. */
export function programHelp(commands: readonly Command[]): string {
  return join([
    "Turn a bounded contract into a reviewed-and-proven candidate change, without\never touching your working tree.",
    "Usage:\n  satyrn-engine COMMAND [ARGUMENTS]",
    section(
      "Commands",
      commands.map(({ name, summary }) => [name, summary]),
    ),
    section("Flags", [
      ["-h, --help", "show this help, or a command's: satyrn-engine check --help"],
      ["--version [--json]", "show the version, the commit, and the protocol's version"],
    ]),
    `Example:\n  satyrn-engine ${commands[0]?.example}`,
    section("Exit statuses", statuses(Object.keys(meanings) as ExitName[])),
  ]);
}

/** `check --repo REPO CONTRACT` */
export function synopsis({ name, args, rest }: Command): string {
  const words = [name];
  for (const [flag, argument] of Object.entries(args)) {
    if (argument.type === "positional") continue;
    const word = spelling(flag, argument);
    words.push(argument.required ? word : `[${word}]`);
  }
  for (const [positional] of positionals(args)) words.push(positional);
  if (rest !== undefined) words.push("--", rest);
  return words.join(" ");
}

/** `line` in lines of at most 80 columns, broken between its words; what brackets hold together is one. */
function folded(line: string): string {
  const [first = "", ...words] = line.split(/ (?=\S)(?![^[]*\])/);
  const lines = [first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= 80) lines[lines.length - 1] = longer;
    else lines.push(`      ${word}`);
  }
  return lines.join("\n");
}

type Rows = readonly (readonly [string, string])[];

function positionals(args: ArgsDef): Rows {
  return Object.entries(args)
    .filter(([, argument]) => argument.type === "positional")
    .map(([name, argument]) => [name.toUpperCase(), argument.description ?? ""]);
}

function flags(args: ArgsDef): Rows {
  return Object.entries(args)
    .filter(([, argument]) => argument.type !== "positional")
    .map(([name, argument]) => [spelling(name, argument), argument.description ?? ""]);
}

function spelling(name: string, argument: ArgsDef[string]): string {
  return argument.type === "boolean" ? `--${name}` : `--${name} ${argument.valueHint ?? name.toUpperCase()}`;
}

const meanings: Readonly<Record<ExitName, string>> = {
  OK: "accepted, or done",
  USAGE: "malformed command line",
  CONTRACT_UNREADABLE: "contract missing or not a readable file",
  CONTRACT_INVALID_YAML: "contract is not valid YAML",
  CONTRACT_MISSING_FIELD: "contract field missing or of the wrong shape",
  REPO_UNAVAILABLE: "repository missing or not a directory",
  INVALID_REQUEST: "malformed protocol request",
  NO_CANDIDATE: "no candidate was made, or not a Git repository",
  MUTATION_REFUSED: "an accepted replacement was refused",
  ATTEMPT_FAILED: "an accepted attempt failed",
  TEST_COMMAND_UNAVAILABLE: "the test command could not be started",
  TEST_COMMAND_NOT_ALLOWED: "not the contract's test command",
  TESTS_FAILED: "reserved: the engine's run of the tests failed",
  BUDGET_EXHAUSTED: "reserved",
  ACCEPTANCE_BLOCKED: "acceptance could not be derived",
  ACCEPTANCE_FAILED: "acceptance was derived: FAILED",
};

/** Status 1 is in every list: it is what is left when no verdict was reached. */
function statuses(names: readonly ExitName[]): Rows {
  const rows = names.map((name) => [exitStatus[name], name, meanings[name]] as const);
  const all = [...rows, [1, "", "internal error, or a result nobody could read"] as const];
  return all
    .sort(([a], [b]) => a - b)
    .map(([status, name, meaning]) => [`${String(status).padStart(2)} ${name}`, meaning]);
}

function section(title: string, rows: Rows): string {
  if (rows.length === 0) return "";
  const width = Math.max(...rows.map(([left]) => left.length));
  return `${title}:\n${rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n")}`;
}

function join(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
