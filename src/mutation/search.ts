/**
 * Searching bytes in time linear in the text and what is searched for, however repetitive both are.
 *
 * `Buffer.indexOf` is linear too (it falls back to the two-way algorithm once candidates have cost too much)
 * and much faster, but counting overlapping occurrences by it is not.
 */

export interface Scan {
  /** How often the needle occurs, overlapping occurrences included. */
  readonly count: number;
  /** The first lines, 1-based and distinct, on which it begins. */
  readonly lines: readonly number[];
  /** Where the first occurrence begins; -1 if there is none. */
  readonly first: number;
  /** The length of the longest beginning of the needle that occurs, and where its first occurrence ends. */
  readonly longest: number;
  readonly longestEnd: number;
}

/** Looks for every occurrence of `needle`, which is not empty, and keeps at most `keep` lines. (Knuth, Morris, Pratt.) */
export function scan(text: Uint8Array, needle: Uint8Array, keep: number): Scan {
  const table = borders(needle);
  const lines: number[] = [];
  let count = 0;
  let first = -1;
  let longest = 0;
  let longestEnd = 0;
  let line = 1;
  let nextFeed = text.indexOf(lineFeed);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    while (matched > 0 && needle[matched] !== byte) matched = table[matched - 1] as number;
    if (needle[matched] === byte) matched++;
    if (matched > longest) {
      longest = matched;
      longestEnd = at + 1;
    }
    if (matched < needle.length) continue;
    const start = at + 1 - needle.length;
    if (count === 0) first = start;
    count++;
    if (lines.length < keep) {
      while (nextFeed >= 0 && nextFeed < start) {
        line++;
        nextFeed = text.indexOf(lineFeed, nextFeed + 1);
      }
      if (lines.at(-1) !== line) lines.push(line);
    }
    matched = table[matched - 1] as number;
  }
  return { count, lines, first, longest, longestEnd };
}

/** For each beginning of `needle`, the length of the longest shorter one that it also ends in. */
function borders(needle: Uint8Array): Int32Array {
  const table = new Int32Array(needle.length);
  let length = 0;
  for (let at = 1; at < needle.length; at++) {
    while (length > 0 && needle[length] !== needle[at]) length = table[length - 1] as number;
    if (needle[length] === needle[at]) length++;
    table[at] = length;
  }
  return table;
}

/** The 1-based line that holds the byte at `at`. */
export function lineAt(text: Uint8Array, at: number): number {
  return 1 + newlines(text.subarray(0, at));
}

/** The number of line feeds in `text`. */
export function newlines(text: Uint8Array): number {
  let count = 0;
  for (let at = text.indexOf(lineFeed); at >= 0; at = text.indexOf(lineFeed, at + 1)) count++;
  return count;
}

/** Where line `line` begins; the length of `text` if there are fewer lines. */
export function lineStart(text: Uint8Array, line: number): number {
  let start = 0;
  for (let passed = 1; passed < line; passed++) {
    start = text.indexOf(lineFeed, start) + 1;
    if (start === 0) return text.length;
  }
  return start;
}

/** Where the line that begins at `start` ends: its line feed, or the end of `text`. */
export function lineEnd(text: Uint8Array, start: number): number {
  const end = text.indexOf(lineFeed, start);
  return end < 0 ? text.length : end;
}

export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;
