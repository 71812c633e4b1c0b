import { expect, test } from "bun:test";
import { readNumstat } from "../../../src/action/diffstat.ts";
import { inRepository } from "../../../src/action/place.ts";

test("the records of --numstat -z", () => {
  expect(readNumstat("")).toEqual([]);
  expect(readNumstat("12\t0\ta\tb\nc.txt\0-\t-\tp.png\0")).toEqual([
    { path: "a\tb\nc.txt", lines: { added: 12, removed: 0 } },
    { path: "p.png", lines: null },
  ]);
});

test.each([
  ["/r", "/r/a/b.yaml", "a/b.yaml"],
  ["/r", "/r/..a", "..a"],
  ["/r", "/r2/b.yaml", "/r2/b.yaml"],
  ["/r", "/r/../b.yaml", "/r/../b.yaml"],
  ["/r", "/r", "/r"],
])("in %s, the path %s is %s", (repo, path, inside) => {
  expect(inRepository(repo, path)).toBe(inside);
});
