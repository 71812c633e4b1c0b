import { expect, setDefaultTimeout, spyOn, test } from "bun:test";
import fc from "fast-check";
import { parseDocument, stringify } from "yaml";
import { decodeText } from "../../../src/contract/text.ts";
import { readYaml } from "../../../src/contract/yaml.ts";

// What takes a second here takes ten on a machine that others use.
setDefaultTimeout(60_000);

const values = fc.jsonValue({ noUnicodeString: false, depthSize: "small" });

test("what the parser's author writes for a value is read as that value", () => {
  fc.assert(
    fc.property(values, (value) => {
      const text = stringify(value, { aliasDuplicateObjects: false });
      const reading = readYaml(text);
      if (!reading.ok) throw new Error(`${reading.message}:\n${text}`);
      // A number with a fraction is boxed; JSON writes it as the number it is.
      expect(JSON.stringify(reading.value.value)).toBe(JSON.stringify(value));
    }),
    { numRuns: 400 },
  );
});

const pieces = fc.constantFrom(
  ..."a b 7 1.5 true null ~ : , - ? [ ] { } & * ! !!str !!int | > ' \" # % @ ` \\ << = &a *a --- ... %YAML %TAG".split(
    " ",
  ),
  " ",
  "  ",
  "\n",
  "\t",
  "\n  ",
  ": ",
  "- ",
  "? ",
  "\r\n",
  '"\\u00e9"',
  "é",
);

test("no text makes it throw, and what it accepts has the parser's own value", () => {
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 24 }), (parts) => {
      const text = parts.join("");
      const reading = readYaml(text);
      seen[reading.ok ? "accepted" : "refused"]++;
      if (!reading.ok) return expect(reading.message).toMatch(/ at line \d+, column \d+$/);
      const own = parseDocument(text, { schema: "core", logLevel: "silent", uniqueKeys: false });
      expect(own.errors).toEqual([]);
      // A key that is null or a collection has no name of its own; the two name it differently.
      if (/[*&?~]|null|[\]}]\s*:/.test(text)) return;
      expect(JSON.stringify(reading.value.value)).toBe(JSON.stringify(own.toJS() ?? null));
    }),
    { numRuns: 1000 },
  );
  expect(seen.accepted).toBeGreaterThan(200);
  expect(seen.refused).toBeGreaterThan(200);
});

const few = fc.jsonValue({ maxDepth: 2, depthSize: "medium", stringUnit: fc.constantFrom("a", "1", ",") });

test("two keys are one if their values are equal, whatever the order of the keys in them", () => {
  const seen = { equal: 0, other: 0 };
  fc.assert(
    fc.property(few, fc.option(few, { nil: undefined, freq: 2 }), (one, other = backwards(one)) => {
      const isEqual = Bun.deepEquals(one, other, true);
      seen[isEqual ? "equal" : "other"]++;
      const reading = readYaml(`? ${JSON.stringify(one)}\n: 1\n? ${JSON.stringify(other)}\n: 2\n`);
      expect(reading.ok ? "" : reading.message).toMatch(
        isEqual ? /^duplicate key ".*" at line 3, column 3$/ : /^$/,
      );
    }),
    { numRuns: 400 },
  );
  expect(Math.min(seen.equal, seen.other)).toBeGreaterThan(50);
});

/** The same value, the keys of its objects the other way round. */
function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, each]) => [key, backwards(each)]),
  );
}

test("no bytes make the decoding throw", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 64 }),
      fc.constantFrom("", "fffe", "feff", "efbbbf"),
      (bytes, mark) => {
        const decoded = decodeText(Buffer.concat([Buffer.from(mark, "hex"), bytes]));
        if (decoded.ok) expect(decoded.value.isWellFormed()).toBe(true);
      },
    ),
    { numRuns: 800 },
  );
});

test.each(["LOG_STREAM", "LOG_TOKENS"])("nothing is printed where %s is set, and it stays set", (name) => {
  const printed = (["log", "dir"] as const).map((method) => spyOn(console, method).mockReturnValue());
  process.env[name] = "1";
  try {
    parseDocument("id: a\n");
    expect(printed.flatMap(({ mock }) => mock.calls)).not.toEqual([]);
    for (const spy of printed) spy.mockClear();
    for (const text of ["id: a\n", "id: [\n", "a: 1\n--- \nb: 2\n"]) readYaml(text);
    expect(printed.map(({ mock }) => mock.calls)).toEqual([[], []]);
    expect(process.env[name]).toBe("1");
  } finally {
    delete process.env[name];
    for (const spy of printed) spy.mockRestore();
  }
});
