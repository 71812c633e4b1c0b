import { expect, test } from "bun:test";
import { watchStream } from "../../../src/acceptance/stream.ts";

test("a gigabyte that passes leaves nothing behind", () => {
  const watch = watchStream([Buffer.from("needle"), Buffer.from(`${"\0".repeat(40)}x`)]);
  const chunk = new Uint8Array(1 << 20);
  const before = process.memoryUsage.rss();
  for (let passed = 0; passed < 1024; passed++) watch.take(chunk);
  watch.take(Buffer.from("x"));
  const seen = watch.finish();
  expect(seen.bytes).toBe(2 ** 30 + 1);
  expect([...seen.found]).toEqual([1]);
  expect(process.memoryUsage.rss() - before).toBeLessThan(40e6);
});
