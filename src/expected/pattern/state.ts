/** The state of one search: where it may come back to, and what it has used up. */
import type { Program } from "./program.ts";

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

/** A number of a program, a stack or the registers; whoever asks knows that it is there. */
export function word(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}

/** Counts work, and looks at the clock now and then. */
export function spend(matcher: Matcher, amount: number): void {
  matcher.work += amount;
  if (matcher.work < workBetweenLooks) return;
  matcher.work = 0;
  if (performance.now() > matcher.deadline) matcher.exhausted = "time";
}

const workBetweenLooks = 0x10000;

/** Leaves an attempt to come back to. */
export function pushChoice(matcher: Matcher, address: number, position: number, limit: number): void {
  if (matcher.choiceTop + 4 > matcher.choices.length) matcher.choices = grow(matcher, matcher.choices);
  const { choices, choiceTop } = matcher;
  choices[choiceTop] = address;
  choices[choiceTop + 1] = position;
  choices[choiceTop + 2] = matcher.undoTop;
  choices[choiceTop + 3] = limit;
  matcher.choiceTop += 4;
}

/** Sets a register so that going back restores it. */
export function setRegister(matcher: Matcher, register: number, value: number): void {
  if (matcher.undoTop + 2 > matcher.undo.length) matcher.undo = grow(matcher, matcher.undo);
  matcher.undo[matcher.undoTop] = register;
  matcher.undo[matcher.undoTop + 1] = word(matcher.registers, register);
  matcher.undoTop += 2;
  matcher.registers[register] = value;
}

/** Restores every register set since `undo` had this height. */
export function unwind(matcher: Matcher, height: number): void {
  const { undo, registers } = matcher;
  while (matcher.undoTop > height) {
    matcher.undoTop -= 2;
    registers[word(undo, matcher.undoTop)] = word(undo, matcher.undoTop + 1);
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
