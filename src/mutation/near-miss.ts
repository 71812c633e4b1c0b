/** Why an anchor was not found: facts about the text that make the next request right. It decides nothing. */
import { lineEndings } from "./line-endings.ts";
import { carriageReturn, lineAt, lineEnd, lineFeed, lineStart, newlines, scan } from "./search.ts";

/**
 * What follows "old_text does not occur" in the message: that it is there but for white space at the starts and
 * ends of lines, and where it differs; or else how much of its beginning is there, and how the text goes on;
 * and that the file mixes line endings. Quotes at most one line, cut to some 200 bytes. Time is linear.
 */
export function explainMissing(text: Uint8Array, anchor: Uint8Array): string {
  return `${explainPlace(text, anchor)}${explainEndings(text)}`;
}

function explainPlace(text: Uint8Array, anchor: Uint8Array): string {
  const bareAnchor = withoutOuterBlanks(anchor).subarray(1, -1);
  const content = bareAnchor.findIndex((byte) => byte !== lineFeed);
  if (content < 0) return "; it is white space alone";
  // One line feed stays on either side, if there is any, so that whole lines are found as whole lines only.
  const from = Math.max(0, content - 1);
  const core = bareAnchor.subarray(from, bareAnchor.findLastIndex((byte) => byte !== lineFeed) + 2);
  const lead = content - from;
  // In `bareText`, which begins with a line feed of its own, every line stands one further down.
  const bareText = withoutOuterBlanks(text);
  const { count, first, longest, longestEnd } = scan(bareText, core, 0);
  if (count === 0) {
    return explainBeginning(text, bareText, core.subarray(lead), longest - lead, longestEnd);
  }
  const bareLine = lineAt(bareText, first + lead);
  const column = first + lead - lineStart(bareText, bareLine);
  const differences = whiteSpaceDifferences(text, bareLine - 1, column, anchor);
  const more = count > 1 ? `; so it does in ${count - 1} more ${count === 2 ? "place" : "places"}` : "";
  return `; it misses only in white space: ${differences.join("; ")}${more}`;
}

function explainEndings(text: Uint8Array): string {
  const { crlf, lf } = lineEndings(text);
  if (crlf === 0 || lf === 0) return "";
  return `; the file mixes line endings: ${crlf} CRLF and ${lf} LF`;
}

/** `text` between two line feeds, without the white space at the start and the end of each line. */
function withoutOuterBlanks(text: Uint8Array): Uint8Array {
  const bare = new Uint8Array(text.length + 2);
  bare[0] = lineFeed;
  let length = 1;
  let kept = 1;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number;
    const blank = isBlank(byte);
    if (byte === lineFeed) length = kept;
    if (blank && bare[length - 1] === lineFeed) continue;
    bare[length++] = byte;
    if (!blank) kept = length;
  }
  bare[kept] = lineFeed;
  return bare.subarray(0, kept + 1);
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d && byte !== lineFeed);
}

/** The most differences that are told: enough to see the pattern. */
const mostTold = 3;

/**
 * How the lines of `anchor` differ in outer white space from those of `text` where it nearly is: its first line
 * that is not blank begins `column` bytes into what line `line` holds after its own leading white space.
 */
function whiteSpaceDifferences(
  text: Uint8Array,
  line: number,
  column: number,
  anchor: Uint8Array,
): readonly string[] {
  const told: string[] = [];
  let wanted = 0;
  let blankBefore = false;
  while (isBlankLine(anchor, wanted)) {
    wanted = lineEnd(anchor, wanted) + 1;
    blankBefore = true;
  }
  const end = anchor.findLastIndex((byte) => byte !== lineFeed && !isBlank(byte)) + 1;
  let start = lineStart(text, line);
  let from = afterBlanks(text, start) + column;
  for (let at = line; wanted < end && told.length < mostTold; at++) {
    const wantedEnd = lineEnd(anchor, wanted);
    const isLast = wantedEnd >= end;
    const lead = anchor.subarray(wanted, afterBlanks(anchor, wanted));
    const found = text.subarray(blanksBefore(text, from, start), from);
    const whole = wanted > 0;
    if (!(whole ? equal(found, lead) : endsWith(found, lead))) {
      told.push(`line ${at} begins with ${describe(found)} where old_text has ${describe(lead)}`);
    }
    const contentEnd = blanksBefore(anchor, wantedEnd, wanted);
    const textFrom = from + (contentEnd - wanted - lead.length);
    const textEnd = lineEnd(text, from);
    const trail = anchor.subarray(contentEnd, wantedEnd);
    const foundTrail = text.subarray(textFrom, textEnd);
    const open = isLast && wantedEnd === anchor.length;
    if (open ? !startsWith(foundTrail, trail) : !equal(foundTrail, trail)) {
      told.push(
        `line ${at} ${describeEnd(text, textFrom, textEnd)} where old_text ${describeEnd(anchor, contentEnd, wantedEnd)}`,
      );
    } else if (isLast && !open && textEnd === text.length) {
      told.push(`line ${at} is the file's last and has no line ending where old_text goes on`);
    }
    wanted = wantedEnd + 1;
    start = textEnd + 1;
    from = afterBlanks(text, start);
  }
  if (told.length > 0) return told.slice(0, mostTold);
  return [`in the blank lines ${blankBefore ? "around" : "after"} what is at line ${line}`];
}

