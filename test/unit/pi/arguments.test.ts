import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { understandEdit } from "../../../src/pi/arguments.ts";

const worktree = { repo: "/srv/tree", revisions: new Map([["@types/node.d.ts", "0".repeat(64)]]) };
const meant = { path: "src/a.py", edits: [{ oldText: "x", newText: "y" }] };

const understood: readonly (readonly [string, unknown])[] = [
  ["Pi's own shape", { path: "src/a.py", edits: [{ oldText: "x", newText: "y" }] }],
  ["edits as a JSON string", { path: "src/a.py", edits: '[{"oldText":"x","newText":"y"}]' }],
  ["edits as a JSON string of one edit", { path: "src/a.py", edits: '{"oldText":"x","newText":"y"}' }],
  ["a single edit object", { path: "src/a.py", edits: { oldText: "x", newText: "y" } }],
  ["oldText and newText at the top level", { path: "src/a.py", oldText: "x", newText: "y" }],
  ["the same beside an empty list", { path: "src/a.py", edits: [], oldText: "x", newText: "y" }],
  [
    "a redundant path inside an item",
    { path: "src/a.py", edits: [{ path: "src/a.py", oldText: "x", newText: "y" }] },
  ],
  [
    "a redundant path in another spelling",
    { path: "src/a.py", edits: [{ path: "./src/a.py", oldText: "x", newText: "y" }] },
  ],
  ["a path inside the item alone", { edits: [{ path: "src/a.py", oldText: "x", newText: "y" }] }],
  ["a leading @", { path: "@src/a.py", edits: [{ oldText: "x", newText: "y" }] }],
  ["a leading ./", { path: "./src/a.py", edits: [{ oldText: "x", newText: "y" }] }],
  ["a leading @./", { path: "@./src/a.py", edits: [{ oldText: "x", newText: "y" }] }],
  ["the absolute path", { path: "/srv/tree/src/a.py", edits: [{ oldText: "x", newText: "y" }] }],
  [
    "the absolute path after an @",
    { path: "@/srv/tree/src/../src/a.py", edits: [{ oldText: "x", newText: "y" }] },
  ],
  [
    "fields nobody asked for",
    { path: "src/a.py", why: 1, edits: [{ oldText: "x", newText: "y", note: "" }] },
  ],
];
describe("understood", () => {
  for (const [name, given] of understood)
    test(name, () => expect(understandEdit(given, worktree)).toEqual(meant));
});

const refused: readonly (readonly [string, unknown, string])[] = [
  [
    "a contradicting inner path",
    { path: "a", edits: [{ path: "b", oldText: "x", newText: "y" }] },
    "one call edits one file, not 'a' and 'b'",
  ],
  [
    "several files in one call",
    {
      edits: [
        { path: "a", oldText: "x", newText: "y" },
        { path: "b", oldText: "x", newText: "y" },
      ],
    },
    "one call edits one file, not 'a' and 'b'",
  ],
  ["no path", { edits: [{ oldText: "x", newText: "y" }] }, "path is missing: name the file to edit"],
  [
    "an empty path",
    { path: "", edits: [{ oldText: "x", newText: "y" }] },
    "path is missing: name the file to edit",
  ],
  ["a path that is a number", { path: 1, edits: [{ oldText: "x", newText: "y" }] }, "path must be a string"],
  ["no edits", { path: "a" }, "edits is missing: give a list of {oldText, newText}"],
  ["null edits", { path: "a", edits: null }, "edits is missing: give a list of {oldText, newText}"],
  ["an empty list", { path: "a", edits: [] }, "edits is missing: give a list of {oldText, newText}"],
  [
    "an empty list in a string",
    { path: "a", edits: "[]" },
    "edits is empty: give at least one {oldText, newText}",
  ],
  ["a string that is not JSON", { path: "a", edits: "x -> y" }, "edits must be a list of {oldText, newText}"],
  ["a list of strings", { path: "a", edits: ["x"] }, "edits must be a list of {oldText, newText}"],
  [
    "both spellings",
    { path: "a", edits: [{ oldText: "x", newText: "y" }], oldText: "x" },
    "give either edits, or oldText and newText, not both",
  ],
  [
    "no newText",
    { path: "a", edits: [{ oldText: "x", newText: "y" }, { oldText: "x" }] },
    "edits[1].newText must be a string",
  ],
  [
    "a number as oldText",
    { path: "a", edits: [{ oldText: 1, newText: "y" }] },
    "edits[0].oldText must be a string",
  ],
  ["a list", [], "arguments must be an object with path and edits"],
  ["null", null, "arguments must be an object with path and edits"],
];
describe("refused by name", () => {
  for (const [name, given, problem] of refused) {
    test(name, () => expect(understandEdit(given, worktree)).toEqual({ problem }));
  }
});

const kept: readonly (readonly [string, string])[] = [
  ["/etc/passwd", "/etc/passwd"],
  ["/srv/tree2/a", "/srv/tree2/a"],
  ["/srv/tree", "/srv/tree"],
  ["../a", "../a"],
  ["src/../a", "src/../a"],
  ["..a/b", "..a/b"],
  [".hidden", ".hidden"],
  ["@types/node.d.ts", "@types/node.d.ts"],
];
for (const [path, expected] of kept) {
  test(`left to the engine: ${path}`, () => {
    expect(understandEdit({ path, oldText: "x", newText: "y" }, worktree)).toMatchObject({ path: expected });
  });
}

test("an absolute path through the worktree's real location is understood", () => {
  const folder = mkdtempSync(join(tmpdir(), "satyrn-arguments-"));
  try {
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "link"));
    const linked = { ...worktree, repo: join(folder, "link") };
    expect(
      understandEdit({ path: join(folder, "real", "a"), oldText: "x", newText: "y" }, linked),
    ).toMatchObject({ path: "a" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("whatever is given, the answer is a call or a problem, and a call reads as itself", () => {
  const junk = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant(undefined));
  const item = fc.record(
    { oldText: fc.oneof(fc.string(), junk), newText: fc.string(), path: junk },
    { requiredKeys: [] },
  );
  const list = fc.array(item, { maxLength: 3 });
  const given = fc.oneof(
    junk,
    fc.record(
      {
        path: fc.oneof(fc.string(), junk),
        edits: fc.oneof(
          list,
          item,
          list.map((value) => JSON.stringify(value)),
          junk,
        ),
        oldText: junk,
        newText: junk,
      },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(given, (value) => {
      const call = understandEdit(value, worktree);
      if ("problem" in call) expect(typeof call.problem).toBe("string");
      else if (!call.path.startsWith("@") && !call.path.startsWith("./"))
        expect(understandEdit(call, worktree)).toEqual(call);
    }),
    { seed: 6, numRuns: 500 },
  );
});
