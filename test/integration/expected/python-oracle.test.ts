/** The pattern dialect against Python itself: the fixtures, random patterns, and every character. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { lower, membership } from "../../../src/expected/pattern/characters.ts";
import { parsePattern } from "../../../src/expected/pattern/parse.ts";
import { searchPattern } from "../../../src/expected/pattern/search.ts";
import { patterns, texts } from "../../support/python-patterns.ts";

type Answer = boolean | "refused";

const folder = join(import.meta.dir, "../../../fixtures/expected/patterns");
const python = Bun.which("python3");
const missing = python === null ? "python3 is not there" : tooOld(python);
if (missing !== undefined) console.log(`skipped: the comparison with Python, because ${missing}`);

describe.skipIf(missing !== undefined)("patterns mean what they mean in Python", () => {
  test.each(readdirSync(folder).filter((file) => file !== "not-honoured.json"))("%s", (file) => {
    const cases: readonly { pattern: string; text?: string; found?: boolean }[] = JSON.parse(
      readFileSync(join(folder, file), "utf8"),
    );
    const answers = askPython(cases.map(({ pattern, text }) => [pattern, text ?? ""]));
    expect(answers).toEqual(cases.map(({ found }) => found ?? "refused"));
  });

  test("random patterns and texts", () => {
    const seed = Number(process.env["FAST_CHECK_SEED"] ?? 20_26);
    const samples = fc.sample(fc.tuple(patterns, texts), { numRuns: 12_000, seed });
    const answers = askPython(samples);
    const differences = samples.filter(([pattern, text], index) => answer(pattern, text) !== answers[index]);
    expect(differences.map((sample) => JSON.stringify(sample))).toEqual([]);
    expect(answers.filter((each) => each === true).length).toBeGreaterThan(500);
    expect(answers.filter((each) => each === false).length).toBeGreaterThan(500);
  });

  test("every assigned character: word, digit, space and lower case", () => {
    const known = everyCharacter();
    const of = (name: "word" | "digit" | "space") =>
      membership({
        negated: false,
        ranges: [],
        categories: [{ name, negated: false }],
        fold: "exact",
        ascii: false,
      });
    const [word, digit, space] = [of("word"), of("digit"), of("space")];
    const differing = known.filter(
      ([code, kinds, small]) =>
        Number(word(code)) + 2 * Number(digit(code)) + 4 * Number(space(code)) !== kinds ||
        lower(code, "unicode") !== small,
    );
    expect(known.length).toBeGreaterThan(100_000);
    expect(differing).toEqual([]);
  }, 60_000);
});

function tooOld(path: string): string | undefined {
  const version = run(path, "import sys; print(sys.version_info >= (3, 11), sys.version.split()[0])", "");
  return version.startsWith("True") ? undefined : `python3 is older than 3.11: ${version.trim()}`;
}

function askPython(cases: readonly (readonly [pattern: string, text: string])[]): readonly Answer[] {
  const program = `
import json, re, sys, warnings
warnings.simplefilter("ignore")
def ask(pattern, text):
    try:
        return bool(re.compile(pattern).search(text))
    except (re.error, OverflowError, ValueError, RecursionError):
        return "refused"
json.dump([ask(*case) for case in json.load(sys.stdin)], sys.stdout)`;
  return JSON.parse(run(python ?? "", program, JSON.stringify(cases)));
}

/** Code point, kinds (1 word, 2 digit, 4 space), lower case; unassigned characters left out. */
function everyCharacter(): readonly (readonly [number, number, number])[] {
  const program = `
import json, sys, unicodedata, _sre
rows = []
for code in range(0x110000):
    character = chr(code)
    if unicodedata.category(character) in ("Cn", "Cs"): continue
    kinds = (character.isalnum() or character == "_") + 2 * character.isdecimal() + 4 * character.isspace()
    rows.append([code, kinds, _sre.unicode_tolower(code)])
json.dump(rows, sys.stdout)`;
  return JSON.parse(run(python ?? "", program, ""));
}

function run(path: string, program: string, stdin: string): string {
  const child = Bun.spawnSync([path, "-c", program], { stdin: Buffer.from(stdin), stderr: "pipe" });
  if (child.exitCode !== 0) throw new Error(child.stderr.toString());
  return child.stdout.toString();
}

function answer(pattern: string, text: string): Answer | string {
  const parsed = parsePattern(pattern);
  if ("problem" in parsed) return "refused";
  const searched = searchPattern(parsed, text, 5000);
  const outcome = typeof searched === "number" ? "found" : searched;
  return outcome === "found" ? true : outcome === "absent" ? false : outcome;
}
