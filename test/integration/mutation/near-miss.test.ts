import { expect, test } from "bun:test";
import { explainMissing } from "../../../src/mutation/near-miss.ts";

test("no explanation quotes more than 20 lines or 2,000 bytes, and none takes long", () => {
  const size = 1024 * 1024;
  const texts = ["\n", " ", "a", " a\n", "\t \r\n", "ab\r\nc\n", "\u00e9\0"].map((fill) =>
    Buffer.alloc(size, fill),
  );
  for (const text of texts) {
    for (const anchor of [
      ...texts,
      Buffer.from("zz"),
      Buffer.alloc(size + 1, " a \n"),
      Buffer.alloc(size, "a \n"),
    ]) {
      const started = performance.now();
      const message = explainMissing(text, anchor);
      expect(performance.now() - started).toBeLessThan(5_000);
      expect(Buffer.byteLength(message)).toBeLessThan(2_000);
      expect(message).not.toContain("\n");
    }
  }
});
