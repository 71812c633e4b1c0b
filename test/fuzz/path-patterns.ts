/** Writable-path patterns, beside Python's fnmatch. */
import { matchesAny } from "../../src/contract/patterns.ts";
import { below, oneOf, type Random } from "../support/random.ts";
import { startPython } from "./python.ts";
import { claim, type Target } from "./target.ts";

const program = `
import fnmatch
def answer(pairs):
    return [fnmatch.fnmatchcase(path, pattern) for pattern, path in pairs]
`;
const inPatterns = [
  "*",
  "*",
  "?",
  "[",
  "]",
  "[!",
  "[^",
  "-",
  "[a-c]",
  "[c-a]",
  "[]]",
  "[!]a]",
  "[]-a]",
  "[--0]",
  "\\",
];
const inPaths = [
  "a",
  "b",
  "c",
  "A",
  "/",
  ".",
  "-",
  "]",
  "[",
  "!",
  "^",
  "\n",
  " ",
  "é",
  "😀",
  "\u{10ffff}",
  "*",
  "?",
  "|",
];

/** A batch of two hundred pairs is one case. */
export function pathPatterns(): Target {
  const oracle = startPython(program);
  return {
    make: (random) => {
      const pairs = Array.from({ length: 200 }, () => pair(random));
      const check = async () => {
        const answers = (await oracle.ask(pairs)) as readonly boolean[];
        const wrong = pairs.filter(
          ([pattern, path], n) => matchesAny([pattern], path) !== answers[n] && !leftWithMark.test(pattern),
        );
        claim(wrong.length === 0, `unlike Python: ${JSON.stringify(wrong[0])}`);
      };
      return { input: pairs, check };
    },
    close: oracle.close,
  };
}

/**
 * Python drops an empty range before it looks for the mark of a negation, so that `[z-a!b]` means `[!b]` to it, by
 * accident; here it holds `!` and `b`.
 */
const leftWithMark = /\[(?:.-.)+!/su;

function pair(random: Random): readonly [pattern: string, path: string] {
  const path = some(random, inPaths, 9);
  // A pattern that begins as the path matches more often.
  const like = Array.from(path)
    .slice(0, below(random, 6))
    .map((character) =>
      random() < 0.3 ? oneOf(random, ["*", "?", `[${character}]`, `[!${character}]`]) : character,
    );
  const pattern = like.join("") + some(random, [...inPatterns, ...inPaths], 7) + (random() < 0.5 ? "*" : "");
  return [pattern, path];
}

function some(random: Random, parts: readonly string[], most: number): string {
  return Array.from({ length: below(random, most) }, () => oneOf(random, parts)).join("");
}
