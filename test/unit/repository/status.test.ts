import { describe, expect, test } from "bun:test";
import { parseStatus } from "../../../src/repository/status.ts";

const id = "1".repeat(40);
const read = (...records: readonly string[]) =>
  parseStatus(Buffer.from(records.map((record) => `${record}\0`).join("")));

describe("git status", () => {
  test("of a clean tree", () => {
    expect(read(`# branch.oid ${id}`, "# branch.head main")).toEqual({ head: id, paths: [] });
  });
  test("before the first commit", () => {
    expect(read("# branch.oid (initial)", "? a")).toEqual({ head: undefined, paths: ["a"] });
  });
  test.each([
    ["changed", `1 .M N... 100644 100644 100644 ${id} ${id} a b  c.txt`, "a b  c.txt"],
    ["a submodule", `1 .M S.MU 160000 160000 160000 ${id} ${id} sub`, "sub"],
    ["unmerged", `u UU N... 100644 100644 100644 100644 ${id} ${id} ${id} both\nways`, "both\nways"],
    ["untracked", "? new file ? x", "new file ? x"],
    ["named like a header", "? # branch.oid x", "# branch.oid x"],
  ])("%s", (_, record, path) => {
    expect(read(`# branch.oid ${id}`, record)).toEqual({ head: id, paths: [path] });
  });
  test("a path that is staged as deleted, and there, is one", () => {
    const deleted = `1 D. N... 100644 000000 000000 ${id} ${"0".repeat(40)} a`;
    expect(read(`# branch.oid ${id}`, deleted, "? a", "? b").paths).toEqual(["a", "b"]);
  });
  test("ignored files are none", () => {
    expect(read(`# branch.oid ${id}`, "! ignored").paths).toEqual([]);
  });
});
