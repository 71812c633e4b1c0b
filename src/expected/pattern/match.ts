/**
 * A backtracking matcher over a flat program, with the order of attempts of Python's `re`, and with two
 * limits: time, and memory for the attempts still open.
 */
import { lower } from "./characters.ts";
import { code, folds, unlimited } from "./program.ts";
import { runOver, runUpTo } from "./runs.ts";
import { type Matcher, pushChoice, setRegister, spend, unwind, word } from "./state.ts";
import { characterAt, isPlace, stepBack, widthBefore } from "./text.ts";

/** Whether the program matches at `position`. False as well once a limit is reached; then `exhausted` says so. */
export function matchesAt(matcher: Matcher, position: number): boolean {
  if (matcher.undoTop > 0) matcher.registers.fill(-1);
  matcher.undoTop = 0;
  matcher.choiceTop = 0;
  return run(matcher, 0, position) >= 0;
}

/** Runs from `start` until a match ends; gives the position there, or -1. Leaves no choices behind. */
function run(matcher: Matcher, start: number, from: number): number {
  const { text, registers, program } = matcher;
  const base = matcher.choiceTop;
  const operand = (address: number) => word(program.code, address);
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
        at = word(registers, 2 * operand(at + 1) + 1) >= 0 ? at + 3 : operand(at + 2);
        break;
    }
    if (position >= 0) continue;
    position = goBack(matcher, base);
    if (position < 0) return -1;
    at = matcher.resume;
  }
}

/** The latest attempt still open above `base`: its position (-1 if none), and its address in `resume`. */
function goBack(matcher: Matcher, base: number): number {
  const { choices, program } = matcher;
  while (matcher.choiceTop > base) {
    const top = matcher.choiceTop - 4;
    const address = word(choices, top);
    unwind(matcher, word(choices, top + 2));
    if (address >= 0) {
      matcher.choiceTop = top;
      matcher.resume = address;
      return word(choices, top + 1);
    }
    matcher.resume = ~address + 4;
    const limit = word(choices, top + 3);
    const before = word(choices, top + 1);
    const greedy = program.code[~address] === code.run;
    const next = greedy
      ? giveBack(matcher, before, limit, matcher.resume)
      : limit > 0
        ? runOver(matcher, word(program.code, ~address + 1), before, 1)
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
    const wanted = word(program.code, following + 1);
    let position = before;
    do position -= widthBefore(text, position);
    while (position > least && characterAt(text, position) !== wanted);
    spend(matcher, before - position);
    return position;
  }
  return before - widthBefore(text, before);
}

/** Matches `set` at least as often as asked, and leaves a choice for the rest. */
function runSet(matcher: Matcher, at: number, from: number): number {
  const { code: words } = matcher.program;
  const set = word(words, at + 1);
  const least = runOver(matcher, set, from, word(words, at + 2));
  if (least < 0) return -1;
  const more = word(words, at + 3) - word(words, at + 2);
  if (words[at] === code.runLazy) {
    pushChoice(matcher, ~at, least, more);
    return least;
  }
  const most = runUpTo(matcher, set, least, more);
  if (words[at] === code.run && most > least) pushChoice(matcher, ~at, most, least);
  return most;
}

/** At the foot of a loop: the address to go on at. */
function loop(matcher: Matcher, at: number, position: number): number {
  const { code: words } = matcher.program;
  const body = word(words, at + 4);
  const register = word(words, at + 1);
  const count = word(matcher.registers, register) + 1;
  if (count < word(words, at + 2)) {
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
  const register = word(matcher.program.code, at + 1);
  const most = word(matcher.program.code, at + 3);
  const count = word(matcher.registers, register) + 1;
  return (most === unlimited || count < most) && matcher.registers[register + 1] !== position;
}

function beginRound(matcher: Matcher, at: number, position: number): void {
  const register = word(matcher.program.code, at + 1);
  setRegister(matcher, register, word(matcher.registers, register) + 1);
  setRegister(matcher, register + 1, position);
}

/** A look ahead or behind. Groups keep what a positive one matched, and nothing of a negative one. */
function looks(matcher: Matcher, at: number, position: number): boolean {
  const { code: words } = matcher.program;
  const negated = words[at + 1] === 1;
  const from = stepBack(matcher.text, position, word(words, at + 2));
  if (from < 0) return negated;
  const height = matcher.undoTop;
  const found = run(matcher, at + 4, from) >= 0;
  if (negated || !found) unwind(matcher, height);
  return found !== negated;
}

/** A possessive loop: each round is matched for itself and never given back. */
function repeatAtomic(matcher: Matcher, at: number, from: number): number {
  const { code: words } = matcher.program;
  const most = word(words, at + 2);
  let position = from;
  let last = -1;
  for (let count = 0; most === unlimited || count < most; count++) {
    const needed = count < word(words, at + 1);
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
  const start = word(registers, 2 * group);
  const end = word(registers, 2 * group + 1);
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
