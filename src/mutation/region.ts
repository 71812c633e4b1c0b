import type { Span } from "./edits.ts";
import { carriageReturn, lineEnd, lineFeed, newlines } from "./search.ts";

/**
 * The `changed` places of `text` as whoever edits it further needs them: the changed lines with three lines of
 * context on each side, each as `12: text` without its line ending; places that do not touch are separated by
 * `---`. A deletion shows the lines around the seam. In all at most 40 lines and 4,000 bytes: over-long lines
 * are cut to what is around the change, and what is still too much is cut out of the middle; either cut says
 * how much it took.
 */
export function region(text: Buffer, changed: readonly Span[]): string {
  const rows = blocks(text, changed).flatMap((block, index) => [
    ...(index > 0 ? [separator] : []),
    ...rowsOf(text, block),
  ]);
  const full = rows.map((row) => render(text, row));
  if (fits(rows, full)) return full.join("\n");
  const clipped = rows.map((row) => render(text, row, changed));
  return fits(rows, clipped) ? clipped.join("\n") : cutInTheMiddle(rows, clipped);
}

const contextLines = 3;
const mostLines = 40;
const mostBytes = 4_000;
/** What is kept of an over-long line: seven such lines, a change of one line with its context, fit. */
const clippedBytes = 400;

/** Whole lines of the text: `start` is the start of line `line`. */
interface Block extends Span {
  readonly line: number;
}

interface Line extends Span {
  readonly line: number;
}

/** Lines of a block that are not even looked at, since they cannot be shown. */
interface Gap {
  readonly lines: number;
}

const separator = "---" as const;

type Row = Line | Gap | typeof separator;

function isGap(row: Row): row is Gap {
  return typeof row === "object" && "lines" in row;
}

/** The changes with their context, those that touch joined. */
function blocks(text: Buffer, changed: readonly Span[]): readonly Block[] {
  const found: Block[] = [];
  let line = 1;
  let counted = 0;
  for (const span of changed) {
    const { start, end } = withContext(text, span);
    const last = found.at(-1);
    if (last !== undefined && start <= last.end) {
      found[found.length - 1] = { ...last, end };
      continue;
    }
    line += newlines(text.subarray(counted, start));
    counted = start;
    found.push({ line, start, end });
  }
  return found;
}

function withContext(text: Buffer, span: Span): Span {
  const seamBetweenLines = span.start === span.end && startOfLine(text, span.start) === span.start;
  let start = startOfLine(text, span.start);
  let end = seamBetweenLines ? start : nextLine(text, Math.max(span.start, span.end - 1));
  for (let lines = 0; lines < contextLines; lines++) {
    if (start > 0) start = startOfLine(text, start - 1);
    end = nextLine(text, end);
  }
  return { start, end };
}

function startOfLine(text: Buffer, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf(lineFeed, at - 1) + 1;
}

function nextLine(text: Buffer, at: number): number {
  return Math.min(lineEnd(text, at) + 1, text.length);
}

/** The lines of `block`; of a long one, those that could be shown at its beginning and its end. */
function rowsOf(text: Buffer, block: Block): readonly Row[] {
  const head = linesFrom(text, block, mostLines);
  const headEnd = head.at(-1)?.end ?? block.start;
  if (headEnd >= block.end) return head;
  let start = block.end;
  for (let lines = 0; lines < mostLines && start > headEnd; lines++) start = startOfLine(text, start - 1);
  const skipped = newlines(text.subarray(headEnd, start));
  const line = block.line + head.length + skipped;
  const tail = linesFrom(text, { line, start, end: block.end }, mostLines);
  return skipped === 0 ? [...head, ...tail] : [...head, { lines: skipped }, ...tail];
}

/** At most `most` lines from the start of `block`, each up to the start of the next. */
function linesFrom(text: Buffer, block: Block, most: number): readonly Line[] {
  const lines: Line[] = [];
  for (let start = block.start; start < block.end && lines.length < most; ) {
    const end = nextLine(text, start);
    lines.push({ line: block.line + lines.length, start, end });
    start = end;
  }
  return lines;
}

/** `row` as it is shown, in full, or, if `changed` is given, cut to what is around a change if it is long. */
function render(text: Buffer, row: Row, changed?: readonly Span[]): string {
  if (row === separator) return separator;
  if (isGap(row)) return marker(row.lines);
  const { start, end } = withoutEnding(text, row);
  if (changed === undefined || end - start <= clippedBytes) {
    // A row that is over the limit by itself is never shown in full.
    return `${row.line}: ${text.toString("utf8", start, Math.min(end, start + 2 * mostBytes))}`;
  }
  const focus = changed.find((span) => span.end > start && span.start <= end)?.start ?? start;
  const earliest = Math.max(start, Math.min(focus - clippedBytes / 4, end - clippedBytes));
  const from = atCharacter(text, earliest);
  const to = Math.max(from, atCharacter(text, Math.min(end, earliest + clippedBytes)));
  const [before, after] = [bytesCut(from - start), bytesCut(end - to)];
  return `${row.line}: ${before}${text.toString("utf8", from, to)}${after}`;
}

function withoutEnding(text: Buffer, { start, end }: Span): Span {
  if (text[end - 1] !== lineFeed) return { start, end };
  return { start, end: text[end - 2] === carriageReturn && end - 2 >= start ? end - 2 : end - 1 };
}

/** `at`, or where the UTF-8 sequence begins that it would split. */
function atCharacter(text: Buffer, at: number): number {
  let start = at;
  while (start > 0 && start < text.length && ((text[start] as number) & 0xc0) === 0x80) start--;
  return start;
}

function bytesCut(count: number): string {
  return count === 0 ? "" : `[... ${count} bytes cut ...]`;
}

function marker(lines: number): string {
  return `[... ${lines} ${lines === 1 ? "line" : "lines"} cut ...]`;
}

/** Rows from both ends in turn, as many as fit beside the marker for what is left out between them. */
function cutInTheMiddle(rows: readonly Row[], shown: readonly string[]): string {
  const head: string[] = [];
  const tail: string[] = [];
  let bytesLeft = mostBytes - marker(2 ** 31).length;
  let [from, to] = [0, rows.length];
  const take = (index: number, end: "head" | "tail"): boolean => {
    const [row, text] = [rows[index], shown[index]];
    if (row === undefined || text === undefined || isGap(row)) return false;
    const bytes = Buffer.byteLength(text) + 1;
    if (bytes > bytesLeft || head.length + tail.length >= mostLines - 1) return false;
    bytesLeft -= bytes;
    if (end === "head") head.push(text);
    else tail.unshift(text);
    return true;
  };
  for (let [more, moreTail] = [true, true]; more || moreTail; ) {
    more = more && from < to && take(from, "head");
    if (more) from++;
    moreTail = moreTail && from < to && take(to - 1, "tail");
    if (moreTail) to--;
  }
  const left = rows.slice(from, to);
  const lines = left.reduce((sum, row) => sum + (row === separator ? 0 : isGap(row) ? row.lines : 1), 0);
  return [...head, marker(lines), ...tail].join("\n");
}

function fits(rows: readonly Row[], shown: readonly string[]): boolean {
  const bytes = shown.reduce((sum, row) => sum + Buffer.byteLength(row) + 1, -1);
  return shown.length <= mostLines && bytes <= mostBytes && !rows.some(isGap);
}
