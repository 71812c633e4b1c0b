import { oneLine } from "../outcome.ts";

/**
 * `text` as a person is to see it: on one line, at most `limit` characters, and with what is invisible or turns
 * the direction of what follows written out, so that it cannot pass for another text.
 */
export function shown(text: string, limit: number): string {
  const characters = [...text.slice(0, 2 * limit + 2)];
  const cut = characters.length > limit ? `${characters.slice(0, limit).join("")}…` : text;
  return oneLine(cut)
    .toWellFormed()
    .replace(invisible, (character) => {
      return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
    });
}

// Format characters: marks of direction, joiners, tags, soft hyphens.
const invisible = /\p{Cf}/gu;
