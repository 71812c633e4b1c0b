/** What the generated validators report: where a value breaks its schema, and what would be accepted there. */

export type Path = readonly (string | number)[];

export interface Problem {
  /** `undeclared` is a key that a closed object does not know; of a `size`, `found` is the size. */
  readonly kind: "missing" | "undeclared" | "wrong" | "size";
  readonly path: Path;
  /** What would be accepted, with its article: `a list of non-empty strings`. Empty if `undeclared`. */
  readonly expected: string;
  /** The value that was found; undefined if `missing`. */
  readonly found: unknown;
}

export function missing(problems: Problem[], path: Path, expected: string): void {
  problems.push({ kind: "missing", path, expected, found: undefined });
}

export function undeclared(problems: Problem[], path: Path, found: unknown): void {
  problems.push({ kind: "undeclared", path, expected: "", found });
}

export function wrong(problems: Problem[], path: Path, expected: string, found: unknown): void {
  problems.push({ kind: "wrong", path, expected, found });
}

/** The place as a person writes it: `edits[2].old_text`. Empty for the whole value. */
export function placeOf(path: Path): string {
  let place = "";
  for (const step of path) {
    if (typeof step === "number") {
      place += `[${step}]`;
      continue;
    }
    const name = step.length > longestShown ? `${step.slice(0, longestShown)}...` : step;
    place += place === "" ? name : `.${name}`;
  }
  return place;
}

/**
 * What is wrong, in words that follow the place: `must be a list of strings, not a number (7)`. `mapping` is
 * the format's word for an object.
 */
export function mismatch({ kind, expected, found }: Problem, mapping = "an object"): string {
  const accepted = expected === "an object" ? mapping : expected;
  if (kind === "missing") return `is missing: it must be ${accepted}`;
  if (kind === "undeclared") return "is not known";
  if (kind === "size") return `must be ${accepted}, not ${found}`;
  const isLength = Array.isArray(found) && found.length > 0 && expected.startsWith("a list");
  return `must be ${accepted}, not ${isLength ? `a list of ${found.length}` : describe(found, mapping)}`;
}

/** What a value is, for a message: `a list`, `a number (7)`. */
export function describe(value: unknown, mapping = "an object"): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (value === "") return "an empty string";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (value instanceof Number) return `a number (${value})`;
  if (typeof value === "object") return mapping;
  if (typeof value !== "string") return `a ${typeof value} (${value})`;
  const text = JSON.stringify(value);
  return text.length > longestShown ? `a string of ${value.length} characters` : `a string (${text})`;
}

/** Of a name, or of a string with its quotes. A digest is shown. */
const longestShown = 80;
