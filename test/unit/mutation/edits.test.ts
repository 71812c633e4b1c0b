import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { applyEdits, type Edit, roomFor } from "../../../src/mutation/edits.ts";

type Pair = readonly [old: string, replacement: string];

function apply(text: string | Buffer, ...pairs: readonly Pair[]) {
  const bytes = Buffer.from(text);
  const edits: readonly Edit[] = pairs.map(([old_text, new_text]) => ({ old_text, new_text }));
  const buffer = Buffer.concat([bytes, Buffer.alloc(roomFor(edits), "!")]);
  return applyEdits(buffer, bytes.length, edits);
}

function applied(text: string, ...pairs: readonly Pair[]) {
  const result = apply(text, ...pairs);
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
  return result.value;
}

function refused(text: string, ...pairs: readonly Pair[]) {
  const result = apply(text, ...pairs);
  if (result.ok) throw new Error(`applied: ${result.value.text}`);
  return `${result.code}: ${result.message}`;
}

describe("one edit", () => {
  test.each([
    ["at the start", "abc", ["a", "x"], "xbc"],
    ["at the end", "abc", ["c", "xyz"], "abxyz"],
    ["the whole text", "abc", ["abc", "x"], "x"],
    ["a deletion", "abc", ["b", ""], "ac"],
    ["of everything", "abc", ["abc", ""], ""],
    ["that grows", "abc", ["b", "bbbbbbbbbb"], "abbbbbbbbbbc"],
    ["old_text in new_text", "f(x)", ["x", "x, x"], "f(x, x)"],
    ["with patterns taken literally", "a$1.*\\b", ["$1.*\\", "$&$`\\1"], "a$&$`\\1b"],
    ["with a NUL", "a\0b", ["\0", "0"], "a0b"],
    [
      "of more than one byte a character",
      "h\u00e9llo \u{1f600}",
      ["\u{1f600}", "\u{1f601}"],
      "h\u00e9llo \u{1f601}",
    ],
    ["not composed", "e\u0301 \u00e9", ["\u00e9", "x"], "e\u0301 x"],
    ["a BOM kept", "\ufeffabc", ["a", "x"], "\ufeffxbc"],
    ["no final newline kept", "a\nb", ["a", "x"], "x\nb"],
  ] as const)("%s", (_name, text, edit, expected) => {
    expect(applied(text, edit).text.toString()).toBe(expected);
  });

  test("changes exactly the span of the anchor, and its inverse gives the same bytes", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "b", "\n", "\r\n", " ", "\u00e9", "\u{1f600}"),
      maxLength: 60,
    });
    let unique = 0;
    fc.assert(
      fc.property(text, text, text, text, (before, old, after, replacement) => {
        const whole = before + old + after;
        if (old === "" || whole.indexOf(old) !== whole.lastIndexOf(old)) return;
        // In a text whose lines all end in CRLF these are one and the same.
        if (old.replaceAll("\r\n", "\n") === replacement.replaceAll("\r\n", "\n")) return;
        unique++;
        const result = applied(whole, [old, replacement]);
        const at = whole.indexOf(old);
        const crlf = result.match === "crlf" ? replacement.replaceAll(/(?<!\r)\n/g, "\r\n") : replacement;
        const expected = whole.slice(0, at) + crlf + whole.slice(at + old.length);
        expect(result.text.toString()).toBe(expected);
        expect(result.changed).toEqual([
          {
            start: Buffer.byteLength(whole.slice(0, at)),
            end: Buffer.byteLength(whole.slice(0, at) + crlf),
          },
        ]);
        // Where all lines end in CRLF by now, an LF in what comes back would be read as CRLF.
        if (!/(?<!\r)\n/.test(expected) && /(?<!\r)\n/.test(old)) return;
        if (crlf === "" || expected.indexOf(crlf) !== expected.lastIndexOf(crlf)) return;
        expect(applied(expected, [crlf, old]).text.toString()).toBe(whole);
      }),
      { numRuns: 5_000 },
    );
    expect(unique).toBeGreaterThan(1_000);
  });
});

describe("several edits", () => {
  test("each is matched against what the earlier ones left", () => {
    expect(applied("abc", ["a", "xx"], ["xxb", "y"], ["c", ""]).text.toString()).toBe("y");
    expect(applied("one two", ["one", "two!"], ["two!", "1"]).text.toString()).toBe("1 two");
  });

  test("what changed is told in the order of the text, and joined where edits touch", () => {
    expect(applied("a b c d", ["d", "dddd"], ["a", ""], ["b", "bbb"]).changed).toEqual([
      { start: 0, end: 0 },
      { start: 1, end: 4 },
      { start: 7, end: 11 },
    ]);
    expect(applied("a b c d", ["b", "xyz"], ["z c", "!"]).changed).toEqual([{ start: 2, end: 5 }]);
    expect(applied("a b c d", ["b c", "xyz"], ["y", ""]).changed).toEqual([{ start: 2, end: 4 }]);
    expect(applied("a b c d", ["b", "xyz"], ["a xyz c", ""]).changed).toEqual([{ start: 0, end: 0 }]);
  });

  test("outside of what changed, every byte is as before", () => {
    const edit = fc.tuple(
      fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), minLength: 1, maxLength: 3 }),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(..."abcdefgh"), { minLength: 8 }),
        fc.array(edit),
        (text, edits) => {
          const before = text.join("");
          const fitting = edits.filter(([old, replacement]) => old !== replacement);
          if (fitting.length === 0) return;
          const result = apply(before, ...fitting);
          if (!result.ok) return;
          const after = result.value.text.toString();
          let [at, keep] = [0, ""];
          for (const { start, end } of result.value.changed) {
            keep += result.value.text.toString("utf8", at, start);
            at = end;
          }
          keep += result.value.text.toString("utf8", at);
          const kept = [...before].filter((character) => keep.includes(character));
          expect([...keep]).toEqual(kept);
          expect(after.length).toBeGreaterThanOrEqual(keep.length);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("the one that fails is named, counted from 0; a single edit is not", () => {
    expect(refused("abc", ["a", "x"], ["b", "y"], ["q", "z"])).toMatch(/^ANCHOR_MISSING: edits\[2\]/);
    expect(refused("abc", ["q", "z"], ["a", "x"])).toMatch(/^ANCHOR_MISSING: edits\[0\]/);
    expect(refused("abb", ["a", "x"], ["b", "y"])).toMatch(/^ANCHOR_AMBIGUOUS: edits\[1\]/);
    expect(refused("abc", ["a", "x"], ["y", "b"])).toMatch(/^ANCHOR_ALREADY_APPLIED: edits\[1\]/);
    expect(refused("abc", ["q", "z"])).not.toContain("edits");
  });
});

