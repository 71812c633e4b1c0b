/** What guards search depends on two commits, and on nothing else: each thing that bends a `git diff` by hand. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readDiff } from "../../../src/acceptance/diff.ts";
import { gitEnvironment as engineEnvironment } from "../../../src/repository/git.ts";
import { git, makeRepository, temporaryFolder, writeFiles } from "../../support/repository.ts";

const lines = Array.from({ length: 40 }, (_, at) => (at === 18 ? "\n" : `\tx${at}();\n`));
const before = { "a.c": `int alpha(void)\n{\n${lines.join("")}}\n`, "z.txt": "old\n", "b.bin": "\0one\n" };
const after = {
  ...before,
  "a.c": before["a.c"].replace("\tx20();\n", "\tchanged();\n\n").replace("\tx35();\n", ""),
  "z.txt": "new\n",
  "b.bin": "\0two\n",
  "ü.txt": "umlaut\n",
};

let folder: ReturnType<typeof temporaryFolder>;
let repo: string;
let base: string;
let pinned: string;
const commit = () => git(repo, "rev-parse", "HEAD");
const own = (settings: Readonly<Record<string, string>> = {}) => {
  const env = { ...engineEnvironment(process.env), GIT_DIR: join(repo, ".git"), ...settings };
  return { program: Bun.which("git") ?? "git", cwd: repo, env };
};
const searched = async (settings?: Readonly<Record<string, string>>) => {
  const diff = await readDiff(own(settings), join(repo, ".git/objects"), { base, commit: commit() });
  if (!diff.ok) throw new Error(diff.message);
  return diff.value;
};
/** What a person's Git shows for the same two commits, by command or by plumbing. */
const byHand = (command: string) => git(repo, command, "-p", base, "HEAD");

beforeAll(async () => {
  folder = temporaryFolder();
  repo = join(folder.path, "repo");
  makeRepository(repo, before);
  base = commit();
  writeFiles(repo, after);
  git(repo, "add", "-A");
  git(repo, "commit", "-q", "-m", "after");
  pinned = await searched();
});
afterAll(() => folder.dispose());

test("the diff has default prefixes and context, and its names are not quoted", () => {
  expect(pinned).toStartWith("diff --git a/a.c b/a.c\nindex ");
  expect(pinned).toContain("\n@@ -20,7 +20,8 @@ int alpha(void)\n");
  expect(pinned).toContain("\n-\tx20();\n+\tchanged();\n+\n");
  expect(pinned).toContain("\ndiff --git a/ü.txt b/ü.txt\nnew file mode 100644\n");
  expect(pinned).toMatch(/^index [0-9a-f]{7}\.\.[0-9a-f]{7} 100644$/m);
});

test("a file that Git takes for binary is named as such, and its lines follow", () => {
  const note = "\nBinary files a/b.bin and b/b.bin differ\n";
  expect(pinned).toContain(
    `${note}--- a/b.bin\n+++ b/b.bin\n@@ -1 +1 @@\n-\0one\n+\0two\ndiff --git a/z.txt `,
  );
  expect(pinned.match(/^diff --git /gm)).toHaveLength(4);
});

test("lines follow that look like a header themselves, and files without any are passed over", async () => {
  const head = commit();
  writeFiles(repo, { "a.bin": "\0\ndiff --git a/x b/x\n--- a/x\n\rdiff --git a/y b/y\n", "b.bin": "text\n" });
  rmSync(join(repo, "a.c"));
  symlinkSync("z.txt", join(repo, "a.c"));
  chmodSync(join(repo, "z.txt"), 0o755);
  git(repo, "add", "-A");
  git(repo, "commit", "-q", "-m", "binary");
  const diff = await searched();
  git(repo, "reset", "-q", "--hard", head);
  const marks = diff.split(/^(?=diff --git a\/[a-zü.]+ b\/[a-zü.]+\n(?:index|old|new|deleted))/m);
  expect(marks.map((part) => part.split("\n")[0])).toEqual(
    ["a.bin", "a.c", "a.c", "b.bin", "z.txt", "ü.txt"].map((name) => `diff --git a/${name} b/${name}`),
  );
  const added = "@@ -0,0 +1,4 @@\n+\0\n+diff --git a/x b/x\n+--- a/x\n+\rdiff --git a/y b/y\n";
  expect(marks[0]).toEndWith(
    `\nBinary files /dev/null and b/a.bin differ\n--- /dev/null\n+++ b/a.bin\n${added}`,
  );
  expect(marks[3]).toEndWith(
    "\nBinary files a/b.bin and b/b.bin differ\n--- a/b.bin\n+++ b/b.bin\n@@ -1 +1 @@\n-\0one\n+text\n",
  );
  expect(marks[4]).toContain("old mode 100644\nnew mode 100755\n");
});

