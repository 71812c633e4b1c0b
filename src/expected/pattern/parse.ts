/**
 * Reads a pattern in the dialect of Python's `re` for text (3.11): what Python refuses is refused here, and
 * what is accepted means the same.
 *
 * Documentation: https://docs.python.org/3/library/re.html#regular-expression-syntax. Not honoured, by name:
 * `\N{...}` (needs the table of character names) and the flags `L` and `t`.
 */
import { readBounds } from "./bounds.ts";
import { literal, readClass, readEscape, reference, refuseSameLookBehind } from "./escapes.ts";
import {
  at,
  changeFlags,
  type Flags,
  fail,
  matchNext,
  noFlags,
  openSource,
  peek,
  type Source,
  take,
  takeUntil,
} from "./source.ts";
import type { Greed, Node, Pattern } from "./syntax.ts";
import { widthOf } from "./width.ts";

/** The pattern's parts, or why it is not one: what is wrong and at which character, counted from 0. */
export function parsePattern(text: string): Pattern | { readonly problem: string } {
  const source = openSource(text);
  const root = readAlternatives(source, { flags: noFlags, depth: 0 });
  if (peek(source) !== undefined) fail(source, "unbalanced parenthesis", at(source));
  for (const group of source.conditions) {
    if (group >= source.groupWidths.length) fail(source, `invalid group reference ${group}`, 0);
  }
  if (source.problem !== undefined) return { problem: source.problem };
  return { root, groups: source.groupWidths.length - 1 };
}

interface Context {
  readonly flags: Flags;
  readonly depth: number;
}

/** Nesting beyond this is refused, as Python's own recursion limit does at a similar depth. */
const maxDepth = 250;

/** a|b|c */
function readAlternatives(source: Source, context: Context): Node {
  const alternatives: Node[] = [];
  let inner = context;
  do {
    const first = context.depth === 0 && alternatives.length === 0;
    const branch = readSequence(source, inner, first);
    alternatives.push(branch.node);
    if (first) inner = { ...context, flags: branch.flags };
  } while (matchNext(source, "|"));
  return alternatives.length === 1 && alternatives[0] !== undefined
    ? alternatives[0]
    : asOneSet(alternatives);
}

/** Alternatives of one character each are one set, which needs no backtracking. */
function asOneSet(alternatives: readonly Node[]): Node {
  const sets = alternatives.map((node) => (node.kind === "set" && !node.set.negated ? node.set : undefined));
  const [first] = sets;
  const alike = (set: typeof first) =>
    set !== undefined && set.fold === first?.fold && set.ascii === first.ascii;
  if (first === undefined || !sets.every(alike)) return { kind: "branch", alternatives };
  const ranges = sets.flatMap((set) => set?.ranges ?? []);
  const categories = sets.flatMap((set) => set?.categories ?? []);
  return { kind: "set", set: { ...first, ranges, categories } };
}

/** One alternative. At the very start of the pattern it may begin with global flags, which it gives back. */
function readSequence(source: Source, context: Context, first: boolean): { node: Node; flags: Flags } {
  const items: Node[] = [];
  let { flags } = context;
  for (;;) {
    const character = peek(source);
    if (character === undefined || character === "|" || character === ")") break;
    const start = at(source);
    take(source);
    if (flags.verbose && skipsVerbose(source, character)) continue;
    if (character === "(") {
      const part = readGroup(source, { flags, depth: context.depth + 1 }, start);
      if (part === undefined) continue;
      if ("flags" in part) {
        if (!first || items.length > 0) fail(source, "global flags not at the start of the pattern", start);
        flags = part.flags;
      } else items.push(part);
    } else if (character === "*" || character === "+" || character === "?" || character === "{") {
      readQuantifier(source, character, items, start, flags);
    } else items.push(readSingle(source, character, flags, start));
  }
  const [only] = items;
  return { node: items.length === 1 && only !== undefined ? only : { kind: "sequence", items }, flags };
}

