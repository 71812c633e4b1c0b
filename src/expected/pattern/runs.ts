/** Runs of one set: the repetitions that need no choice for each round. */
import type { Matcher } from "./state.ts";
import { spend } from "./state.ts";
import { characterAt } from "./text.ts";

/** The position after exactly `count` characters of `set`, or -1. */
export function runOver(matcher: Matcher, set: number, from: number, count: number): number {
  let position = from;
  for (let seen = 0; seen < count; seen++) {
    const character = characterAt(matcher.text, position);
    if (character < 0 || !inSet(matcher, set, character)) return -1;
    position += character > 0xffff ? 2 : 1;
  }
  spend(matcher, count);
  return position;
}

/** The position after as many characters of `set` as there are, at most `most`. */
export function runUpTo(matcher: Matcher, set: number, from: number, most: number): number {
  const { text } = matcher;
  const stop = matcher.program.sets[set]?.stop;
  if (stop !== undefined && most > text.length) {
    const found = stop === "" ? -1 : text.indexOf(stop, from);
    const end = found < 0 ? text.length : found;
    spend(matcher, (end - from) >> 4);
    return end;
  }
  let position = from;
  for (let seen = 0; seen < most; seen++) {
    const character = characterAt(text, position);
    if (character < 0 || !inSet(matcher, set, character)) break;
    position += character > 0xffff ? 2 : 1;
  }
  spend(matcher, position - from);
  return position;
}

function inSet(matcher: Matcher, set: number, character: number): boolean {
  const known = matcher.known[set];
  const answer = known?.[character];
  if (answer !== undefined && answer !== 0) return answer === 1;
  const held = matcher.program.sets[set]?.holds(character) === true;
  if (known !== undefined && answer !== undefined) known[character] = held ? 1 : 2;
  return held;
}