test.each<[string, string, "diff" | "diff-tree" | "neither"]>([
  ["diff.orderFile", "ORDER", "diff"],
  ["diff.noprefix", "true", "diff"],
  ["diff.mnemonicPrefix", "true", "neither"],
  ["diff.algorithm", "patience", "neither"],
  ["diff.context", "0", "diff"],
  ["diff.interHunkContext", "50", "diff"],
  ["diff.indentHeuristic", "false", "neither"],
  ["diff.suppressBlankEmpty", "true", "diff"],
  ["diff.external", "false", "neither"],
  ["diff.renames", "copies", "neither"],
  ["diff.relative", "true", "neither"],
  ["diff.wsErrorHighlight", "all", "neither"],
  ["diff.default.xfuncname", "^\\tx1[0-9].*$", "diff-tree"],
  ["color.ui", "always", "diff"],
  ["core.quotePath", "true", "neither"],
  ["core.abbrev", "40", "diff"],
  ["core.bigFileThreshold", "1", "diff-tree"],
  ["core.attributesFile", "ATTRIBUTES", "diff-tree"],
])("the setting %s=%s changes nothing", async (key, value, bends) => {
  const plain = bends === "neither" ? "" : byHand(bends);
  const file = { ORDER: "z.txt\n", ATTRIBUTES: "* -diff\n" }[value];
  if (file !== undefined) writeFileSync(join(folder.path, value), file);
  git(repo, "config", key, file === undefined ? value : join(folder.path, value));
  try {
    if (bends !== "neither") expect(byHand(bends)).not.toBe(plain);
    expect(await searched()).toBe(pinned);
  } finally {
    git(repo, "config", "--unset", key);
  }
});

describe("attributes", () => {
  test.each([
    ["hide lines", "* -diff\n", []],
    ["call text binary", "*.c diff=mine\n", ["diff.mine.binary", "true"]],
    ["choose another header for hunks", "*.c diff=mine\n", ["diff.mine.xfuncname", "^\\tx1[0-9].*$"]],
    ["show what is binary", "*.bin diff\n", []],
  ] as const)("that %s, kept with the repository", async (_, attributes, setting) => {
    const plain = byHand("diff-tree");
    const path = join(repo, ".git/info/attributes");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, attributes);
    if (setting.length > 0) git(repo, "config", ...setting);
    try {
      expect(byHand("diff-tree")).not.toBe(plain);
      expect(await searched()).toBe(pinned);
    } finally {
      rmSync(path);
      if (setting.length > 0) git(repo, "config", "--remove-section", "diff.mine");
    }
  });

  test("in the Git folder, in the working tree, of a person, and of the system", async () => {
    const home = join(folder.path, "home");
    writeFiles(home, { ".config/git/attributes": "* -diff\n" });
    writeFiles(repo, { ".git/.gitattributes": "* -diff\n", ".gitattributes": "* -diff\n" });
    expect(await searched({ HOME: home, XDG_CONFIG_HOME: join(home, ".config") })).toBe(pinned);
    rmSync(join(repo, ".git/.gitattributes"));
    rmSync(join(repo, ".gitattributes"));
  });

  test("that the change itself brings", async () => {
    writeFiles(repo, { ".gitattributes": "*.c -diff\n" });
    git(repo, "add", "-A");
    git(repo, "commit", "-q", "-m", "attributes");
    expect(byHand("diff-tree")).toContain("Binary files a/a.c and b/a.c differ");
    const diff = await searched();
    expect(diff).toContain(pinned.slice(0, pinned.indexOf("diff --git a/b.bin")));
    git(repo, "reset", "-q", "--hard", "HEAD^");
  });
});

test("in a partial clone that lacks the files as they were, they are fetched", async () => {
  const clone = join(folder.path, "clone");
  git(repo, "config", "uploadpack.allowFilter", "true");
  git(folder.path, "clone", "-q", "--filter=blob:none", `file://${repo}`, clone);
  const lacking = () => git(clone, "rev-list", "--objects", "--missing=print", base).includes("?");
  expect(lacking()).toBe(true);
  const inClone = { ...own(), cwd: clone };
  const diff = await readDiff(
    { ...inClone, env: { ...inClone.env, GIT_DIR: join(clone, ".git") } },
    join(clone, ".git/objects"),
    { base, commit: commit() },
  );
  expect(diff).toEqual({ ok: true, value: pinned });
  git(repo, "config", "--unset", "uploadpack.allowFilter");
});

test("leaves no folder behind, and refuses what it cannot read", async () => {
  const temporary = temporaryFolder();
  const kept = process.env["TMPDIR"];
  process.env["TMPDIR"] = temporary.path;
  try {
    await searched();
    const lost = await readDiff(own(), join(repo, "none"), { base, commit: commit() });
    expect(lost).toMatchObject({ ok: false, code: "GIT_FAILED" });
    expect(readdirSync(temporary.path)).toEqual([]);
  } finally {
    if (kept === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = kept;
    temporary.dispose();
  }
});
