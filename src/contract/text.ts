/** The bytes of a YAML file as text, by YAML 1.2's own rules (chapter 5, character set and encodings). */
import { type Refusal, refusal, type Success, success } from "../outcome.ts";

/** A refusal, and the line of the file it is about, from 1; null where it is about none. */
export interface LocatedRefusal<Code extends string> extends Refusal<Code> {
  readonly line: number | null;
}

export type Located<Value, Code extends string> = Success<Value> | LocatedRefusal<Code>;

/** The refusal of what stands at `at` in `text`; the message ends with the place. */
export function refusalAt<Code extends string>(
  code: Code,
  problem: string,
  text: string,
  at: number,
): LocatedRefusal<Code> {
  const place = placeAt(text, at);
  return { ...refusal(code, `${problem} at ${inWords(place)}`), line: place.line };
}

/**
 * UTF-8, with or without a byte order mark, or UTF-16 with one (PowerShell's `>` writes it), without the
 * mark; a carriage return alone is a line feed, since both are line breaks and the parser knows only one.
 * `INVALID_TEXT` for any other encoding and for characters YAML forbids, with their place.
 */
export function decodeText(bytes: Uint8Array): Located<string, "INVALID_TEXT"> {
  const encoding = encodingOf(bytes);
  const text = decode(bytes, encoding);
  if (text === undefined) {
    return { ...refusal("INVALID_TEXT", `not ${encoding.toUpperCase()} text`), line: null };
  }
  const at = text.search(forbidden);
  if (at < 0) return success(text.replace(/\r(?!\n)/g, "\n"));
  const point = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return refusalAt("INVALID_TEXT", `the character U+${point} is not allowed`, text, at);
}

/** A place in a text, both numbers from 1; a column is a character. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export function placeAt(text: string, at: number): Place {
  const lines = text.slice(0, at).split("\n");
  return { line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1 };
}

export function inWords({ line, column }: Place): string {
  return `line ${line}, column ${column}`;
}

/**
 * Everything outside nb-char: what is not printable, and a byte order mark, which would stand unseen in a name. A
 * surrogate cannot stand alone in decoded text.
 */
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufeff\ufffe\uffff]/;

function encodingOf(bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return "utf-8";
}

function decode(bytes: Uint8Array, encoding: "utf-8" | "utf-16le" | "utf-16be"): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
