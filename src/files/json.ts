/**
 * The one reader of JSON from outside: RFC 8259 text, with nothing left to interpretation.
 *
 * `JSON.parse` takes duplicate keys (the last wins), lone surrogates and any depth, and hides whether a
 * number was written as an integer. Strings with escapes are still handed to it, one by one; what is around
 * them is read here, in time linear in the text.
 */

import { setField } from "../fields.ts";
import { type Result, refusal, success } from "../outcome.ts";

export interface JsonLimits {
  readonly maxBytes: number;
  /** Lists and objects within each other. */
  readonly maxDepth?: number;
  /**
   * Gives a number that is not written as an integer (`1.0`, `1e3`) as a boxed `Number`, which no check for
   * an integer accepts and `JSON.stringify` writes as the number it is.
   */
  readonly boxFractions?: boolean;
}

/**
 * Reads one JSON text: UTF-8 without a byte order mark, no duplicate keys, no lone surrogates, no number
 * beyond the range of a double, nothing after the value. `INVALID_JSON` says what is wrong and where.
 */
export function readJson(bytes: Uint8Array, limits: JsonLimits): Result<unknown, "INVALID_JSON"> {
  if (bytes.length > limits.maxBytes) return refusal("INVALID_JSON", `larger than ${limits.maxBytes} bytes`);
  const text = decode(bytes);
  if (text === undefined) return refusal("INVALID_JSON", "not UTF-8");
  if (text.startsWith("\ufeff")) return refusal("INVALID_JSON", "begins with a byte order mark");
  const reader: Reader = {
    text,
    at: 0,
    depthLeft: limits.maxDepth ?? 1000,
    boxFractions: limits.boxFractions ?? false,
  };
  try {
    const value = readValue(reader);
    skipSpace(reader);
    if (reader.at < text.length) fail("there is text after the value");
    return success(value);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refusal("INVALID_JSON", `${error.message} (${position(reader)})`);
  }
}

interface Reader {
  readonly text: string;
  /** Where reading goes on, and where a problem is reported. */
  at: number;
  depthLeft: number;
  readonly boxFractions: boolean;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function readValue(reader: Reader): unknown {
  skipSpace(reader);
  switch (reader.text[reader.at]) {
    case "{":
      return nested(reader, readObject);
    case "[":
      return nested(reader, readList);
    case '"':
      return readString(reader);
    default:
      return readNumberOrName(reader);
  }
}

function nested<Value>(reader: Reader, read: (reader: Reader) => Value): Value {
  if (reader.depthLeft-- === 0) fail("nested too deep");
  reader.at++;
  const value = read(reader);
  reader.depthLeft++;
  return value;
}

function readObject(reader: Reader): unknown {
  const object: Record<string, unknown> = {};
  if (take(reader, "}")) return object;
  do {
    skipSpace(reader);
    const start = reader.at;
    if (reader.text[start] !== '"') fail(`expected a key in double quotes, not ${found(reader)}`);
    const key = readString(reader);
    if (Object.hasOwn(object, key)) {
      reader.at = start;
      fail(`duplicate key ${shown(key)}`);
    }
    if (!take(reader, ":")) fail(`expected ":" after a key, not ${found(reader)}`);
    setField(object, key, readValue(reader));
  } while (take(reader, ","));
  if (!take(reader, "}")) fail(`expected "," or "}", not ${found(reader)}`);
  return object;
}

function readList(reader: Reader): unknown {
  const list: unknown[] = [];
  if (take(reader, "]")) return list;
  do list.push(readValue(reader));
  while (take(reader, ","));
  if (!take(reader, "]")) fail(`expected "," or "]", not ${found(reader)}`);
  return list;
}

function readString(reader: Reader): string {
  const { text, at } = reader;
  let end = text.indexOf('"', at + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end < 0) fail("a string is not closed");
  const raw = text.slice(at + 1, end);
  const value = /[\u0000-\u001f\\]/.test(raw) ? readEscapes(text.slice(at, end + 1)) : raw;
  reader.at = end + 1;
  return value;
}

/** Whether an odd number of backslashes stands before `at`; each run of them is counted for one quote only. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === "\\") before--;
  return (at - before) % 2 === 0;
}

function readEscapes(literal: string): string {
  let value: unknown;
  try {
    value = JSON.parse(literal);
  } catch {
    fail("a string holds a control character or an unknown escape");
  }
  if (typeof value !== "string" || !value.isWellFormed()) fail("a string holds a lone surrogate");
  return value;
}

const names: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

function readNumberOrName(reader: Reader): unknown {
  const token = /-?[0-9A-Za-z][0-9A-Za-z.+-]*/y;
  token.lastIndex = reader.at;
  const word = token.exec(reader.text)?.[0];
  if (word === undefined) fail(`expected a value, not ${found(reader)}`);
  if (Object.hasOwn(names, word)) {
    reader.at += word.length;
    return names[word];
  }
  const parts = /^-?(?:0|[1-9][0-9]*)((?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/.exec(word);
  if (parts === null) fail(`expected a value, not ${shown(word)}`);
  const number = Number(word);
  if (!Number.isFinite(number)) fail("a number is out of range");
  reader.at += word.length;
  return reader.boxFractions && parts[1] !== "" ? Object(number) : number;
}

function skipSpace(reader: Reader): void {
  const { text } = reader;
  for (;;) {
    const code = text.charCodeAt(reader.at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    reader.at++;
  }
}

function take(reader: Reader, mark: string): boolean {
  skipSpace(reader);
  if (reader.text[reader.at] !== mark) return false;
  reader.at++;
  return true;
}

function found(reader: Reader): string {
  const point = reader.text.codePointAt(reader.at);
  return point === undefined ? "the end" : shown(String.fromCodePoint(point));
}

function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
}

/** Line and column count from 1; a column is a UTF-16 unit. */
function position({ text, at }: Reader): string {
  const lines = text.slice(0, at).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
}

/** Leaves the recursion; caught in `readJson`, where the problem becomes a value. */
function fail(problem: string): never {
  throw new SyntaxError(problem);
}
