/** Characters and places of the text that is searched. Positions are those of UTF-16 units. */
import { isWord } from "./characters.ts";
import { places } from "./program.ts";

/** The code point at `position`, -1 at the end. */
export function characterAt(text: string, position: number): number {
  if (position >= text.length) return -1;
  const unit = text.charCodeAt(position);
  return unit >= 0xd800 && unit <= 0xdbff ? (text.codePointAt(position) ?? unit) : unit;
}

/** The width of the character that ends at `position`. */
export function widthBefore(text: string, position: number): number {
  const unit = text.charCodeAt(position - 1);
  return unit >= 0xdc00 && unit <= 0xdfff ? 2 : 1;
}

/** `count` characters before `position`; -1 if there are not so many. A `count` of -1 stays where it is. */
export function stepBack(text: string, position: number, count: number): number {
  let from = position;
  for (let left = count; left > 0; left--) {
    if (from <= 0) return -1;
    from -= widthBefore(text, from);
  }
  return from;
}

/** Whether `position` is the place of that number. */
export function isPlace(text: string, position: number, place: number, ascii: boolean): boolean {
  const { length } = text;
  const asked = places[place];
  if (asked === undefined) throw new Error(`no place ${place}`);
  switch (asked) {
    case "start":
      return position === 0;
    case "line start":
      return position === 0 || text.charCodeAt(position - 1) === newline;
    case "very end":
      return position === length;
    case "end":
      return position === length || (position === length - 1 && text.charCodeAt(position) === newline);
    case "line end":
      return position === length || text.charCodeAt(position) === newline;
    case "boundary":
      return isBoundary(text, position, ascii);
    case "no boundary":
      // Python (before 3.14) finds neither a boundary nor its absence in an empty text.
      return length > 0 && !isBoundary(text, position, ascii);
  }
}

const newline = 10;

function isBoundary(text: string, position: number, ascii: boolean): boolean {
  const before = position > 0 && isWord(characterAt(text, position - widthBefore(text, position)), ascii);
  const after = position < text.length && isWord(characterAt(text, position), ascii);
  return before !== after;
}
