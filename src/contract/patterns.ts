/**
 * Which paths a contract's `writable_paths` allow.
 *
 * A pattern is matched against the whole path, by code points and case-sensitively on every system: `*` is any
 * run of characters and `?` one character, `/` included; `[abc]`, `[a-z]` and `[!abc]` are sets; all else is
 * literal.
 */

/** Whether any of `patterns` matches the whole of `path`. Time is linear in pattern times path. */
export function matchesAny(patterns: readonly string[], path: string): boolean {
  return pathMatcher(patterns)(path);
}

/** `matchesAny` with the patterns read once, for many paths. */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const compiled = patterns.map(compile);
  return (path) => {
    const characters = codePoints(path);
    return compiled.some((pattern) => matches(pattern, characters));
  };
}

const anyRun = Symbol("*");
const anyOne = Symbol("?");

interface CharacterSet {
  readonly negated: boolean;
  readonly singles: ReadonlySet<number>;
  /** First and last member of each range; one whose first is greater holds nothing. */
  readonly ranges: readonly (readonly [number, number])[];
}

type Token = number | typeof anyRun | typeof anyOne | CharacterSet;

interface Pattern {
  readonly tokens: readonly Token[];
  /** The characters that the tokens other than `*` need, one each. */
  readonly shortest: number;
}

/**
 * Greedy, with one way back: after a mismatch only the latest `*` takes one character more. What an earlier
 * `*` could take instead, the latest can take as well, so no other retry finds a match that this one misses.
 */
function matches({ tokens, shortest }: Pattern, path: readonly number[]): boolean {
  if (shortest > path.length) return false;
  let token = 0;
  let at = 0;
  let afterRun = -1;
  let runEnd = 0;
  while (at < path.length) {
    const current = tokens[token];
    if (current === anyRun) {
      afterRun = ++token;
      runEnd = at;
    } else if (current !== undefined && matchesOne(current, path[at] as number)) {
      token++;
      at++;
    } else if (afterRun >= 0) {
      token = afterRun;
      at = ++runEnd;
    } else {
      return false;
    }
  }
  while (tokens[token] === anyRun) token++;
  return token === tokens.length;
}

function matchesOne(token: Exclude<Token, typeof anyRun>, character: number): boolean {
  if (typeof token === "number") return token === character;
  if (token === anyOne) return true;
  const member =
    token.singles.has(character) ||
    token.ranges.some(([first, last]) => first <= character && character <= last);
  return member !== token.negated;
}

function compile(pattern: string): Pattern {
  const source = codePoints(pattern);
  const tokens: Token[] = [];
  // Once no `]` is left, every further `[` is literal: looking again each time would be quadratic.
  const lastClose = source.lastIndexOf(closeBracket);
  for (let at = 0; at < source.length; ) {
    const character = source[at] as number;
    const close = character === openBracket && at < lastClose ? setEnd(source, at) : -1;
    if (close > 0) {
      tokens.push(characterSet(source, at + 1, close));
      at = close + 1;
      continue;
    }
    if (character === star) {
      if (tokens.at(-1) !== anyRun) tokens.push(anyRun);
    } else {
      tokens.push(character === questionMark ? anyOne : character);
    }
    at++;
  }
  return { tokens, shortest: tokens.reduce<number>((sum, token) => sum + (token === anyRun ? 0 : 1), 0) };
}

/** Where the set that opens at `open` closes, or -1. A `]` right after `[` or `[!` is a member. */
function setEnd(source: readonly number[], open: number): number {
  const first = source[open + 1] === exclamation ? open + 2 : open + 1;
  return source.indexOf(closeBracket, first + 1);
}

function characterSet(source: readonly number[], from: number, to: number): CharacterSet {
  const negated = source[from] === exclamation;
  const singles = new Set<number>();
  const ranges: (readonly [number, number])[] = [];
  for (let at = negated ? from + 1 : from; at < to; ) {
    const first = source[at] as number;
    if (source[at + 1] === hyphen && at + 2 < to) {
      ranges.push([first, source[at + 2] as number]);
      at += 3;
    } else {
      singles.add(first);
      at++;
    }
  }
  return { negated, singles, ranges };
}

function codePoints(text: string): readonly number[] {
  return Array.from(text, (character) => character.codePointAt(0) as number);
}

const star = 0x2a;
const questionMark = 0x3f;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const exclamation = 0x21;
const hyphen = 0x2d;
