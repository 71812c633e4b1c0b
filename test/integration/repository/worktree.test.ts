/** The registration the engine writes itself, held against the one that Git makes. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { locateGit, resolveSource, type Source } from "../../../src/repository/preflight.ts";
import {
  addWorktree,
  fillWorktree,
  removeRegistration,
  type Worktree,
  worktreeFolders,
} from "../../../src/repository/worktree.ts";
import { git, gitEnvironment, makeRepository, temporaryFolder } from "../../support/repository.ts";

/** Git also notes that HEAD is where it is, and newer ones make an empty folder for refs of the worktree's own. */
const without = new Set(["logs", "refs"]);
const files = { "a.txt": "one\n", "src/b.txt": "two\n" };

async function sourceOf(repo: string): Promise<Source> {
  const located = locateGit(repo, gitEnvironment());
  if (!located.ok) throw new Error(located.message);
  const source = await resolveSource(located.value, undefined);
  if (!source.ok) throw new Error(source.message);
  return source.value;
}

async function added(source: Source, path: string): Promise<Worktree> {
  const worktree = await addWorktree(source, path);
  if (!worktree.ok) throw new Error(worktree.message);
  const filled = await fillWorktree(worktree.value);
  if (!filled.ok) throw new Error(filled.message);
  return worktree.value;
}

for (const format of ["sha1", "sha256"]) {
  test(`is a worktree like any other to Git: ${format}`, async () => {
    const { path: folder, dispose } = temporaryFolder();
    try {
      const repo = join(folder, "repo");
      makeRepository(repo, files, [`--object-format=${format}`]);
      const source = await sourceOf(repo);
      const looks = [];
      for (const isPlain of [true, false]) {
        const path = join(folder, `satyrn-${isPlain}`);
        const worktree = await added({ ...source, isPlain }, path);
        const listed = git(repo, "worktree", "list", "--porcelain");
        expect(listed).toContain(`worktree ${path}\nHEAD ${source.base}\ndetached`);
        git(repo, "worktree", "prune");
        expect(git(path, "status", "--porcelain=v2", "--branch")).toBe(
          `# branch.oid ${source.base}\n# branch.head (detached)`,
        );
        const name = new RegExp(`satyrn-${isPlain}`, "g");
        looks.push({
          admin: readdirSync(worktree.adminDirectory)
            .filter((each) => !without.has(each))
            .sort(),
          link: readFileSync(join(path, ".git"), "utf8").replace(name, "NAME"),
          head: readFileSync(join(worktree.adminDirectory, "HEAD"), "utf8"),
          common: readFileSync(join(worktree.adminDirectory, "commondir"), "utf8"),
          directory: readFileSync(join(worktree.adminDirectory, "gitdir"), "utf8").replace(name, "NAME"),
          files: readdirSync(path, { recursive: true }).sort(),
        });
        expect(worktreeFolders(source)).toContain(path);
        expect(readdirSync(join(repo, ".git/satyrn")).filter((each) => each !== "worktrees.lock")).toEqual(
          [],
        );
        git(repo, "worktree", "remove", path);
        expect(existsSync(worktree.adminDirectory)).toBe(false);
      }
      expect(looks[0]).toEqual(looks[1] as (typeof looks)[0]);
    } finally {
      dispose();
    }
  });
}

test("is taken back where a folder stands in the way", async () => {
  const { path: folder, dispose } = temporaryFolder();
  try {
    const repo = join(folder, "repo");
    makeRepository(repo, files);
    const source = { ...(await sourceOf(repo)), isPlain: true };
    const path = join(folder, "satyrn-x");
    mkdirSync(path);
    expect(await addWorktree(source, path)).toMatchObject({ ok: false, code: "GIT_FAILED" });
    expect(readdirSync(join(repo, ".git/satyrn"))).toEqual([]);
    expect(git(repo, "worktree", "list").split("\n")).toHaveLength(1);
  } finally {
    dispose();
  }
});

test("holds while others add and remove theirs, and while a person prunes", async () => {
  const { path: folder, dispose } = temporaryFolder();
  try {
    const repo = join(realpathSync(folder), "repo");
    makeRepository(repo, files);
    const source = { ...(await sourceOf(repo)), isPlain: true };
    const script = "while [ ! -e stop ]; do git worktree prune; done";
    const pruning = Bun.spawn(["sh", "-c", script], { cwd: repo, env: gitEnvironment() });
    try {
      for (let round = 0; round < 5; round++) {
        const paths = Array.from({ length: 4 }, (_, at) => join(folder, `satyrn-${round}-${at}`));
        const made = await Promise.all(paths.map((path) => added(source, path)));
        const left = made.map(({ adminDirectory, path }) =>
          removeRegistration(source.commonDirectory, adminDirectory, path),
        );
        expect(await Promise.all(left)).toEqual(paths.map(() => undefined));
      }
    } finally {
      await Bun.write(join(repo, "stop"), "");
      await pruning.exited;
    }
  } finally {
    dispose();
  }
});
