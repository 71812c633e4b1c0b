/** Reading the JSON records of acceptance: strictly, and with every problem named. */

import { explainProblem } from "../expected/shape.ts";
import { readJson } from "../files/json.ts";
import { readRegularFile } from "../files/read.ts";
import { type Result, refusal, success } from "../outcome.ts";
import type { Problem } from "../problems.ts";

/** No record of a task comes near this size. */
const maxBytes = 64 * 1024 * 1024;

/** The strict JSON value in the file at `path`; `UNREADABLE` says why there is none. */
export function readJsonFile(path: string): Result<unknown, "UNREADABLE"> {
  const file = readRegularFile(path, maxBytes);
  if (!file.ok) return refusal("UNREADABLE", `cannot be read: ${file.message}`);
  return readJsonBytes(file.value);
}

/** The strict JSON value that `bytes` spell: integers are integers, fractions are boxed. */
export function readJsonBytes(bytes: Uint8Array): Result<unknown, "UNREADABLE"> {
  const value = readJson(bytes, { maxBytes, boxFractions: true });
  return value.ok ? value : refusal("UNREADABLE", `is not strict JSON: ${value.message}`);
}

/** A check that adds to `problems` what a value lacks. */
export type Shape<Value> = (value: unknown, problems: Problem[]) => value is Value;

/** `value`, if it has the shape; otherwise everything it gets wrong, in one line. */
export function shaped<Value>(value: unknown, hasShape: Shape<Value>): Result<Value, "MALFORMED"> {
  const problems: Problem[] = [];
  if (Array.isArray(value)) problems.push({ kind: "wrong", path: [], expected: "an object", found: value });
  else if (hasShape(value, problems)) return success(value);
  return refusal("MALFORMED", problems.map(explainProblem).join("; "));
}

/** The record in the file at `path`, strictly read and of the given shape. */
export function readRecord<Value>(
  path: string,
  hasShape: Shape<Value>,
): Result<Value, "UNREADABLE" | "MALFORMED"> {
  const value = readJsonFile(path);
  return value.ok ? shaped(value.value, hasShape) : value;
}
