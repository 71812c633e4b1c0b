import { describe, expect, test } from "bun:test";
import { scan } from "../../../src/mutation/search.ts";

describe("searching 16 MiB takes time in its length, however repetitive it is", () => {
  const size = 16 * 1024 * 1024;
  const text = Buffer.alloc(size, "a");
  const periodic = Buffer.alloc(size, "ab");
  const needles = [100, 10_000, size / 2].flatMap((length) => {
    const broken = (fill: string, at: number) => {
      const needle = Buffer.alloc(length, fill);
      needle[at] = 0x63;
      return needle;
    };
    const swapped = Buffer.alloc(length, "ab");
    swapped[length / 2] = 0x62;
    return [
      broken("a", length - 1),
      broken("a", length >> 1),
      broken("a", 0),
      broken("ab", length - 2),
      swapped,
    ];
  });

  /** A quadratic search would take from a minute (the shortest) to days. */
  const bearable = 3_000;

  test.each(needles.map((needle) => [needle.length, needle] as const))("for %i bytes", (_length, needle) => {
    for (const bytes of [text, periodic]) {
      const started = performance.now();
      expect(bytes.indexOf(needle)).toBe(-1);
      expect(scan(bytes, needle, 10).count).toBe(0);
      expect(performance.now() - started).toBeLessThan(bearable);
    }
  });

  test("and when it is found everywhere", () => {
    const started = performance.now();
    expect(scan(text, text.subarray(0, size / 2), 10)).toMatchObject({ count: size / 2 + 1, lines: [1] });
    expect(scan(text, text.subarray(0, 1), 10)).toMatchObject({ count: size, lines: [1] });
    expect(scan(Buffer.alloc(size, "\n"), Buffer.from("\n"), 10)).toMatchObject({ count: size });
    expect(performance.now() - started).toBeLessThan(2 * bearable);
  });
});
