import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { explainMissing } from "../../../src/mutation/near-miss.ts";

const explain = (text: string, anchor: string) => explainMissing(Buffer.from(text), Buffer.from(anchor));

const code = "def f():\n    return 1\n\ndef g():\n\treturn 2  \n    x = 3\n";

describe("an anchor that misses only in white space", () => {
  test.each([
    ["indented by tabs", code, "\treturn 1", "line 2 begins with 4 spaces where old_text has 1 tab"],
    [
      "indented by tabs below",
      code,
      "f():\n\treturn 1\n",
      "line 2 begins with 4 spaces where old_text has 1 tab",
    ],
    [
      "not indented",
      code,
      "f():\nreturn 1\n",
      "line 2 begins with 4 spaces where old_text has no white space",
    ],
    ["indented where the file is not", code, "x\n  def f", undefined],
    [
      "trailing blanks left out",
      code,
      "return 2\n    x",
      "line 5 ends with 2 spaces and LF where old_text ends with LF",
    ],
    [
      "trailing blanks added",
      code,
      "return 1 \n",
      "line 2 ends with LF where old_text ends with 1 space and LF",
    ],
    [
      "trailing blanks at the very end",
      "a = 1",
      "a = 1 ",
      "line 1 ends with no white space where old_text ends with 1 space",
    ],
    [
      "CRLF in the anchor",
      code,
      "f():\r\n    return 1\r\n",
      "line 1 ends with LF where old_text ends with CRLF",
    ],
    ["CRLF in the file, once", "a\r\nb\nc\n", "a\nb\n", "line 1 ends with CRLF where old_text ends with LF"],
    [
      "a last line without ending",
      "a\nlast",
      "last\n",
      "line 2 is the file's last and has no line ending where old_text goes on",
    ],
    ["a blank line too many at the end", code, "x = 3\n\n", "in the blank lines after what is at line 6"],
    [
      "a blank line too many at the start",
      "a\nb\n",
      "\n\na\nb",
      "in the blank lines around what is at line 1",
    ],
    ["mixed blanks", "\t  x\n", "\tx", "line 1 begins with 1 tab and 2 spaces where old_text has 1 tab"],
  ])("%s", (_name, text, anchor, fact) => {
    if (fact === undefined) expect(explain(text, anchor)).not.toContain("only in white space");
    else expect(explain(text, anchor)).toContain(`; it misses only in white space: ${fact}`);
  });

  test("says how often", () => {
    expect(explain("  a\nb\n  a\n   a\n", "\ta\n")).toMatch(/; so it does in 2 more places$/);
    expect(explain("  a\nb\n  a\n", "\ta\n")).toMatch(/; so it does in 1 more place$/);
  });

  test("tells at most three differences", () => {
    const message = explain("  a\n  b\n  c\n  d\n", "\ta\n\tb\n\tc\n\td\n");
    expect(message.match(/where old_text/g)).toHaveLength(3);
  });

  test("a whole line is never found inside a longer one", () => {
    expect(explain("foo bar\n", "foo\n")).not.toContain("only in white space");
    expect(explain("bar foo\n", "\nfoo")).not.toContain("only in white space");
    expect(explain("bar foo\n", "foo \n")).toContain("only in white space");
  });

  test("is told of every anchor whose outer white space was changed", () => {
    const blanks = fc.string({ unit: fc.constantFrom(" ", "\t"), maxLength: 3 });
    const line = fc.tuple(blanks, fc.constantFrom("a", "b c", "if x:", "}"), blanks);
    let missed = 0;
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 8 }),
        fc.nat(),
        fc.nat(),
        blanks,
        blanks,
        (lines, a, b, lead, trail) => {
          const text = lines.map((parts) => `${parts.join("")}\n`).join("");
          const from = a % lines.length;
          const chosen = lines.slice(from, from + 1 + (b % (lines.length - from)));
          const anchor = chosen.map(([, content]) => `${lead}${content}${trail}\n`).join("");
          if (text.includes(anchor)) return;
          missed++;
          expect(explain(text, anchor)).toMatch(/^; it misses only in white space: line \d+ /);
        },
      ),
      { numRuns: 3_000 },
    );
    expect(missed).toBeGreaterThan(500);
  });
});

describe("an anchor that is not there", () => {
  test("how much of its beginning is, and how the file goes on", () => {
    expect(explain(code, "def f():\n    return 2\n")).toBe(
      '; white space aside, its first line is at line 1, but line 2 reads "    return 1"',
    );
    expect(explain(code, "def f():\n    return 1\n\ndef h():\n")).toBe(
      '; white space aside, its first 3 lines are at line 1, but line 4 reads "def g():"',
    );
    expect(explain("a\nlast", "a\nlast\nmore")).toBe(
      "; white space aside, its first 2 lines are at line 1, but the file ends there",
    );
    expect(explain("foo(a, b)\n", "foo(a, c)")).toBe(
      '; its first 7 bytes are at line 1, but line 1 reads "foo(a, b)"',
    );
    expect(explain("a b\n", "a\nb")).toBe('; its first byte is at line 1, but line 1 reads "a b"');
  });

  test("nothing, when hardly anything of it is", () => {
    expect(explain(code, "nothing like it")).toBe("");
    expect(explain("", "x")).toBe("");
  });

  test("white space alone", () => {
    expect(explain(code, " \n \t\n")).toBe("; it is white space alone");
  });

  test("mixed line endings are told in any case", () => {
    expect(explain("a\r\nb\n", "zzz")).toBe("; the file mixes line endings: 1 CRLF and 1 LF");
    expect(explain("a\r\nb\r\n", "zzz")).toBe("");
  });

  test("a long line is quoted around the place, cut between characters", () => {
    const message = explain(`${"\u00e9".repeat(5_000)}x = 1;${"\u00e9".repeat(5_000)}\n`, "x = 1;y");
    expect(message).toMatch(
      /^; its first 6 bytes are at line 1, but line 1 reads \.\.\."\u00e9+x = 1;\u00e9+"\.\.\.$/,
    );
    expect(Buffer.byteLength(message)).toBeLessThan(400);
  });
});
