/** The pattern dialect, beside Python's re: the same verdict, and the same place of the match. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parsePattern } from "../../src/expected/pattern/parse.ts";
import { searchPattern } from "../../src/expected/pattern/search.ts";
import { patterns, texts } from "../support/python-patterns.ts";
import { below, oneOf, type Random } from "../support/random.ts";
import { mutate } from "./mutate.ts";
import { startPython } from "./python.ts";
import { claim, type Target } from "./target.ts";

/** Positions in UTF-16, as the engine counts. A search that Python does not end in a second counts for nothing. */
const program = `
import re, signal, warnings
warnings.simplefilter("ignore")
# Group numbers with spaces, signs and the like, which 3.12 refuses.
warnings.simplefilter("error", DeprecationWarning)
def late(number, frame):
    raise TimeoutError
signal.signal(signal.SIGALRM, late)
def one(pattern, text):
    try:
        match = re.compile(pattern).search(text)
        return -1 if match is None else len(text[:match.start()].encode("utf-16-le")) // 2
    except (re.error, OverflowError, ValueError, RecursionError, DeprecationWarning):
        return "refused"
def timed(pattern, text):
    # The alarm may come as late as the timer is being taken back.
    try:
        signal.setitimer(signal.ITIMER_REAL, 1)
        found = one(pattern, text)
        signal.setitimer(signal.ITIMER_REAL, 0)
        return found
    except TimeoutError:
        return "late"
def answer(pairs):
    re.purge()
    return [timed(pattern, text) for pattern, text in pairs]
`;
const fixtures = join(import.meta.dir, "../../fixtures/expected/patterns");
const words = [
  ...[
    "(?i)",
    "(?x)",
    "(?a)",
    "(?m)",
    "(?s)",
    "(?:",
    "(?P<n>",
    "(?P=n)",
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?>",
    "(?(1)",
  ],
  ...[
    "\\b",
    "\\B",
    "\\A",
    "\\Z",
    "\\d",
    "\\W",
    "\\1",
    "\\10",
    "\\x4",
    "\\u00e9",
    "\\U0001f600",
    "\\N{x}",
    "[[",
    "--",
  ],
  ...["{1,2}", "{,3}", "{2}?", "*+", "+?", "|", ")", "]", "^", "$", ".", "[^", "&&", "~~", "||", "#", "\\"],
];

/** A batch of a hundred pairs is one case. */
export function pythonPatterns(): Target {
  const oracle = startPython(program);
  const seeds = readdirSync(fixtures)
    .flatMap((name): { readonly pattern: string }[] => JSON.parse(readFileSync(join(fixtures, name), "utf8")))
    .map(({ pattern }) => Buffer.from(pattern))
    .filter(({ length }) => length < 100);
  return {
    make: (random) => {
      const made = fc.sample(fc.tuple(patterns, texts), { numRuns: 60, seed: below(random, 2 ** 31) });
      const changed = Array.from({ length: 40 }, () => [nearTo(random, seeds), textFrom(random)] as const);
      const pairs = [...made, ...changed];
      const check = async () => {
        const answers = (await oracle.ask(pairs)) as readonly (number | "late" | "refused")[];
        for (const [n, pair] of pairs.entries()) checkPair(pair, answers[n]);
      };
      return { input: pairs, check };
    },
    close: oracle.close,
  };
}

function checkPair([pattern, text]: readonly [string, string], theirs: number | string | undefined): void {
  const parsed = parsePattern(pattern);
  const shown = JSON.stringify([pattern, text]);
  if ("problem" in parsed) {
    const isNamed = /not supported|a and u are incompatible/.test(parsed.problem);
    claim(theirs === "refused" || theirs === "late" || isNamed, `refused ${shown}: ${parsed.problem}`);
    return;
  }
  const ours = searchPattern(parsed, text, 5000);
  if (theirs === "late") return;
  claim((ours === "absent" ? -1 : ours) === theirs, `${shown}: ${ours}, Python says ${theirs}`);
}

function nearTo(random: Random, seeds: readonly Uint8Array[]): string {
  // The engine is only ever asked for text.
  return mutate(random, seeds, words).toString("utf8").slice(0, 200);
}

function textFrom(random: Random): string {
  const parts = [..."abcABxyz019_ -\n\réßıſK😀\u2028٣", "foo", "bar", "TODO"];
  return Array.from({ length: below(random, 14) }, () => oneOf(random, parts)).join("");
}
