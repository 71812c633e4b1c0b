/**
 * A backtracking matcher over a flat program, with the order of attempts of Python's `re`, and with two
 * limits: time, and memory for the attempts still open.
 */
import { isWord, lower } from "./characters.ts";
import { code, folds, type Program, places, unlimited } from "./program.ts";
import type { Place } from "./syntax.ts";

export interface Matcher {
  readonly program: Program;
  readonly text: string;
  /** Group borders (-1: none), then loop counters. */
  readonly registers: Int32Array;
  /**
   * Attempts to come back to, four numbers each: address, position, height of `undo`, and a limit. An
   * inverted address is that of a run of one set, which can give back or take one more character.
   */
  choices: Int32Array;
  choiceTop: number;
  /** Registers to restore on the way back, two numbers each: register, value. */
  undo: Int32Array;
  undoTop: number;
  /** What each set says of the first characters: 0 not asked yet, 1 yes, 2 no. */
  readonly known: readonly Uint8Array[];
  /** Time at which to give up, on the clock of `performance.now()`. */
  readonly deadline: number;
  /** Work done since the clock was last looked at. */
  work: number;
  exhausted: "time" | "memory" | undefined;
  /** Where to go on after `goBack`. */
  resume: number;
}

export function openMatcher(program: Program, text: string, deadline: number): Matcher {
  return {
    program,
    text,
    registers: new Int32Array(program.registers).fill(-1),
    choices: new Int32Array(1024),
    choiceTop: 0,
    undo: new Int32Array(1024),
    undoTop: 0,
    // The whole first plane, unless a pattern has so many sets that their tables would fill the memory.
    known: program.sets.map(() => new Uint8Array(program.sets.length > 256 ? 0x100 : 0x10000)),
    deadline,
    work: 0,
    exhausted: undefined,
    resume: 0,
  };
}

/** Whether the program matches at `position`. False as well once a limit is reached; then `exhausted` says so. */
export function matchesAt(matcher: Matcher, position: number): boolean {
  if (matcher.undoTop > 0) matcher.registers.fill(-1);
  matcher.undoTop = 0;
  matcher.choiceTop = 0;
  return run(matcher, 0, position) >= 0;
}

/** The code point at `position`, -1 at the end. */
export function characterAt(text: string, position: number): number {
  if (position >= text.length) return -1;
  const unit = text.charCodeAt(position);
  return unit >= 0xd800 && unit <= 0xdbff ? (text.codePointAt(position) as number) : unit;
}

/** Runs from `start` until a match ends; gives the position there, or -1. Leaves no choices behind. */
function run(matcher: Matcher, start: number, from: number): number {
  const { text, registers, program } = matcher;
  const base = matcher.choiceTop;
  const operand = (address: number) => program.code[address] as number;
  let at = start;
  let position = from;
  for (;;) {
    spend(matcher, 1);
    if (matcher.exhausted !== undefined) return -1;
    switch (program.code[at]) {
      case code.match:
        matcher.choiceTop = base;
        return position;
      case code.character: {
        const wanted = operand(at + 1);
        position = characterAt(text, position) === wanted ? position + (wanted > 0xffff ? 2 : 1) : -1;
        at += 2;
        break;
      }
      case code.set:
        position = runOver(matcher, operand(at + 1), position, 1);
        at += 2;
        break;
      case code.jump:
        at = operand(at + 1);
        break;
      case code.split:
        pushChoice(matcher, operand(at + 1), position, 0);
        at += 2;
        break;
      case code.save:
        setRegister(matcher, operand(at + 1), position);
        at += 2;
        break;
      case code.place:
        if (!isPlace(text, position, operand(at + 1), operand(at + 2) === 1)) position = -1;
        at += 3;
        break;
      case code.run:
      case code.runLazy:
      case code.runPossessive:
        position = runSet(matcher, at, position);
        at += 4;
        break;
      case code.enter:
        setRegister(matcher, operand(at + 1), -1);
        setRegister(matcher, operand(at + 1) + 1, -1);
        at += 2;
        break;
      case code.loop:
      case code.loopLazy:
        at = loop(matcher, at, position);
        break;
      case code.again:
        if (canRepeat(matcher, at, position)) beginRound(matcher, at, position);
        else position = -1;
        at = operand(at + 4);
        break;
      case code.look:
        if (!looks(matcher, at, position)) position = -1;
        at = operand(at + 3);
        break;
      case code.atomic:
        position = run(matcher, at + 2, position);
        at = operand(at + 1);
        break;
      case code.repeatAtomic:
        position = repeatAtomic(matcher, at, position);
        at = operand(at + 3);
        break;
      case code.reference:
        position = refer(matcher, operand(at + 1), operand(at + 2), position);
        at += 3;
        break;
      case code.condition:
        at = (registers[2 * operand(at + 1) + 1] as number) >= 0 ? at + 3 : operand(at + 2);
        break;
    }
    if (position >= 0) continue;
    position = goBack(matcher, base);
    if (position < 0) return -1;
    at = matcher.resume;
  }
}