/** Whether `character` is white space or opens a comment, which verbose patterns ignore. */
function skipsVerbose(source: Source, character: string): boolean {
  if (" \t\n\r\v\f".includes(character)) return true;
  if (character !== "#") return false;
  for (;;) {
    const next = take(source);
    if (next === undefined || next === "\n") return true;
    if (next === "\\" && take(source) === undefined)
      fail(source, "bad escape (end of pattern)", at(source) - 2);
  }
}

function readSingle(source: Source, character: string, flags: Flags, start: number): Node {
  switch (character) {
    case "\\":
      return readEscape(source, flags, start);
    case "[":
      return readClass(source, flags, start);
    case ".": {
      const newline = [10, 10] as const;
      const ranges = flags.dotAll ? [] : [newline];
      return {
        kind: "set",
        set: { negated: true, ranges, categories: [], fold: "exact", ascii: flags.ascii },
      };
    }
    case "^":
      return { kind: "place", place: flags.multiline ? "line start" : "start", ascii: flags.ascii };
    case "$":
      return { kind: "place", place: flags.multiline ? "line end" : "end", ascii: flags.ascii };
    default:
      return literal(character.codePointAt(0) ?? 0, flags);
  }
}

/** Wraps the last item, as `*`, `+`, `?` or `{m,n}` asks; a brace that is no quantifier is a character. */
function readQuantifier(source: Source, character: string, items: Node[], start: number, flags: Flags): void {
  const bounds = readBounds(source, character, start);
  if (bounds === undefined) {
    items.push(readSingle(source, character, flags, start));
    return;
  }
  const body = items.pop();
  if (body === undefined || body.kind === "place") {
    fail(source, "nothing to repeat", start);
    return;
  }
  if (body.kind === "repeat") fail(source, "multiple repeat", start);
  const greed: Greed = matchNext(source, "?") ? "lazy" : matchNext(source, "+") ? "possessive" : "greedy";
  items.push({ kind: "repeat", min: bounds[0], max: bounds[1], greed, body });
}

/** After an opening parenthesis: a part, global flags, or nothing for a comment. */
function readGroup(source: Source, context: Context, start: number): Node | { flags: Flags } | undefined {
  if (context.depth > maxDepth) {
    fail(source, `nested more than ${maxDepth} deep`, start);
    return undefined;
  }
  if (!matchNext(source, "?")) return readCapture(source, context, start);
  const kind = take(source);
  switch (kind) {
    case "P":
      return readNamed(source, context, start);
    case ":":
      return enclose(readBody(source, context, start));
    case ">":
      return { kind: "atomic", body: readBody(source, context, start) };
    case "#":
      if (takeUntil(source, ")") === undefined) fail(source, "missing ), unterminated comment", start);
      return undefined;
    case "=":
    case "!":
      return {
        kind: "look",
        behind: undefined,
        negated: kind === "!",
        body: readBody(source, context, start),
      };
    case "<":
      return readLookBehind(source, context, start);
    case "(":
      return readCondition(source, context, start);
    default:
      return readFlagged(source, context, start, kind);
  }
}

function readBody(source: Source, context: Context, start: number): Node {
  const body = readAlternatives(source, context);
  if (!matchNext(source, ")")) fail(source, "missing ), unterminated subpattern", start);
  return body;
}

/** A group without a number; it may be repeated, whatever it holds. */
function enclose(body: Node): Node {
  return body.kind === "place" || body.kind === "repeat" ? { kind: "sequence", items: [body] } : body;
}

function readCapture(source: Source, context: Context, start: number, name?: string): Node {
  const index = source.groupWidths.length;
  source.groupWidths.push(undefined);
  if (name !== undefined) {
    if (source.groupNames.has(name))
      fail(source, `redefinition of group name ${JSON.stringify(name)}`, start);
    source.groupNames.set(name, index);
  }
  const body = readBody(source, context, start);
  source.groupWidths[index] = widthOf(body, source.groupWidths);
  return { kind: "group", index, body };
}

