import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readContext } from "../../../src/pi/context.ts";

const folder = mkdtempSync(join(tmpdir(), "satyrn-context-"));
afterAll(() => rmSync(folder, { recursive: true }));

const valid = {
  version: 1,
  repo: "/srv/tree",
  contract: "/tmp/contract.yaml",
  revisions: { "src/a.py": "a".repeat(64) },
  writable_paths: ["src/*"],
  test_command: ["python", "-m", "pytest"],
};
const read = (value: string) => readContext({ SATYRN_MUTATION_CONTEXT: value });

test("a valid context", () => {
  expect(read(JSON.stringify(valid))).toEqual({
    repo: "/srv/tree",
    contract: "/tmp/contract.yaml",
    revisions: new Map([["src/a.py", "a".repeat(64)]]),
    writablePaths: ["src/*"],
    testCommand: ["python", "-m", "pytest"],
  });
});

test("a context in a file", () => {
  const file = join(folder, "context.json");
  writeFileSync(file, JSON.stringify({ ...valid, test_command: null, later: true }));
  expect(read(`@${file}`)).toMatchObject({ repo: "/srv/tree", testCommand: null });
});

test("no context", () => {
  expect(readContext({})).toBeUndefined();
  expect(read("")).toBeUndefined();
});

const invalid: readonly (readonly [string, string, string])[] = [
  ["not JSON", "{", "not one JSON object"],
  ["a list", "[]", "not one JSON object"],
  ["another version", JSON.stringify({ ...valid, version: 2 }), "version is 2, not 1"],
  ["a version in a string", JSON.stringify({ ...valid, version: "1" }), 'version is "1", not 1'],
  ["a relative repo", JSON.stringify({ ...valid, repo: "tree" }), "repo is not an absolute path"],
  ["no contract", JSON.stringify({ ...valid, contract: undefined }), "contract is not an absolute path"],
  ["revisions as a list", JSON.stringify({ ...valid, revisions: [] }), "revisions is not an object"],
  [
    "an upper-case revision",
    JSON.stringify({ ...valid, revisions: { a: "A".repeat(64) } }),
    "revisions has no SHA-256 for 'a'",
  ],
  [
    "no writable paths",
    JSON.stringify({ ...valid, writable_paths: "src/*" }),
    "writable_paths is not a list of strings",
  ],
  [
    "no test command",
    JSON.stringify({ ...valid, test_command: undefined }),
    "test_command is neither null nor a list of strings",
  ],
  [
    "an empty test command",
    JSON.stringify({ ...valid, test_command: [] }),
    "test_command is neither null nor a list of strings",
  ],
  ["a file by a relative path", "@context.json", "'context.json' is not an absolute path"],
  ["a folder", `@${folder}`, `'${folder}' is not a regular file`],
];
describe("invalid", () => {
  for (const [name, value, problem] of invalid) {
    test(name, () => expect(read(value)).toEqual({ problem: `SATYRN_MUTATION_CONTEXT: ${problem}` }));
  }
  test("a file that is not there", () => {
    expect(read(`@${folder}/none`)).toEqual({ problem: expect.stringContaining("ENOENT") });
  });
});

test("a path named like a member of every object is just a path", () => {
  const value = `{"version":1,"repo":"/r","contract":"/c","revisions":{"__proto__":"${"b".repeat(64)}"},"writable_paths":["*"],"test_command":null}`;
  const context = read(value);
  expect(context && "revisions" in context && context.revisions.get("__proto__")).toBe("b".repeat(64));
});
