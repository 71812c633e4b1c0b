/**
 * Which characters a set holds, by the rules of Python's `re` for text patterns.
 *
 * Documentation: https://docs.python.org/3/library/re.html (`\d`, `\s`, `\w`, `re.IGNORECASE`, `re.ASCII`).
 * Characters are code points. The Unicode version is that of the runtime: a character assigned in the last
 * few years can be a letter here and unassigned in an older Python.
 */
import type { Category, CharacterSet, Fold } from "./syntax.ts";

/** A test for the characters of `set`, given as code points. */
export function membership(set: CharacterSet): (code: number) => boolean {
  const { ranges, categories, fold, ascii, negated } = set;
  const inRanges = (code: number) => ranges.some(([low, high]) => code >= low && code <= high);
  const inCategories = (code: number) => categories.some((category) => categoryHolds(category, code, ascii));
  if (fold === "exact") return (code) => (inRanges(code) || inCategories(code)) !== negated;
  const lowered = loweredMembers(set);
  return (code) => {
    const small = lower(code, fold);
    const same = variants(small, fold);
    return (same.some((each) => inRanges(each) || lowered.has(each)) || inCategories(small)) !== negated;
  };
}

/** `code` in lower case, one character for one character. */
export function lower(code: number, fold: Fold): number {
  if (code < 128) return code >= 65 && code <= 90 && fold !== "exact" ? code + 32 : code;
  if (fold !== "unicode") return code;
  return String.fromCodePoint(code).toLowerCase().codePointAt(0) ?? code;
}

/** Whether `code` belongs to a word, as `\w` and `\b` see it. */
export function isWord(code: number, ascii: boolean): boolean {
  if (code < 128) {
    return (
      (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
    );
  }
  return !ascii && /^[\p{L}\p{N}]/u.test(String.fromCodePoint(code));
}

function categoryHolds(category: Category, code: number, ascii: boolean): boolean {
  return classHolds(category.name, code, ascii) !== category.negated;
}

function classHolds(name: Category["name"], code: number, ascii: boolean): boolean {
  switch (name) {
    case "word":
      return isWord(code, ascii);
    case "digit":
      if (code < 128) return code >= 48 && code <= 57;
      return !ascii && /^\p{Nd}/u.test(String.fromCodePoint(code));
    case "space":
      if (code < 128) return code === 32 || (code >= 9 && code <= 13) || (!ascii && code >= 28 && code <= 31);
      // Python counts the separators FS to US and NEL, and not the zero-width no-break space.
      return !ascii && (code === 0x85 || /^[\p{Zs}\p{Zl}\p{Zp}]/u.test(String.fromCodePoint(code)));
  }
}

/** The lower-case form of every upper-case character in the set's ranges. */
function loweredMembers({ ranges, fold }: CharacterSet): ReadonlySet<number> {
  const members = upperCase(fold).filter(([code]) =>
    ranges.some(([low, high]) => code >= low && code <= high),
  );
  return new Set(members.map(([, small]) => small));
}

/** Every character that has another one as its lower case, with that one. */
function upperCase(fold: Fold): readonly (readonly [code: number, small: number])[] {
  const known = upperCases.get(fold);
  if (known !== undefined) return known;
  const pairs: (readonly [number, number])[] = [];
  for (let code = 0; code <= (fold === "ascii" ? 127 : lastCased); code++) {
    const small = lower(code, fold);
    if (small !== code) pairs.push([code, small]);
  }
  upperCases.set(fold, pairs);
  return pairs;
}

const upperCases = new Map<Fold, readonly (readonly [number, number])[]>();

/** No character beyond this one has a case (Adlam ends here), with room for later scripts of that plane. */
const lastCased = 0x1ffff;

/** The lower-case characters that count as the same as `lowered`, itself included. */
function variants(lowered: number, fold: Fold): readonly number[] {
  return (fold === "unicode" ? sameUpperCase.get(lowered) : undefined) ?? [lowered];
}

/** Different lower-case characters with one upper case, which ignoring case makes equal. */
const sameUpperCase: ReadonlyMap<number, readonly number[]> = new Map(
  [
    "iı",
    "sſ",
    "µμ",
    "\u0345ι\u1fbe",
    "\u0390\u1fd3",
    "\u03b0\u1fe3",
    "βϐ",
    "εϵ",
    "θϑ",
    "κϰ",
    "πϖ",
    "ρϱ",
    "ςσ",
    "φϕ",
    "в\u1c80",
    "д\u1c81",
    "о\u1c82",
    "с\u1c83",
    "т\u1c84\u1c85",
    "ъ\u1c86",
    "ѣ\u1c87",
    "\u1c88\ua64b",
    "\u1e61\u1e9b",
    "\ufb05\ufb06",
  ].flatMap((group) => {
    const codes = Array.from(group, (character) => character.codePointAt(0) ?? 0);
    return codes.map((code) => [code, codes] as const);
  }),
);
