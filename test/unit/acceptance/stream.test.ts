import { expect, test } from "bun:test";
import fc from "fast-check";
import { occurring, watchStream } from "../../../src/acceptance/stream.ts";

test("whatever the chunks, it finds what the whole holds, also over the seam of two streams", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
  const chunked = fc.array(letters, { maxLength: 5 });
  const texts = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 7 }), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(chunked, chunked, texts, (out, err, wanted) => {
      const needles = wanted.map((text) => Buffer.from(text));
      const [first, second] = [out, err].map((chunks) => {
        const watch = watchStream(needles);
        for (const chunk of chunks) watch.take(Buffer.from(chunk));
        return watch.finish();
      });
      if (first === undefined || second === undefined) throw new Error("two streams");
      const found = occurring(needles, first, second);
      const whole = out.join("") + err.join("");
      expect([...found].sort()).toEqual(
        [...wanted.keys()].filter((index) => whole.includes(wanted[index] ?? "")),
      );
      expect(first.bytes).toBe(out.join("").length);
      expect(String(first.sha256)).toBe(new Bun.CryptoHasher("sha256").update(out.join("")).digest("hex"));
    }),
    { numRuns: 5000 },
  );
});