/** Counts work, and looks at the clock now and then. */
function spend(matcher: Matcher, amount: number): void {
  matcher.work += amount;
  if (matcher.work < workBetweenLooks) return;
  matcher.work = 0;
  if (performance.now() > matcher.deadline) matcher.exhausted = "time";
}

const workBetweenLooks = 0x10000;

/** The latest attempt still open above `base`: its position (-1 if none), and its address in `resume`. */
function goBack(matcher: Matcher, base: number): number {
  const { choices, program } = matcher;
  while (matcher.choiceTop > base) {
    const top = matcher.choiceTop - 4;
    const address = choices[top] as number;
    unwind(matcher, choices[top + 2] as number);
    if (address >= 0) {
      matcher.choiceTop = top;
      matcher.resume = address;
      return choices[top + 1] as number;
    }
    matcher.resume = ~address + 4;
    const limit = choices[top + 3] as number;
    const before = choices[top + 1] as number;
    const greedy = program.code[~address] === code.run;
    const next = greedy
      ? giveBack(matcher, before, limit, matcher.resume)
      : limit > 0
        ? runOver(matcher, program.code[~address + 1] as number, before, 1)
        : -1;
    choices[top + 1] = next;
    if (!greedy) choices[top + 3] = limit - 1;
    if (next < 0 || (greedy && next === limit)) matcher.choiceTop = top;
    if (next >= 0) return next;
  }
  return -1;
}

/** A position before `before`, not below `least`, at which the instruction that follows may match. */
function giveBack(matcher: Matcher, before: number, least: number, following: number): number {
  const { text, program } = matcher;
  if (program.code[following] === code.character) {
    const wanted = program.code[following + 1] as number;
    let position = before;
    do position -= charactersWide(text, position);
    while (position > least && characterAt(text, position) !== wanted);
    spend(matcher, before - position);
    return position;
  }
  return before - charactersWide(text, before);
}

/** The width of the character that ends at `position`. */
function charactersWide(text: string, position: number): number {
  const unit = text.charCodeAt(position - 1);
  return unit >= 0xdc00 && unit <= 0xdfff ? 2 : 1;
}

function pushChoice(matcher: Matcher, address: number, position: number, limit: number): void {
  if (matcher.choiceTop + 4 > matcher.choices.length) matcher.choices = grow(matcher, matcher.choices);
  const { choices, choiceTop } = matcher;
  choices[choiceTop] = address;
  choices[choiceTop + 1] = position;
  choices[choiceTop + 2] = matcher.undoTop;
  choices[choiceTop + 3] = limit;
  matcher.choiceTop += 4;
}

function setRegister(matcher: Matcher, register: number, value: number): void {
  if (matcher.undoTop + 2 > matcher.undo.length) matcher.undo = grow(matcher, matcher.undo);
  matcher.undo[matcher.undoTop] = register;
  matcher.undo[matcher.undoTop + 1] = matcher.registers[register] as number;
  matcher.undoTop += 2;
  matcher.registers[register] = value;
}

function unwind(matcher: Matcher, height: number): void {
  const { undo, registers } = matcher;
  while (matcher.undoTop > height) {
    matcher.undoTop -= 2;
    registers[undo[matcher.undoTop] as number] = undo[matcher.undoTop + 1] as number;
  }
}

/** Numbers in one stack at most: 128 MB. */
const maxStack = 0x2000000;

function grow(matcher: Matcher, stack: Int32Array): Int32Array {
  if (stack.length >= maxStack) {
    matcher.exhausted = "memory";
    matcher.choiceTop = 0;
    matcher.undoTop = 0;
    return stack;
  }
  const larger = new Int32Array(stack.length * 2);
  larger.set(stack);
  return larger;
}

/** Matches `set` at least as often as asked, and leaves a choice for the rest. */
function runSet(matcher: Matcher, at: number, from: number): number {
  const { code: words } = matcher.program;
  const set = words[at + 1] as number;
  const least = runOver(matcher, set, from, words[at + 2] as number);
  if (least < 0) return -1;
  const more = (words[at + 3] as number) - (words[at + 2] as number);
  if (words[at] === code.runLazy) {
    pushChoice(matcher, ~at, least, more);
    return least;
  }
  const most = runUpTo(matcher, set, least, more);
  if (words[at] === code.run && most > least) pushChoice(matcher, ~at, most, least);
  return most;
}

