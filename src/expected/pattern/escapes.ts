/** Reads what a backslash begins, and sets in brackets. */
import { type Flags, fail, foldOf, matchNext, peek, type Source, take, takeWhile } from "./source.ts";
import type { Category, Node, Place } from "./syntax.ts";

/** One character, matched by the case rules in force. */
export function literal(code: number, flags: Flags): Node {
  const cased = code >= 128 || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  const fold = cased ? foldOf(flags) : "exact";
  return {
    kind: "set",
    set: { negated: false, ranges: [[code, code]], categories: [], fold, ascii: flags.ascii },
  };
}

/** After a backslash outside brackets. */
export function readEscape(source: Source, flags: Flags, start: number): Node {
  const letter = take(source) ?? "";
  const place = places[letter];
  if (place !== undefined) return { kind: "place", place, ascii: flags.ascii };
  const category = categories[letter];
  if (category !== undefined) {
    const set = {
      negated: false,
      ranges: [],
      categories: [category],
      fold: "exact",
      ascii: flags.ascii,
    } as const;
    return { kind: "set", set };
  }
  if (letter >= "1" && letter <= "9") return readNumber(source, letter, flags, start);
  return literal(readCharacter(source, letter, start), flags);
}

const places: Readonly<Record<string, Place>> = {
  A: "start",
  Z: "very end",
  b: "boundary",
  B: "no boundary",
};

const categories: Readonly<Record<string, Category>> = {
  d: { name: "digit", negated: false },
  D: { name: "digit", negated: true },
  s: { name: "space", negated: false },
  S: { name: "space", negated: true },
  w: { name: "word", negated: false },
  W: { name: "word", negated: true },
};

/** Three octal digits are a character; anything else that begins with 1 to 9 refers to a group. */
function readNumber(source: Source, first: string, flags: Flags, start: number): Node {
  const digits = first + takeWhile(source, /[0-9]/, 1);
  const third = peek(source) ?? "";
  if (/^[0-7][0-7]$/.test(digits) && /^[0-7]$/.test(third)) {
    take(source);
    return literal(octal(source, digits + third, start), flags);
  }
  const group = Number(digits);
  if (group >= source.groupWidths.length) fail(source, `invalid group reference ${group}`, start);
  return reference(source, group, flags, start);
}

/** A reference to a group that is complete, and lies outside the lookbehind that refers to it. */
export function reference(source: Source, group: number, flags: Flags, start: number): Node {
  if (source.groupWidths[group] === undefined) fail(source, "cannot refer to an open group", start);
  refuseSameLookBehind(source, group, start);
  return { kind: "reference", group, fold: foldOf(flags) };
}

/** Fails if `group` belongs to the lookbehind being read: its text is not known there yet. */
export function refuseSameLookBehind(source: Source, group: number, start: number): void {
  if (source.lookBehindGroups === undefined) return;
  if (source.groupWidths[group] === undefined) fail(source, "cannot refer to an open group", start);
  if (group >= source.lookBehindGroups) {
    fail(source, "cannot refer to group defined in the same lookbehind subpattern", start);
  }
}

/** The character an escape stands for, the same in and outside brackets. */
function readCharacter(source: Source, letter: string, start: number): number {
  const control = controls[letter];
  if (control !== undefined) return control;
  const digits = hexDigits[letter];
  if (digits !== undefined) {
    const hex = takeWhile(source, /[0-9a-fA-F]/, digits);
    const code = Number.parseInt(hex, 16);
    if (hex.length !== digits || code > 0x10ffff) fail(source, `incomplete escape \\${letter}${hex}`, start);
    return code;
  }
  if (letter >= "0" && letter <= "7") return octal(source, letter + takeWhile(source, /[0-7]/, 2), start);
  if (letter === "N")
    fail(source, "character names (\\N{...}) are not supported, write \\u and four digits:", start);
  if (letter === "") fail(source, "bad escape (end of pattern)", start);
  if (/^[a-zA-Z89]$/.test(letter)) fail(source, `bad escape \\${letter}`, start);
  return letter.codePointAt(0) ?? 0;
}

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const hexDigits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function octal(source: Source, digits: string, start: number): number {
  const code = Number.parseInt(digits, 8);
  if (code > 0o377) fail(source, `octal escape value \\${digits} outside of range 0-0o377`, start);
  return code;
}

/** After an opening bracket. */
export function readClass(source: Source, flags: Flags, start: number): Node {
  const negated = matchNext(source, "^");
  const ranges: (readonly [number, number])[] = [];
  const members: Category[] = [];
  for (let first = true; ; first = false) {
    const character = take(source);
    if (character === undefined) {
      fail(source, "unterminated character set", start);
      break;
    }
    if (character === "]" && !first) break;
    const low = readMember(source, character, start);
    if (peek(source) !== "-") {
      addMember(low, ranges, members);
      continue;
    }
    take(source);
    const end = take(source);
    if (end === "]") {
      addMember(low, ranges, members);
      ranges.push([45, 45]);
      break;
    }
    const high = end === undefined ? undefined : readMember(source, end, start);
    if (high === undefined) fail(source, "unterminated character set", start);
    else if (typeof low !== "number" || typeof high !== "number" || high < low) {
      fail(source, "bad character range", start);
    } else ranges.push([low, high]);
  }
  return {
    kind: "set",
    set: { negated, ranges, categories: members, fold: foldOf(flags), ascii: flags.ascii },
  };
}

function addMember(
  member: number | Category,
  ranges: (readonly [number, number])[],
  members: Category[],
): void {
  if (typeof member === "number") ranges.push([member, member]);
  else members.push(member);
}

function readMember(source: Source, character: string, start: number): number | Category {
  if (character !== "\\") return character.codePointAt(0) ?? 0;
  const letter = take(source) ?? "";
  if (letter === "b") return 8;
  return categories[letter] ?? readCharacter(source, letter, start);
}