function isBlankLine(text: Uint8Array, start: number): boolean {
  return afterBlanks(text, start) === lineEnd(text, start);
}

function afterBlanks(text: Uint8Array, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text[at] as number)) at++;
  return at;
}

/** Where the white space that ends at `to` begins, not before `from`. */
function blanksBefore(text: Uint8Array, to: number, from: number): number {
  let at = to;
  while (at > from && isBlank(text[at - 1] as number)) at--;
  return at;
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

function endsWith(text: Uint8Array, end: Uint8Array): boolean {
  return text.length >= end.length && equal(text.subarray(text.length - end.length), end);
}

function startsWith(text: Uint8Array, beginning: Uint8Array): boolean {
  return equal(text.subarray(0, beginning.length), beginning);
}

/** `ends with 2 spaces`, or how it ends its line when CR is part of it. */
function describeEnd(text: Uint8Array, from: number, end: number): string {
  const withReturn = end > from && text[end - 1] === carriageReturn;
  const blanks = text.subarray(from, withReturn ? end - 1 : end);
  if (end === text.length) return `ends with ${describe(blanks)}`;
  const ending = withReturn ? "CRLF" : "LF";
  return blanks.length === 0 ? `ends with ${ending}` : `ends with ${describe(blanks)} and ${ending}`;
}

/** White space in words: `1 tab and 4 spaces`. */
function describe(blanks: Uint8Array): string {
  const runs: [byte: number, count: number][] = [];
  for (const byte of blanks) {
    const last = runs.at(-1);
    if (last?.[0] === byte) last[1]++;
    else runs.push([byte, 1]);
    if (runs.length > 4) return `${blanks.length} white-space characters`;
  }
  if (runs.length === 0) return "no white space";
  return runs
    .map(([byte, count]) => `${count} ${names[byte] ?? "blank"}${count === 1 ? "" : "s"}`)
    .join(" and ");
}

const names: Readonly<Record<number, string>> = { 32: "space", 9: "tab", 13: "carriage return" };

/** Where the longest beginning of `core` that occurs ends in `text`, if it is enough to name a place. */
function explainBeginning(
  text: Uint8Array,
  bareText: Uint8Array,
  core: Uint8Array,
  longest: number,
  end: number,
): string {
  const lines = newlines(core.subarray(0, Math.max(0, longest)));
  if (lines === 0 && 2 * longest < lineEnd(core, 0)) return "";
  const bareLine = lineAt(bareText, end);
  const line = bareLine - 1;
  const start = lineStart(text, line);
  const focus = afterBlanks(text, start) - start + end - lineStart(bareText, bareLine);
  const next =
    start === text.length
      ? "the file ends there"
      : `line ${line} reads ${quote(text.subarray(start, lineEnd(text, start)), focus)}`;
  if (lines === 0) {
    const first = longest === 1 ? "byte is" : `${longest} bytes are`;
    return `; its first ${first} at line ${line}, but ${next}`;
  }
  const found = lines === 1 ? "its first line is" : `its first ${lines} lines are`;
  return `; white space aside, ${found} at line ${line - lines}, but ${next}`;
}

/** `line` as a JSON string; a long one is cut to what is around `focus`. */
function quote(line: Uint8Array, focus: number): string {
  const from = line.length <= 200 ? 0 : Math.max(0, Math.min(focus - 100, line.length - 200));
  const part = line.subarray(from, from + 200);
  const text = new TextDecoder().decode(part).replace(/^\ufffd+|\ufffd+$/g, "");
  const [before, after] = [from > 0 ? "..." : "", from + 200 < line.length ? "..." : ""];
  return before + JSON.stringify(text) + after;
}
