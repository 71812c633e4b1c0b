/** What of a command a shell can complete. */
import { type Command, type Offer, programFlags } from "../command.ts";

export interface Surface {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  /** What is offered for each positional, in their order. */
  readonly places: readonly Place[];
  /** Whether the words after `--` are another program's command line. */
  readonly runsAnother: boolean;
}

export interface Place {
  /** The word that help has for it. */
  readonly hint: string;
  readonly offer: Offer | undefined;
}

export interface Flag {
  /** As it is written: `--repo`. */
  readonly word: string;
  readonly summary: string;
  /** Undefined if it takes no value. */
  readonly value: Place | undefined;
}

export function surfaceOf({ name, summary, args, rest }: Command): Surface {
  const flags: Flag[] = [];
  const places: Place[] = [];
  for (const [key, argument] of Object.entries(args)) {
    const { type, description = "", offer } = argument;
    const hint = "valueHint" in argument ? argument.valueHint : undefined;
    const place = { hint: hint ?? key.toUpperCase(), offer };
    if (type === "positional") places.push(place);
    else
      flags.push({ word: `--${key}`, summary: description, value: type === "boolean" ? undefined : place });
  }
  return { name, summary, flags: [...flags, help], places, runsAnother: rest !== undefined };
}

const help: Flag = { word: "--help", summary: "show help", value: undefined };

/** What is offered before a command is given, besides the commands. */
export const flagsOfProgram: readonly Flag[] = [
  ...Object.entries(programFlags).map(([key, { description }]) => ({
    word: `--${key}`,
    summary: description,
    value: undefined,
  })),
  help,
];

/** Each value that something is offered for, with the command and the flag or place it belongs to. */
export function offers(
  surfaces: readonly Surface[],
): readonly { readonly at: string; readonly offer: Offer }[] {
  return surfaces.flatMap(({ name, flags, places }) => [
    ...flags.flatMap(({ word, value }) =>
      value?.offer ? [{ at: `${name} ${word}`, offer: value.offer }] : [],
    ),
    ...places.flatMap(({ offer }, at) => (offer ? [{ at: `${name} ${at}`, offer }] : [])),
  ]);
}

/** Each flag that takes a value, behind its command. */
export function takingValues(surfaces: readonly Surface[]): readonly string[] {
  return surfaces.flatMap(({ name, flags }) =>
    flags.flatMap(({ word, value }) => (value === undefined ? [] : [`${name} ${word}`])),
  );
}
