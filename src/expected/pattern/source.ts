/** The text of a pattern while it is read, what is known of its groups so far, and its first problem. */
import type { Fold } from "./syntax.ts";
import type { Width } from "./width.ts";

export interface Source {
  readonly characters: readonly string[];
  index: number;
  problem: string | undefined;
  /** Width of each group by number; undefined while it is open. Group 0 is never referred to. */
  readonly groupWidths: (Width | undefined)[];
  readonly groupNames: Map<string, number>;
  /** Group numbers that conditions ask about; such a group may come later. */
  readonly conditions: Set<number>;
  /** How many groups there were when the outermost open lookbehind began. */
  lookBehindGroups: number | undefined;
  /** Whether (?u) stands at the start, which says what is so anyway, and yet rules out (?a) there. */
  saysUnicode: boolean;
}

export function openSource(text: string): Source {
  return {
    characters: Array.from(text),
    index: 0,
    problem: undefined,
    groupWidths: [undefined],
    groupNames: new Map(),
    conditions: new Set(),
    lookBehindGroups: undefined,
    saysUnicode: false,
  };
}

export function at(source: Source): number {
  return source.index;
}

export function peek(source: Source): string | undefined {
  return source.characters[source.index];
}

export function take(source: Source): string | undefined {
  return source.characters[source.index++];
}

export function matchNext(source: Source, character: string): boolean {
  if (peek(source) !== character) return false;
  source.index++;
  return true;
}

/** The text up to `end`, which is taken too; undefined if it never comes. A backslash hides what follows it. */
export function takeUntil(source: Source, end: string): string | undefined {
  let text = "";
  for (;;) {
    const next = take(source);
    if (next === undefined || next === end) return next === undefined ? undefined : text;
    text += next === "\\" ? next + (take(source) ?? "") : next;
  }
}

/** Up to `most` characters that `allowed` matches. */
export function takeWhile(source: Source, allowed: RegExp, most = Number.POSITIVE_INFINITY): string {
  let text = "";
  for (;;) {
    const next = peek(source);
    if (next === undefined || text.length >= most || !allowed.test(next)) return text;
    text += next;
    source.index++;
  }
}

/** Keeps the first problem, and ends the reading: nothing is left to take. */
export function fail(source: Source, problem: string, position: number): void {
  source.problem ??= `${problem} at position ${position}`;
  source.index = source.characters.length;
}

export interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly verbose: boolean;
  readonly ascii: boolean;
}

export const noFlags: Flags = {
  ignoreCase: false,
  multiline: false,
  dotAll: false,
  verbose: false,
  ascii: false,
};

/** `flags` with those of the letters `on` set and those of `off` cleared. */
export function changeFlags(flags: Flags, on: string, off: string): Flags {
  const changed = (letter: string, before: boolean) =>
    (before || on.includes(letter)) && !off.includes(letter);
  return {
    ignoreCase: changed("i", flags.ignoreCase),
    multiline: changed("m", flags.multiline),
    dotAll: changed("s", flags.dotAll),
    verbose: changed("x", flags.verbose),
    ascii: changed("a", flags.ascii),
  };
}

export function foldOf(flags: Flags): Fold {
  if (!flags.ignoreCase) return "exact";
  return flags.ascii ? "ascii" : "unicode";
}