/** The position after exactly `count` characters of `set`, or -1. */
function runOver(matcher: Matcher, set: number, from: number, count: number): number {
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
function runUpTo(matcher: Matcher, set: number, from: number, most: number): number {
  const { text } = matcher;
  const { stop } = matcher.program.sets[set] as { stop: string | undefined };
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
  const known = matcher.known[set] as Uint8Array;
  const answer = known[character];
  if (answer !== undefined && answer !== 0) return answer === 1;
  const held = matcher.program.sets[set]?.holds(character) === true;
  if (answer !== undefined) known[character] = held ? 1 : 2;
  return held;
}

/** At the foot of a loop: the address to go on at. */
function loop(matcher: Matcher, at: number, position: number): number {
  const { code: words } = matcher.program;
  const body = words[at + 4] as number;
  const register = words[at + 1] as number;
  const count = (matcher.registers[register] as number) + 1;
  if (count < (words[at + 2] as number)) {
    setRegister(matcher, register, count);
    return body;
  }
  if (words[at] === code.loopLazy) {
    // What follows the loop comes first; only if that fails, `again`, behind the jump out.
    pushChoice(matcher, at + 7, position, 0);
    return at + 5;
  }
  if (!canRepeat(matcher, at, position)) return at + 5;
  pushChoice(matcher, at + 5, position, 0);
  beginRound(matcher, at, position);
  return body;
}

/** Whether a loop may go round once more: it has rounds left, and the last one was not empty. */
function canRepeat(matcher: Matcher, at: number, position: number): boolean {
  const register = matcher.program.code[at + 1] as number;
  const most = matcher.program.code[at + 3] as number;
  const count = (matcher.registers[register] as number) + 1;
  return (most === unlimited || count < most) && matcher.registers[register + 1] !== position;
}

function beginRound(matcher: Matcher, at: number, position: number): void {
  const register = matcher.program.code[at + 1] as number;
  setRegister(matcher, register, (matcher.registers[register] as number) + 1);
  setRegister(matcher, register + 1, position);
}

/** A look ahead or behind. Groups keep what a positive one matched, and nothing of a negative one. */
function looks(matcher: Matcher, at: number, position: number): boolean {
  const { code: words } = matcher.program;
  const negated = words[at + 1] === 1;
  const from = stepBack(matcher.text, position, words[at + 2] as number);
  if (from < 0) return negated;
  const height = matcher.undoTop;
  const found = run(matcher, at + 4, from) >= 0;
  if (negated || !found) unwind(matcher, height);
  return found !== negated;
}

/** `count` characters before `position`; -1 if there are not so many. A `count` of -1 stays where it is. */
function stepBack(text: string, position: number, count: number): number {
  let from = position;
  for (let left = count; left > 0; left--) {
    if (from <= 0) return -1;
    from -= charactersWide(text, from);
  }
  return from;
}

/** A possessive loop: each round is matched for itself and never given back. */
function repeatAtomic(matcher: Matcher, at: number, from: number): number {
  const { code: words } = matcher.program;
  const most = words[at + 2] as number;
  let position = from;
  let last = -1;
  for (let count = 0; most === unlimited || count < most; count++) {
    const needed = count < (words[at + 1] as number);
    if (!needed && position === last) break;
    const height = matcher.undoTop;
    const next = run(matcher, at + 4, position);
    if (next < 0) {
      unwind(matcher, height);
      if (needed) return -1;
      break;
    }
    if (!needed) last = position;
    position = next;
  }
  return matcher.exhausted === undefined ? position : -1;
}

function refer(matcher: Matcher, group: number, fold: number, from: number): number {
  const { text, registers } = matcher;
  const start = registers[2 * group] as number;
  const end = registers[2 * group + 1] as number;
  if (start < 0 || end < start) return -1;
  const length = end - start;
  spend(matcher, length);
  if (fold === 0) return text.startsWith(text.slice(start, end), from) ? from + length : -1;
  let position = from;
  for (let at = start; at < end; ) {
    const wanted = characterAt(text, at);
    const found = characterAt(text, position);
    if (found < 0 || lower(found, folds[fold] ?? "exact") !== lower(wanted, folds[fold] ?? "exact"))
      return -1;
    at += wanted > 0xffff ? 2 : 1;
    position += found > 0xffff ? 2 : 1;
  }
  return position;
}

function isPlace(text: string, position: number, place: number, ascii: boolean): boolean {
  const { length } = text;
  switch (places[place] as Place) {
    case "start":
      return position === 0;
    case "line start":
      return position === 0 || text.charCodeAt(position - 1) === newline;
    case "very end":
      return position === length;
    case "end":
      return position === length || (position === length - 1 && text.charCodeAt(position) === newline);
    case "line end":
      return position === length || text.charCodeAt(position) === newline;
    case "boundary":
      return isBoundary(text, position, ascii);
    case "no boundary":
      // Python (before 3.14) finds neither a boundary nor its absence in an empty text.
      return length > 0 && !isBoundary(text, position, ascii);
  }
}

const newline = 10;

function isBoundary(text: string, position: number, ascii: boolean): boolean {
  const before = position > 0 && isWord(characterAt(text, position - charactersWide(text, position)), ascii);
  const after = position < text.length && isWord(characterAt(text, position), ascii);
  return before !== after;
}
