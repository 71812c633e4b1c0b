/** How often a part may be repeated. */
import { at, fail, matchNext, peek, type Source, takeWhile } from "./source.ts";

/** At least, and at most, how often. */
type Bounds = readonly [number, number];

/** The bounds that `*`, `+`, `?` or `{m,n}` sets; its first character is taken. Nothing if it sets none. */
export function readBounds(source: Source, character: string, start: number): Bounds | undefined {
  return character === "{" ? readBraces(source, start) : simpleBounds[character];
}

const simpleBounds: Readonly<Record<string, Bounds>> = {
  "?": [0, 1],
  "*": [0, Number.POSITIVE_INFINITY],
  "+": [1, Number.POSITIVE_INFINITY],
};

/** After an opening brace: the bounds, or nothing (and nothing taken) if they are not written as such. */
function readBraces(source: Source, start: number): Bounds | undefined {
  const here = at(source);
  if (peek(source) === "}") return undefined;
  const low = takeWhile(source, /[0-9]/);
  const high = matchNext(source, ",") ? takeWhile(source, /[0-9]/) : low;
  if (!matchNext(source, "}")) {
    source.index = here;
    return undefined;
  }
  const bounds = [
    low === "" ? 0 : Number(low),
    high === "" ? Number.POSITIVE_INFINITY : Number(high),
  ] as const;
  if (bounds.some((bound) => bound >= 4294967295 && bound !== Number.POSITIVE_INFINITY)) {
    fail(source, "the repetition number is too large", start);
  }
  if (bounds[1] < bounds[0]) fail(source, "min repeat greater than max repeat", start);
  return bounds;
}