/** (?P<name>...) and (?P=name) */
function readNamed(source: Source, context: Context, start: number): Node | undefined {
  if (matchNext(source, "<")) {
    const name = takeName(source, ">", start);
    return name === undefined ? undefined : readCapture(source, context, start, name);
  }
  if (!matchNext(source, "=")) {
    fail(source, `unknown extension ?P${peek(source) ?? ""}`, start);
    return undefined;
  }
  const name = takeName(source, ")", start);
  const group = name === undefined ? undefined : source.groupNames.get(name);
  if (group === undefined) {
    fail(source, `unknown group name ${JSON.stringify(name)}`, start);
    return undefined;
  }
  return reference(source, group, context.flags, start);
}

function takeName(source: Source, end: string, start: number): string | undefined {
  const name = takeUntil(source, end);
  if (name !== undefined && /^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(name)) return name;
  fail(
    source,
    name === undefined ? `missing ${end}, unterminated name` : "bad character in group name",
    start,
  );
  return undefined;
}

function readLookBehind(source: Source, context: Context, start: number): Node | undefined {
  const kind = take(source);
  if (kind !== "=" && kind !== "!") {
    fail(source, `unknown extension ?<${kind ?? ""}`, start);
    return undefined;
  }
  const outer = source.lookBehindGroups;
  source.lookBehindGroups ??= source.groupWidths.length;
  const body = readBody(source, context, start);
  source.lookBehindGroups = outer;
  const [low, high] = widthOf(body, source.groupWidths);
  if (low !== high) fail(source, "look-behind requires fixed-width pattern", start);
  return { kind: "look", behind: low, negated: kind === "!", body };
}

/** (?(1)yes|no) and (?(name)yes|no) */
function readCondition(source: Source, context: Context, start: number): Node | undefined {
  const name = takeUntil(source, ")") ?? "";
  const number = /^[0-9]+$/.test(name) ? Number(name) : undefined;
  const group = number ?? source.groupNames.get(name);
  if (group === undefined || group === 0) {
    fail(source, group === 0 ? "bad group number" : `unknown group name ${JSON.stringify(name)}`, start);
    return undefined;
  }
  if (number !== undefined) source.conditions.add(number);
  refuseSameLookBehind(source, group, start);
  const yes = readSequence(source, context, false).node;
  const no: Node = matchNext(source, "|")
    ? readSequence(source, context, false).node
    : { kind: "sequence", items: [] };
  if (peek(source) === "|") fail(source, "conditional backref with more than two branches", start);
  if (!matchNext(source, ")")) fail(source, "missing ), unterminated subpattern", start);
  return { kind: "condition", group, yes, no };
}

/** (?aimsux) for the whole pattern, and (?aimsux-imsx:...) for a part of it. */
function readFlagged(
  source: Source,
  context: Context,
  start: number,
  first: string | undefined,
): Node | { flags: Flags } | undefined {
  let letters = "";
  let next = first;
  while (next !== undefined && /[a-zA-Z-]/.test(next)) {
    letters += next;
    next = take(source);
  }
  const [on = "", off, more] = letters.split("-");
  const unknown = /[^aimsux-]/.exec(letters)?.[0];
  if (letters === "" || more !== undefined || (next !== ":" && next !== ")")) {
    fail(source, `unknown extension ?${first ?? ""}`, start);
  } else if (unknown !== undefined) fail(source, `flag ${unknown} is not supported`, start);
  else if (off !== undefined && (off === "" || next !== ":")) fail(source, "missing flag or :", start);
  else if (/[au]/.test(off ?? "")) fail(source, "flags a and u cannot be turned off", start);
  else if (next === ")" && on.includes("a") && source.saysUnicode) {
    fail(source, "flags a and u are incompatible", start);
  } else if (on.includes("u") && (on.includes("a") || context.flags.ascii)) {
    // Python's own answer depends on its search strategy here: (?a)(?u:\\w) misses what x(?u:\\w) finds.
    fail(source, "flags a and u are incompatible", start);
  } else if (Array.from(on).some((flag) => off?.includes(flag)))
    fail(source, "flag turned on and off", start);
  else {
    const flags = changeFlags(context.flags, on, off ?? "");
    source.saysUnicode ||= next === ")" && on.includes("u");
    return next === ")" ? { flags } : enclose(readBody(source, { ...context, flags }, start));
  }
  return undefined;
}
