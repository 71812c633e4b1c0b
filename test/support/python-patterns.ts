/** Patterns of Python's re at random, most of them valid, and short texts for them. */
import fc from "fast-check";

const characters = "abcAB1_ \n-éİıſsKkx😀\r\u2028\u001c\u0085٣ßẞ";
export const texts = fc
  .array(fc.constantFrom(...Array.from(characters)), { maxLength: 8 })
  .map((parts) => parts.join(""));

const places = fc.constantFrom("^", "$", "\\b", "\\B", "\\A", "\\Z");
const singles = fc.constantFrom(
  ...[
    "a",
    "b",
    "c",
    "A",
    "s",
    "k",
    "1",
    "_",
    " ",
    "-",
    "é",
    "İ",
    "ı",
    "ß",
    "😀",
    "\\n",
    ".",
    "\\d",
    "\\w",
    "\\s",
  ],
  ...[
    "\\D",
    "\\W",
    "\\S",
    "[ab]",
    "[^a]",
    "[a-c]",
    "[\\w-]",
    "[^\\W]",
    "[]a]",
    "[^]a]",
    "[a-]",
    "[A-Z]",
    "[é-ı]",
  ],
  ...["[k-s\\d]", "[Ā-Ȁ]", "[😀b]", "\\x61", "\\u0073", "\\141", "\\0", "\\1", "\\2", "(?P=n)"],
);
const quantifiers = fc.constantFrom(
  ...[
    "*",
    "+",
    "?",
    "{2}",
    "{1,2}",
    "{,2}",
    "{0,}",
    "*?",
    "+?",
    "??",
    "{1,2}?",
    "*+",
    "++",
    "?+",
    "{1,2}+",
    "{,",
    "{a}",
  ],
);
const openings = fc.constantFrom(
  ...[
    "(",
    "(",
    "(?:",
    "(?=",
    "(?!",
    "(?>",
    "(?i:",
    "(?s:",
    "(?m:",
    "(?-i:",
    "(?a:",
    "(?x:",
    "(?im-s:",
    "(?(1)",
    "(?(n)",
  ],
);
const behind = fc.tuple(
  fc.constantFrom("(?<=", "(?<!"),
  fc.constantFrom("a", "ab", "a|b", ".", "\\b", "\\w{2}", "a?"),
);
const { alternatives } = fc.letrec<{ alternatives: string; sequence: string; part: string }>((tie) => ({
  alternatives: fc.array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("|")),
  sequence: fc.array(tie("part"), { maxLength: 4 }).map((parts) => parts.join("")),
  part: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    singles,
    places,
    fc.tuple(singles, quantifiers).map((parts) => parts.join("")),
    behind.map(([opening, body]) => `${opening}${body})`),
    fc.tuple(openings, tie("alternatives")).map(([opening, body]) => `${opening}${body})`),
    fc
      .tuple(openings, tie("alternatives"), quantifiers)
      .map(([opening, body, end]) => `${opening}${body})${end}`),
  ),
}));
const shreds = fc
  .array(
    fc.oneof(
      singles,
      places,
      quantifiers,
      openings,
      fc.constantFrom("|", ")", "[", "]", "{", "\\", "(?i)", "(?#c)"),
    ),
    {
      maxLength: 7,
    },
  )
  .map((parts) => parts.join(""));
const flags = fc.constantFrom("", "", "(?i)", "(?m)", "(?s)", "(?x)", "(?a)", "(?ims)", "(?ia)");
const groups = fc.constantFrom("(a)?(?P<n>b)?", "(?P<n>.)(a|)", "(?:(?P<n>a)|(b))*", "((?P<n>a)|b)*?", "");
export const patterns = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(flags, groups, alternatives).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: shreds },
);
