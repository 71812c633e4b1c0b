import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Observer } from "../../../src/acceptance/derive.ts";
import { verify } from "../../../src/acceptance/verify.ts";
import { blockedBy, checked, disposeTask, make, task } from "./current-task.ts";

afterEach(disposeTask);

interface Entry {
  readonly rule: string;
  readonly subject: string;
  readonly passed: boolean;
}

const forbid = (pattern: string, more: object = {}) => ({
  forbidden_patterns: [{ pattern, description: "not this", severity: "disqualifier", ...more }],
});
const change = {
  "src/a.txt": "one two\n",
  "ö/b.txt": "three\n",
  "README.md": "another project\n",
  "src/..a/b..": "",
};

describe("guards on the diff", () => {
  test.each([
    ["an added line", forbid("(?m)^\\+one"), false],
    ["a removed line", forbid("(?m)^-a project$"), false],
    ["a header line", forbid("(?m)^diff --git a/ö/b\\.txt b/ö/b\\.txt$"), false],
    ["nothing like it", forbid("four"), true],
    ["in the files meant", forbid("three", { files: ["ö/"] }), false],
    ["in other files", forbid("three", { files: ["src/", "READ"] }), true],
    ["no files that are meant", forbid("three", { files: [] }), false],
    ["a required file", { required_files: ["src/a.txt"] }, true],
    ["a required folder", { required_files: ["ö", "docs/specs/"] }, true],
    ["a required file that is missing", { required_files: ["b.txt"] }, false],
    ["a required name with a line feed", { required_files: ["a\nb"] }, false],
    ["a required name that goes on after a NUL", { required_files: ["README.md\0x"] }, false],
    ["a required name outside", { required_files: ["../README.md"] }, false],
    ["a required name that leads outside and back", { required_files: ["src/../README.md"] }, false],
    ["a required name with dots of its own", { required_files: ["src/..a/b.."] }, true],
    ["a forbidden file that is unchanged", { forbidden_files: ["tasks/T1/meta.json", "src"] }, true],
    ["a forbidden file that changed", { forbidden_files: ["ö/b.txt"] }, false],
  ] as const)("%s", async (_, expected, passed) => {
    make({ expected, change });
    const { file, reasons } = await checked();
    const failing: readonly Entry[] = file.guards.filter((guard: Entry) => !guard.passed);
    expect(failing).toHaveLength(passed ? 0 : 1);
    const told = failing.map(({ rule, subject }) => `failed: guard ${rule} ${subject}`);
    expect(reasons).toEqual(told);
  });

  test("a nested repository is there as any folder is", async () => {
    make({ expected: { required_files: ["nested", "nested/", "nested/x"] }, change });
    nest();
    const { file } = await checked();
    expect(file.guards.map((guard: Entry) => guard.passed)).toEqual([true, true, false, true]);
  });

  test("a nested repository is a change, also one that its .gitmodules has Git ignore", async () => {
    const gitmodules = '[submodule "nested"]\npath = nested\nurl = ./nested\nignore = all\n';
    const expected = { ...forbid("(?m)^\\+Subproject commit"), forbidden_files: ["nested"] };
    make({ expected, change: { ...change, ".gitmodules": gitmodules } });
    task().git("config", "submodule.nested.ignore", "all");
    task().git("config", "diff.ignoreSubmodules", "all");
    nest();
    const hidden = task().git("diff-tree", "-r", "--name-only", task().inputs, "HEAD");
    expect(hidden).not.toContain("nested");
    expect((await checked()).reasons).toEqual([
      "failed: guard forbidden_patterns/0 not this",
      "failed: guard forbidden_files nested",
    ]);
  });

  test("are listed in a fixed order, and a warning does not block", async () => {
    const expected = {
      forbidden_patterns: [
        { pattern: "one", description: "no one", severity: "warning" },
        { pattern: "five", description: "no five", severity: "disqualifier" },
      ],
      required_files: ["README.md"],
      forbidden_files: ["x"],
    };
    make({ expected, change });
    const { file, passed } = await checked();
    expect(passed).toBe(true);
    expect(file.guards).toEqual([
      { rule: "forbidden_patterns/0", subject: "no one", passed: false, blocking: false },
      { rule: "forbidden_patterns/1", subject: "no five", passed: true, blocking: true },
      { rule: "required_files", subject: "README.md", passed: true, blocking: true },
      { rule: "forbidden_files", subject: "x", passed: true, blocking: true },
      { rule: "max_deps_added", subject: "0 added, limit 0", passed: true, blocking: true },
    ]);
  });

  test("what a person configures for diffs changes nothing", async () => {
    make({ expected: forbid("(?m)^diff --git a/README\\.md b/README\\.md$\\n.*\\n.*\\n.*\\n@@"), change });
    const configured = { "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "diff.context": "0" };
    const more = {
      "diff.external": "false",
      "color.ui": "always",
      "core.quotePath": "true",
      "diff.renames": "copies",
    };
    expect((await checked()).passed).toBe(false);
    for (const [key, value] of Object.entries({ ...configured, ...more })) task().git("config", key, value);
    expect((await checked()).passed).toBe(false);
  });

  test("a candidate cannot hide its lines behind attributes of its own", async () => {
    const attributes = { ".gitattributes": "* -diff\n", "src/.gitattributes": "* binary\n" };
    make({ expected: forbid("one two"), change: { ...change, ...attributes } });
    expect((await checked()).passed).toBe(false);
  });

  test.each([
    ["in the files meant", forbid("(?m)^\\+three$", { files: ["ö/"] }), false],
    ["in other files", forbid("(?m)^\\+three$", { files: ["src/"] }), true],
    ["in any file", forbid("(?m)^\\+one two$"), false],
    ["as a file of that kind", forbid("(?m)^Binary files .* b/ö/b\\.txt differ$"), false],
  ])("a candidate cannot hide its lines behind a NUL, %s", async (_, expected, passed) => {
    make({ expected, change: { ...change, "src/a.txt": "one two\n\0\n", "ö/b.txt": "\0\nthree\nlast" } });
    expect((await checked()).reasons).toEqual(passed ? [] : ["failed: guard forbidden_patterns/0 not this"]);
  });

  test("attributes that a person keeps for all repositories hide nothing", async () => {
    make({ expected: forbid("one two"), change });
    const attributes = join(task().worktree, "../attributes");
    writeFileSync(attributes, "* -diff\n");
    task().git("config", "core.attributesFile", attributes);
    expect((await checked()).passed).toBe(false);
  });

  test("attributes in the repository's own folder hide nothing", async () => {
    make({ expected: forbid("one two"), change });
    const info = join(task().git("rev-parse", "--path-format=absolute", "--git-common-dir"), "info");
    mkdirSync(info, { recursive: true });
    writeFileSync(join(info, "attributes"), "* -diff\n");
    expect((await checked()).passed).toBe(false);
  });

  test("a pattern that backtracks without end blocks, by name, after its limit", async () => {
    make({ expected: forbid("(x+x+)+y"), change: { "a.txt": `${"x".repeat(60)}\n` } });
    const begun = performance.now();
    expect(await blockedBy()).toBe('forbidden_patterns[0].pattern "(x+x+)+y" did not finish within 5 s');
    expect(performance.now() - begun).toBeLessThan(8000);
  });
});

/** Commits a nested repository, whose own commit is nowhere. */
function nest(): void {
  mkdirSync(join(task().worktree, "nested"));
  task().git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},nested`);
  const commit = task().git("commit-tree", task().git("write-tree"), "-p", "HEAD", "-m", "nested");
  task().git("update-ref", "HEAD", commit);
}

describe("max_deps_added", () => {
  const before = '{"dependencies":{"a":"1"},"devDependencies":null}';
  const three = '{"dependencies":{"a":"1","b":"1"},"devDependencies":{"c":"1"}}';
  test.each([
    ["none", before, 0, "0 added, limit 0", true],
    ["moved", '{"devDependencies":{"a":"1"}}', 0, "0 added, limit 0", true],
    ["two, limit 0", three, 0, "2 added, limit 0", false],
    ["two, limit 2", three, 2, "2 added, limit 2", true],
    ["a byte order mark", '\ufeff{"dependencies":{"b":"1"}}', 0, "1 added, limit 0", false],
    ["a duplicate key", '{"dependencies":{"b":"1"},"dependencies":{"a":"1"}}', 0, "0 added, limit 0", true],
    ["__proto__ is a name", '{"dependencies":{"__proto__":"1"}}', 0, "1 added, limit 0", false],
  ] as const)("%s", async (_, after, max_deps_added, subject, passed) => {
    const inputs = { "package.json": before };
    make({ expected: { max_deps_added }, inputs, change: { "package.json": `${after}\n` } });
    expect((await checked()).file.guards).toEqual([
      { rule: "max_deps_added", subject, passed, blocking: true },
    ]);
  });

  test.each(["{", "[]", "null", '{"dependencies":NaN}', '{"dependencies":[]}'])(
    "%s cannot be read",
    async (after) => {
      make({ change: { "package.json": after } });
      const [guard] = (await checked()).file.guards;
      expect(guard).toMatchObject({ rule: "max_deps_added", passed: false, blocking: true });
      expect(guard.subject).toStartWith(`package.json at ${task().source} cannot be read: `);
    },
  );
});

describe("where a guard is broken", () => {
  const place = async (expected: object) => {
    make({
      expected,
      change: { "src/a b.txt": "one\ntwo\nthree\n", "ö/b.txt": "four\n", "package.json": added },
    });
    const places: unknown[] = [];
    const observer: Observer = ({ broken }, { change: { base, commit }, worktree }) => {
      expect([base, commit, worktree]).toEqual([task().inputs, task().source, realpathSync(task().worktree)]);
      places.push(...broken.map(({ guard, place: at }) => [guard.rule, at]));
    };
    await verify({ packet: task().packet(), observer });
    return places;
  };
  const added = '{"dependencies":{"x":"1"}}';
  const allowed = { max_deps_added: 1 };

  test.each([
    ["of an added line", forbid("three"), ["forbidden_patterns/0", { file: "src/a b.txt", line: 3 }]],
    ["of a name", forbid("ö/b"), ["forbidden_patterns/0", { file: "ö/b.txt", line: null }]],
    [
      "of part of the diff",
      forbid("(?m)^\\+f", { files: ["ö/"] }),
      ["forbidden_patterns/0", { file: "ö/b.txt", line: 1 }],
    ],
    ["of a file", { forbidden_files: ["ö/b.txt"] }, ["forbidden_files", { file: "ö/b.txt", line: null }]],
    ["of what is missing", { required_files: ["none"] }, ["required_files", null]],
  ] as const)("is the place %s", async (_, expected, found) => {
    expect(await place({ ...expected, ...allowed })).toEqual([found]);
  });

  test("is package.json for dependencies", async () => {
    expect(await place({})).toEqual([["max_deps_added", { file: "package.json", line: null }]]);
  });

  test("is told of warnings, and of nothing that passed", async () => {
    expect(await place({ ...forbid("three", { severity: "warning" }), ...allowed })).toHaveLength(1);
    expect(await place(allowed)).toEqual([]);
  });
});
