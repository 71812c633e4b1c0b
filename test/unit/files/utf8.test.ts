import { expect, test } from "bun:test";
import { isUtf8 as oracle } from "node:buffer";
import fc from "fast-check";
import { isUtf8 } from "../../../src/files/utf8.ts";

test.each([
  ["nothing", "", true],
  ["ASCII with a NUL", "610062", true],
  ["a BOM", "efbbbf61", true],
  ["four bytes", "f09f9880", true],
  ["a lone continuation byte", "6180", false],
  ["a cut sequence at the end", "61e282", false],
  ["an over-long slash", "c0af", false],
  ["a surrogate", "eda080", false],
  ["beyond the last code point", "f4908080", false],
  ["UTF-16", "fffe6100", false],
])("isUtf8: %s", (_name, hex, valid) => {
  expect(isUtf8(Buffer.from(hex, "hex"))).toBe(valid);
});

test("isUtf8: a sequence that lies across two pieces is whole, and a broken one is found there", () => {
  for (const shift of [1, 2, 3]) {
    const bytes = Buffer.alloc(3 * 64 * 1024, "a");
    bytes.write("\u{1f600}", 64 * 1024 - shift);
    expect(isUtf8(bytes)).toBe(true);
    bytes[64 * 1024 - shift + 3] = 0x61;
    expect(isUtf8(bytes)).toBe(false);
  }
});

test("isUtf8 agrees with the runtime's own answer on any bytes", () => {
  const piece = fc.oneof(
    fc.string({ unit: "grapheme" }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const bytes = Buffer.concat(pieces);
      expect(isUtf8(bytes)).toBe(oracle(bytes));
    }),
    { numRuns: 2_000 },
  );
});
