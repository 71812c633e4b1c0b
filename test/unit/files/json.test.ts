import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { type JsonLimits, readJson } from "../../../src/files/json.ts";
import { cpuTime } from "../../support/cpu.ts";

// What takes a second here takes ten on a machine that others use.
setDefaultTimeout(60_000);

const roomy: JsonLimits = { maxBytes: 1 << 20 };

describe("readJson gives the value of", () => {
  test.each([
    ["null", null],
    [" \t\r\n true \t\r\n", true],
    ["-0", -0],
    ["[]", []],
    ["{ }", {}],
    ["[1, -2.5, 1e3, 0.1E-2]", [1, -2.5, 1000, 0.001]],
    ['{"a":{"b":[{"c":null}]}}', { a: { b: [{ c: null }] } }],
    ['"\\u0000\\"\\\\\\/\\b\\f\\n\\r\\t"', '\u0000"\\/\b\f\n\r\t'],
    ['"\\ud83d\\ude00 \u2028"', "😀 \u2028"],
    ['{"a":1,"A":2,"":3}', { a: 1, A: 2, "": 3 }],
  ])("%s", (text, value) => {
    expect(read(text)).toEqual({ ok: true, value });
  });

  test("keys that objects inherit", () => {
    const reading = read('{"__proto__":1,"constructor":2,"toString":3}');
    if (!reading.ok) throw new Error(reading.message);
    expect(Object.entries(reading.value as object)).toEqual([
      ["__proto__", 1],
      ["constructor", 2],
      ["toString", 3],
    ]);
    expect(Object.getPrototypeOf(reading.value)).toBe(Object.prototype);
  });
});

describe("readJson refuses", () => {
  test.each([
    ["", "expected a value, not the end (line 1, column 1)"],
    ["\ufeff{}", "begins with a byte order mark"],
    ['{"a":1,"b":{"c":1,\n"c":2}}', 'duplicate key "c" (line 2, column 1)'],
    ['{"a":1,"\\u0061":2}', 'duplicate key "a" (line 1, column 8)'],
    ['{"__proto__":1,"__proto__":2}', 'duplicate key "__proto__" (line 1, column 16)'],
    [
      `{"${"k".repeat(41)}":1,"${"k".repeat(41)}":2}`,
      `duplicate key "${"k".repeat(40)}..." (line 1, column 48)`,
    ],
    ["NaN", 'expected a value, not "NaN" (line 1, column 1)'],
    ["constructor", 'expected a value, not "constructor" (line 1, column 1)'],
    ["t".repeat(40), `expected a value, not "${"t".repeat(40)}" (line 1, column 1)`],
    ["t".repeat(41), `expected a value, not "${"t".repeat(40)}..." (line 1, column 1)`],
    ["-Infinity", 'expected a value, not "-Infinity" (line 1, column 1)'],
    ["1e999", "a number is out of range (line 1, column 1)"],
    ["01", 'expected a value, not "01" (line 1, column 1)'],
    ["1.", 'expected a value, not "1." (line 1, column 1)'],
    [".5", 'expected a value, not "." (line 1, column 1)'],
    ["+1", 'expected a value, not "+" (line 1, column 1)'],
    ["truth", 'expected a value, not "truth" (line 1, column 1)'],
    ["'a'", 'expected a value, not "\'" (line 1, column 1)'],
    ["[1,]", 'expected a value, not "]" (line 1, column 4)'],
    ["[1 2]", 'expected "," or "]", not "2" (line 1, column 4)'],
    ['{"a" 1}', 'expected ":" after a key, not "1" (line 1, column 6)'],
    ['{"a":1 "b"}', 'expected "," or "}", not "\\"" (line 1, column 8)'],
    ['{"a":1,}', 'expected a key in double quotes, not "}" (line 1, column 8)'],
    ["{a:1}", 'expected a key in double quotes, not "a" (line 1, column 2)'],
    ["{} {}", "there is text after the value (line 1, column 4)"],
    ["{}\u00a0", "there is text after the value (line 1, column 3)"],
    ['"abc', "a string is not closed (line 1, column 1)"],
    ['"\\"', "a string is not closed (line 1, column 1)"],
    ['["a\nb"]', "a string holds a control character or an unknown escape (line 1, column 2)"],
    ['"\\x"', "a string holds a control character or an unknown escape (line 1, column 1)"],
    ['["\\ud800"]', "a string holds a lone surrogate (line 1, column 2)"],
    ['{"\\udc00\\ud800":1}', "a string holds a lone surrogate (line 1, column 2)"],
  ])("%j", (text, message) => {
    expect(read(text)).toEqual({ ok: false, code: "INVALID_JSON", message });
  });

  test.each([
    ["a byte that never occurs", [0x22, 0xff, 0x22]],
    ["an overlong form", [0x22, 0xc0, 0xaf, 0x22]],
    ["a surrogate as three bytes", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["a cut character", [0x22, 0xe2, 0x82]],
  ])("bytes that are not UTF-8: %s", (_, bytes) => {
    expect(readJson(new Uint8Array(bytes), roomy)).toMatchObject({ ok: false, message: "not UTF-8" });
  });

  test("a text one byte over the limit, and takes one at the limit", () => {
    expect(readJson(Buffer.from("[1]"), { maxBytes: 3 })).toMatchObject({ ok: true });
    expect(readJson(Buffer.from("[1] "), { maxBytes: 3 })).toMatchObject({ message: "larger than 3 bytes" });
  });

  test("one level over the depth, and takes the depth itself", () => {
    expect(read(nest(1000))).toMatchObject({ ok: true });
    expect(read(nest(1001))).toMatchObject({ message: "nested too deep (line 1, column 1001)" });
    expect(read(`[${"[],".repeat(2000)}[]]`)).toMatchObject({ ok: true });
    expect(readJson(Buffer.from('{"a":[]}'), { ...roomy, maxDepth: 1 })).toMatchObject({ ok: false });
  });
});

test("boxFractions boxes a number unless it is written as an integer", () => {
  const reading = readJson(Buffer.from("[1, 1.0, 1e0, -3, 12345678901234567890]"), {
    ...roomy,
    boxFractions: true,
  });
  if (!reading.ok) throw new Error(reading.message);
  const kinds = (reading.value as unknown[]).map((value) => value instanceof Number);
  expect(kinds).toEqual([false, true, true, false, false]);
  expect(JSON.stringify(reading.value)).toBe("[1,1,1,-3,12345678901234567000]");
});

/** JSON with its own verdict: what it was made from says whether a key occurs twice. */
interface Sample {
  readonly text: string;
  readonly value: unknown;
  readonly strict: boolean;
}

const space = fc.constantFrom("", "", " ", "\n", "\t\r");
const word = fc.oneof(fc.constantFrom("a", "b", "__proto__", "0"), fc.string({ unit: "grapheme" }));
const scalar = fc
  .oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    word,
  )
  .map(
    (value): Sample => ({
      text: JSON.stringify(value),
      value: JSON.parse(JSON.stringify(value)),
      strict: true,
    }),
  );

