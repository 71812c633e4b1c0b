import { type MutationRefusalCode, type Result, refusal, success } from "../outcome.ts";
import { endsLinesInCrlf, toCrlf } from "./line-endings.ts";
import { explainMissing } from "./near-miss.ts";
import { lineAt, scan } from "./search.ts";

/** One exact-text replacement. `old_text` is not empty. */
export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
}

/** Bytes from `start` up to, not including, `end`. An empty span is the seam a deletion left. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Edited {
  readonly text: Buffer;
  /** What was changed, in the order and the places of `text`; no two overlap. */
  readonly changed: readonly Span[];
  /** `crlf` if a line feed of an edit was read as CRLF. */
  readonly match: "exact" | "crlf";
}

type EditRefusalCode = Extract<MutationRefusalCode, "NO_CHANGE_REQUESTED" | `ANCHOR_${string}`>;

/** The bytes by which a text can grow, at most, while `edits` are applied to it. */
export function roomFor(edits: readonly Edit[]): number {
  return edits.reduce((room, edit) => room + 2 * Buffer.byteLength(edit.new_text), 0);
}

/**
 * Applies `edits` one after the other, in place, to the first `length` bytes of `buffer`, which has `roomFor`
 * them. Each `old_text` must occur exactly once in the text as the earlier edits left it.
 *
 * In a text that has line endings, all of them CRLF, every bare LF in an edit is read as CRLF. Refuses with
 * `NO_CHANGE_REQUESTED`, `ANCHOR_ALREADY_APPLIED`, `ANCHOR_MISSING` and `ANCHOR_AMBIGUOUS`; what is left in
 * `buffer` is then of no use. Time is linear in the text and the edits.
 */
export function applyEdits(
  buffer: Buffer,
  length: number,
  edits: readonly Edit[],
): Result<Edited, EditRefusalCode> {
  const crlf = endsLinesInCrlf(buffer.subarray(0, length));
  const read = edits.map((edit) =>
    crlf ? { old_text: toCrlf(edit.old_text), new_text: toCrlf(edit.new_text) } : edit,
  );
  const name = (index: number) => {
    if (edits.length === 1) return "";
    return index === 0 ? "edits[0]: " : `edits[${index}] (in the text as the edits before it left it): `;
  };
  const same = read.findIndex((edit) => edit.old_text === edit.new_text);
  if (same >= 0) {
    const which = edits.length === 1 ? "" : `edits[${same}]: `;
    return refusal("NO_CHANGE_REQUESTED", `${which}old_text and new_text are equal`);
  }

  let text = buffer.subarray(0, length);
  let changed: readonly Span[] = [];
  for (const [index, edit] of read.entries()) {
    const anchor = Buffer.from(edit.old_text);
    const replacement = Buffer.from(edit.new_text);
    const at = text.indexOf(anchor);
    const who = name(index);
    if (at < 0) return notFound(text, anchor, replacement, who);
    if (text.indexOf(anchor, at + 1) >= 0) return ambiguous(text, anchor, who);
    buffer.copyWithin(at + replacement.length, at + anchor.length, text.length);
    replacement.copy(buffer, at);
    text = buffer.subarray(0, text.length - anchor.length + replacement.length);
    changed = withChange(changed, at, anchor.length, replacement.length);
  }
  const rewritten = read.some(
    (edit, index) => edit.old_text !== edits[index]?.old_text || edit.new_text !== edits[index]?.new_text,
  );
  return success({ text, changed, match: rewritten ? "crlf" : "exact" });
}

function notFound(
  text: Buffer,
  anchor: Buffer,
  replacement: Buffer,
  name: string,
): Result<never, EditRefusalCode> {
  const applied = replacement.length === 0 ? -1 : text.indexOf(replacement);
  if (applied >= 0) {
    return refusal(
      "ANCHOR_ALREADY_APPLIED",
      `${name}old_text does not occur, and new_text is there already, at line ${lineAt(text, applied)}`,
    );
  }
  return refusal("ANCHOR_MISSING", `${name}old_text does not occur${explainMissing(text, anchor)}`);
}

function ambiguous(text: Buffer, anchor: Buffer, name: string): Result<never, EditRefusalCode> {
  const { count, lines } = scan(text, anchor, 10);
  const places = lines.length === 1 ? `line ${lines[0]}` : `lines ${lines.join(", ")}`;
  const first = count > lines.length && lines.length === 10 ? "first on " : "on ";
  return refusal(
    "ANCHOR_AMBIGUOUS",
    `${name}old_text occurs ${count} times, ${first}${places}; take in text around the one that is meant`,
  );
}

/** `changed` once `removed` bytes at `at` gave way to `added`: later spans move, those it touches become one. */
function withChange(changed: readonly Span[], at: number, removed: number, added: number): readonly Span[] {
  const growth = added - removed;
  const before = changed.filter((span) => span.end < at);
  const after = changed.filter((span) => span.start > at + removed);
  const touched = changed.filter((span) => span.end >= at && span.start <= at + removed);
  const union = {
    start: Math.min(at, ...touched.map((span) => span.start)),
    end: Math.max(at + removed, ...touched.map((span) => span.end)) + growth,
  };
  const moved = after.map((span) => ({ start: span.start + growth, end: span.end + growth }));
  return [...before, union, ...moved];
}
