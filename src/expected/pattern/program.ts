/**
 * Turns a parsed pattern into a flat program for the matcher.
 *
 * A program instead of nested functions, because a match then lives on one array that can grow to any size:
 * a pattern that matches a line of a megabyte must not overflow the call stack.
 */
import { membership } from "./characters.ts";
import { type CharacterSet, type Fold, literalOf, type Node, type Pattern, type Place } from "./syntax.ts";

/** Instructions, with their operands. Addresses are absolute. */
export const code = {
  match: 0,
  /** character */
  character: 1,
  /** set */
  set: 2,
  /** address */
  jump: 3,
  /** address to try if what follows fails */
  split: 4,
  /** register */
  save: 5,
  /** place, ASCII only */
  place: 6,
  /** set, least, most */
  run: 7,
  runLazy: 8,
  runPossessive: 9,
  /** register of the count (the next one holds where the last round began) */
  enter: 10,
  /** register, least, most, address of the body; what follows the loop follows this */
  loop: 11,
  loopLazy: 12,
  /** like loopLazy, on the way back: one more round */
  again: 13,
  /** negated, characters to step back or -1, address behind the body */
  look: 14,
  /** address behind the body */
  atomic: 15,
  /** least, most, address behind the body */
  repeatAtomic: 16,
  /** group, fold */
  reference: 17,
  /** group, address of the other branch */
  condition: 18,
} as const;

export const places = [
  "start",
  "line start",
  "end",
  "line end",
  "very end",
  "boundary",
  "no boundary",
] as const satisfies readonly Place[];

export const folds = ["exact", "ascii", "unicode"] as const satisfies readonly Fold[];

/** More than any text is long. */
export const unlimited = 0x7fffffff;

export interface Program {
  readonly code: Int32Array;
  readonly sets: readonly ProgramSet[];
  /** How many registers: two for each group, the whole match included, then two for each counted loop. */
  readonly registers: number;
}

export interface ProgramSet {
  readonly holds: (character: number) => boolean;
  /** The one character the set lacks; "" if it lacks none, undefined if it lacks several. */
  readonly stop: string | undefined;
}

/** The program that matches `pattern` at one position. */
export function compilePattern(pattern: Pattern): Program {
  const draft: Draft = { code: [], sets: [], setNumbers: new Map(), registers: 2 * (pattern.groups + 1) };
  emit(draft, pattern.root);
  draft.code.push(code.match);
  return { code: Int32Array.from(draft.code), sets: draft.sets, registers: draft.registers };
}

interface Draft {
  readonly code: number[];
  readonly sets: ProgramSet[];
  /** Number of each set by its content: one used twice is asked once. */
  readonly setNumbers: Map<string, number>;
  registers: number;
}

function emit(draft: Draft, node: Node): void {
  switch (node.kind) {
    case "set": {
      const character = literalOf(node);
      if (character !== undefined) draft.code.push(code.character, character);
      else draft.code.push(code.set, addSet(draft, node.set));
      return;
    }
    case "place":
      draft.code.push(code.place, places.indexOf(node.place), Number(node.ascii));
      return;
    case "sequence":
      for (const item of node.items) emit(draft, item);
      return;
    case "branch":
      emitBranch(draft, node.alternatives);
      return;
    case "repeat":
      emitRepeat(draft, node);
      return;
    case "group":
      draft.code.push(code.save, 2 * node.index);
      emit(draft, node.body);
      draft.code.push(code.save, 2 * node.index + 1);
      return;
    case "atomic":
      emitEnclosed(draft, [code.atomic], node.body);
      return;
    case "look":
      emitEnclosed(draft, [code.look, Number(node.negated), node.behind ?? -1], node.body);
      return;
    case "reference":
      draft.code.push(code.reference, node.group, folds.indexOf(node.fold));
      return;
    case "condition":
      emitCondition(draft, node);
      return;
  }
}

function addSet(draft: Draft, set: CharacterSet): number {
  const key = JSON.stringify(set);
  const known = draft.setNumbers.get(key);
  if (known !== undefined) return known;
  const number = draft.sets.push({ holds: membership(set), stop: stopOf(set) }) - 1;
  draft.setNumbers.set(key, number);
  return number;
}

function stopOf({ negated, ranges, categories, fold }: CharacterSet): string | undefined {
  if (!negated || categories.length > 0 || fold !== "exact") return undefined;
  const [range, ...more] = ranges;
  if (range === undefined) return "";
  return range[0] === range[1] && more.length === 0 ? String.fromCodePoint(range[0]) : undefined;
}

function emitBranch(draft: Draft, alternatives: readonly Node[]): void {
  const exits: number[] = [];
  for (const [position, alternative] of alternatives.entries()) {
    const last = position === alternatives.length - 1;
    const other = last ? undefined : emitForward(draft, code.split);
    emit(draft, alternative);
    if (other === undefined) continue;
    exits.push(emitForward(draft, code.jump));
    land(draft, other);
  }
  for (const exit of exits) land(draft, exit);
}

function emitRepeat(draft: Draft, { min, max, greed, body }: Extract<Node, { kind: "repeat" }>): void {
  const least = Math.min(min, unlimited);
  const most = Math.min(max, unlimited);
  if (body.kind === "set") {
    const run = { greedy: code.run, lazy: code.runLazy, possessive: code.runPossessive }[greed];
    draft.code.push(run, addSet(draft, body.set), least, most);
  } else if (greed === "possessive") emitEnclosed(draft, [code.repeatAtomic, least, most], body);
  else emitLoop(draft, greed, least, most, body);
}

function emitLoop(draft: Draft, greed: "greedy" | "lazy", least: number, most: number, body: Node): void {
  const register = draft.registers;
  draft.registers += 2;
  draft.code.push(code.enter, register);
  const start = emitForward(draft, code.jump);
  const top = draft.code.length;
  emit(draft, body);
  land(draft, start);
  draft.code.push(greed === "greedy" ? code.loop : code.loopLazy, register, least, most, top);
  if (greed === "greedy") return;
  const exit = emitForward(draft, code.jump);
  draft.code.push(code.again, register, least, most, top);
  land(draft, exit);
}

function emitCondition(draft: Draft, { group, yes, no }: Extract<Node, { kind: "condition" }>): void {
  draft.code.push(code.condition, group, 0);
  const other = draft.code.length - 1;
  emit(draft, yes);
  const exit = emitForward(draft, code.jump);
  land(draft, other);
  emit(draft, no);
  land(draft, exit);
}

/** A part that is matched for itself: `head`, the address behind it, the part, the end of a match. */
function emitEnclosed(draft: Draft, head: readonly number[], body: Node): void {
  draft.code.push(...head, 0);
  const behind = draft.code.length - 1;
  emit(draft, body);
  draft.code.push(code.match);
  land(draft, behind);
}

/** Emits `instruction` with an address that `land` fills in; gives where that address stands. */
function emitForward(draft: Draft, instruction: number): number {
  return draft.code.push(instruction, 0) - 1;
}

function land(draft: Draft, address: number): void {
  draft.code[address] = draft.code.length;
}