const sample: fc.Arbitrary<Sample> = fc.letrec<{ any: Sample }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.tuple(space, fc.array(tie("any"), { maxLength: 4 })).map(([s, items]) => ({
      text: `[${s}${items.map((item) => item.text).join(`${s},`)}${s}]`,
      value: items.map((item) => item.value),
      strict: items.every((item) => item.strict),
    })),
    fc.tuple(space, fc.array(fc.tuple(word, tie("any")), { maxLength: 4 })).map(([s, members]) => ({
      text: `{${s}${members.map(([key, item]) => `${JSON.stringify(key)}${s}:${item.text}`).join(`,${s}`)}${s}}`,
      value: objectOf(members.map(([key, item]) => [key, item.value])),
      strict:
        members.every(([, item]) => item.strict) &&
        new Set(members.map(([key]) => key)).size === members.length,
    })),
  ),
})).any;

test("a generated text has the value it was made from, unless a key occurs twice", () => {
  const seen = { strict: 0, duplicate: 0 };
  fc.assert(
    fc.property(sample, ({ text, value, strict }) => {
      const reading = read(text);
      seen[strict ? "strict" : "duplicate"]++;
      if (strict) expect(reading).toEqual({ ok: true, value });
      else expect(reading).toMatchObject({ ok: false, message: expect.stringContaining("duplicate key") });
    }),
    { numRuns: 2000 },
  );
  expect(seen.strict).toBeGreaterThan(200);
  expect(seen.duplicate).toBeGreaterThan(20);
});

test("a damaged text is refused where JSON.parse refuses it, and never taken for another value", () => {
  const damage = fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom(...'{}[]:,"\\ \n0-.eEtnu/', "\\u", "\\ud800"));
  const seen = { taken: 0, refused: 0 };
  fc.assert(
    fc.property(sample, damage, ({ text, strict }, [at, cut, insert]) => {
      const where = at % (text.length + 1);
      const bytes = Buffer.from(text.slice(0, where) + insert + text.slice(where + cut));
      const reading = readJson(bytes, roomy);
      const oracle = parsed(bytes.toString());
      seen[reading.ok ? "taken" : "refused"]++;
      if (oracle === undefined) expect(reading.ok).toBe(false);
      else if (reading.ok) expect(reading).toEqual(oracle);
      else if (strict) expect(reading.message).toMatch(/duplicate|surrogate|range/);
    }),
    { numRuns: 3000 },
  );
  expect(seen.taken).toBeGreaterThan(100);
  expect(seen.refused).toBeGreaterThan(100);
});

test.each([
  ["escaped quotes", `"${'\\"'.repeat(1 << 20)}"`],
  ["backslashes", `"${"\\\\".repeat(1 << 20)}"`],
  ["small numbers", `[${"1,".repeat(1 << 19)}1]`],
  ["an unclosed string", `"${"a".repeat(2 << 20)}`],
  ["keys", `{${Array.from({ length: 1 << 16 }, (_, at) => `"key ${at}":0`).join(",")}}`],
  ["spaces", " ".repeat(2 << 20)],
])("2 MiB of %s take no more than a moment", (_, text) => {
  const started = cpuTime();
  readJson(Buffer.from(text), { maxBytes: 4 << 20 });
  expect(cpuTime() - started).toBeLessThan(2000);
});

function read(text: string) {
  return readJson(Buffer.from(text), roomy);
}

function nest(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

function objectOf(entries: readonly (readonly [string, unknown])[]): unknown {
  const object = {};
  for (const [key, value] of entries)
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  return object;
}

function parsed(text: string): { ok: true; value: unknown } | undefined {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