describe("refusals, each beside what is accepted", () => {
  test("NO_CHANGE_REQUESTED is asked of all edits before any is matched", () => {
    expect(refused("abc", ["b", "b"])).toBe("NO_CHANGE_REQUESTED: old_text and new_text are equal");
    expect(refused("abc", ["missing", "x"], ["c", "c"])).toBe(
      "NO_CHANGE_REQUESTED: edits[1]: old_text and new_text are equal",
    );
    expect(applied("abc", ["b", "B"]).text.toString()).toBe("aBc");
  });

  test("ANCHOR_ALREADY_APPLIED names the line where new_text starts", () => {
    expect(refused("one\ntwo\nthree\n", ["2", "two\nthree"])).toMatch(/^ANCHOR_ALREADY_APPLIED: .* line 2$/);
    expect(refused("one\n", ["two", ""])).toMatch(/^ANCHOR_MISSING/);
    expect(applied("one\ntwo\n", ["one", "two"]).text.toString()).toBe("two\ntwo\n");
  });

  test("ANCHOR_AMBIGUOUS gives the count and at most ten lines", () => {
    expect(refused("a\nb\na\n", ["a", "x"])).toContain("occurs 2 times, on lines 1, 3;");
    expect(refused("aaaa", ["aa", "x"])).toContain("occurs 3 times, on line 1;");
    expect(refused("a\n".repeat(5_000), ["a", "x"])).toContain(
      "occurs 5000 times, first on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;",
    );
    expect(applied("a\nb\na\n", ["a\nb", "x"]).text.toString()).toBe("x\na\n");
  });

  test("a near match is never applied", () => {
    for (const near of [
      "Return 1",
      "return  1",
      "return 1 ",
      " return 1\t",
      "return\u00a01",
      "return 1\n\n",
    ]) {
      expect(refused("return 1\n", [near, "x"])).toMatch(/^ANCHOR_MISSING/);
    }
    expect(refused("\u00e9", ["e\u0301", "x"])).toMatch(/^ANCHOR_MISSING/);
    expect(applied("return 1\n", ["return 1\n", "x"]).text.toString()).toBe("x");
  });
});

describe("line endings", () => {
  test("in a text whose lines all end in CRLF a bare LF is read as CRLF", () => {
    const result = applied("a\r\nb\r\nc\r\n", ["a\nb", "x\ny\nz"]);
    expect(result.text.toString()).toBe("x\r\ny\r\nz\r\nc\r\n");
    expect(result.match).toBe("crlf");
    expect(applied("a\r\n", ["a", "x\ny"])).toMatchObject({ match: "crlf" });
    expect(applied("a\r\nb\r\n", ["a\r\nb", "x\r\ny"])).toMatchObject({ match: "exact" });
    expect(applied("a\r\nb\r\n", ["a", "x"], ["\nb", ""])).toMatchObject({ match: "crlf" });
    expect(applied("a\r\nb\r\n", ["a\r\nb\n", "x\n"]).text.toString()).toBe("x\r\n");
  });

  test("the anchor must still match one span", () => {
    expect(refused("a\r\na\r\n", ["a\n", "x"])).toContain("occurs 2 times");
  });

  test("ANCHOR_ALREADY_APPLIED and NO_CHANGE_REQUESTED are asked by the same rule", () => {
    expect(refused("a\r\nb\r\n", ["q", "a\nb"])).toMatch(/^ANCHOR_ALREADY_APPLIED/);
    expect(refused("a\r\nb\r\n", ["a\r\nb", "a\nb"])).toMatch(/^NO_CHANGE_REQUESTED/);
  });

  test("any other text takes the edits as they are", () => {
    expect(applied("a\nb\n", ["a\nb", "x\ny"])).toMatchObject({ match: "exact" });
    expect(applied("a", ["a", "x\ny"]).text.toString()).toBe("x\ny");
    expect(applied("a\r\nb\nc", ["b\nc", "x\ny"]).text.toString()).toBe("a\r\nx\ny");
    expect(refused("a\r\nb\nc", ["a\nb", "x"])).toContain("the file mixes line endings: 1 CRLF and 1 LF");
  });
});
