/** Searches a text for a pattern, in bounded time and memory. */
import { membership } from "./characters.ts";
import { matchesAt } from "./match.ts";
import { compilePattern } from "./program.ts";
import { openMatcher } from "./state.ts";
import { literalOf, type Node, type Pattern } from "./syntax.ts";
import { characterAt } from "./text.ts";

/** Where the match begins that was found, or why there is none. */
export type SearchOutcome = number | "absent" | "out of time" | "out of memory";

/**
 * Whether `pattern` occurs anywhere in `text`, as `re.search` would find it: the leftmost match.
 *
 * `limitMs` bounds the time in milliseconds; the calling thread is busy meanwhile.
 */
export function searchPattern(pattern: Pattern, text: string, limitMs: number): SearchOutcome {
  const matcher = openMatcher(compilePattern(pattern), text, performance.now() + limitMs);
  const next = candidates(pattern.root, text);
  for (let start = next(0); start >= 0; start = next(start + widthAt(text, start))) {
    if (matchesAt(matcher, start)) return start;
    if (matcher.exhausted !== undefined)
      return matcher.exhausted === "time" ? "out of time" : "out of memory";
  }
  return "absent";
}

function widthAt(text: string, position: number): number {
  return characterAt(text, position) > 0xffff ? 2 : 1;
}

/** Gives the first position from `from` on at which a match may begin, or -1. */
type Candidates = (from: number) => number;

function candidates(root: Node, text: string): Candidates {
  const first = firstItem(root);
  const place = first.kind === "place" ? first.place : anchorOfDots(first);
  if (place === "start") return (from) => (from === 0 ? 0 : -1);
  if (place === "line start") return (from) => (from === 0 ? 0 : afterNewline(text, from - 1));
  const prefix = literalPrefix(root);
  if (prefix !== "") return (from) => text.indexOf(prefix, from);
  const firsts = firstCharacters(root);
  if (firsts === undefined) return (from) => (from <= text.length ? from : -1);
  return (from) => {
    for (let position = from; position < text.length; position++) {
      const unit = text.charCodeAt(position);
      if (unit >= 128 || firsts[unit] === 1) return position;
    }
    return -1;
  };
}

function afterNewline(text: string, from: number): number {
  const found = text.indexOf("\n", from);
  return found < 0 ? -1 : found + 1;
}

function firstItem(node: Node): Node {
  const [first] = node.kind === "sequence" ? node.items : [];
  return first === undefined ? node : firstItem(first);
}

/** `.*` at the start takes whatever precedes a match on its line, so only the line's start needs a try. */
function anchorOfDots(node: Node): "start" | "line start" | undefined {
  if (node.kind !== "repeat" || node.min > 0 || node.max !== Number.POSITIVE_INFINITY) return undefined;
  if (node.greed === "possessive" || node.body.kind !== "set") return undefined;
  const { negated, ranges, categories } = node.body.set;
  if (!negated || categories.length > 0) return undefined;
  const [range, ...more] = ranges;
  if (range === undefined) return "start";
  return more.length === 0 && range[0] === 10 && range[1] === 10 ? "line start" : undefined;
}

/** The text every match begins with. */
function literalPrefix(node: Node): string {
  const items = node.kind === "sequence" ? node.items : [node];
  let prefix = "";
  for (const item of items) {
    const code = literalOf(item);
    if (code === undefined) return item.kind === "group" && prefix === "" ? literalPrefix(item.body) : prefix;
    prefix += String.fromCodePoint(code);
  }
  return prefix;
}

/**
 * The ASCII characters a match can begin with, as a table of ones; every other character may begin one.
 * Undefined if a match can be empty, or if nothing is known.
 */
function firstCharacters(node: Node): Uint8Array | undefined {
  switch (node.kind) {
    case "set": {
      const holds = membership(node.set);
      return Uint8Array.from({ length: 128 }, (_, code) => Number(holds(code)));
    }
    case "group":
    case "atomic":
      return firstCharacters(node.body);
    case "repeat":
      return node.min > 0 ? firstCharacters(node.body) : undefined;
    case "branch": {
      const tables = node.alternatives.map(firstCharacters);
      return tables.reduce((all, table) => all && table?.map((one, code) => one | (all[code] ?? 0)));
    }
    case "sequence": {
      // Places and looks take no character: what follows them begins the match.
      const first = node.items.find((item) => item.kind !== "place" && item.kind !== "look");
      return first && firstCharacters(first);
    }
    default:
      return undefined;
  }
}
