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

test.each([1000, 512 * 1024, 512 * 1024 + 1, 1024 * 1024])(
  "isUtf8: one broken sequence in %d bytes is found",
  (size) => {
    for (const at of [0, Math.floor(size / 2), size - 4]) {
      const bytes = Buffer.alloc(size, "a");
      bytes.write("\u{1f600}", at);
      expect(isUtf8(bytes)).toBe(true);
      bytes[at + 3] = 0x61;
      expect(isUtf8(bytes)).toBe(false);
    }
  },
);

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
