import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { verify } from "../../../src/acceptance/verify.ts";
import { writeFiles } from "../../support/repository.ts";
import { blockedBy, checked, checks, disposeTask, make, task } from "./current-task.ts";

afterEach(disposeTask);

const delta = "worktree has uncommitted or untracked changes (undeclared source delta): ";

describe("source problems", () => {
  test("a source that is no commit, by any other name", async () => {
    make();
    const { source } = task();
    for (const name of ["HEAD", "main", source.slice(0, 12), source.toUpperCase(), "0".repeat(40), "-x"]) {
      expect(await blockedBy({}, name)).toBe(`candidate '${name}' is not a commit`);
    }
    expect(await blockedBy({}, task().git("rev-parse", "HEAD^{tree}"))).toContain("is not a commit");
    expect((await verify({ packet: task().packet(), source })).status).toBe("CHECKED");
  });

  test("a commit that is not the branch's tip, or a HEAD elsewhere", async () => {
    make();
    const { source, inputs } = task();
    const owned = (found: string, commit = source) =>
      `candidate ${commit} is not the owned task commit checked out on its branch (${found})`;
    expect(await blockedBy({}, inputs)).toBe(owned(`branch ${source}, HEAD refs/heads/task/T1`, inputs));
    expect(await blockedBy({ branch: "other" })).toBe(owned("branch missing, HEAD refs/heads/task/T1"));
    expect(await blockedBy({ branch: "task/*" })).toBe(owned("branch missing, HEAD refs/heads/task/T1"));
    expect(await blockedBy({ branch: "task" })).toBe(owned("branch missing, HEAD refs/heads/task/T1"));
    task().git("checkout", "-q", "--detach");
    expect(await blockedBy()).toBe(owned(`branch ${source}, HEAD detached`));
    task().git("checkout", "-q", "-b", "aside");
    expect(await blockedBy()).toBe(owned(`branch ${source}, HEAD refs/heads/aside`));
  });

  test("a commit that does not descend from the inputs", async () => {
    make();
    const orphan = task().git("commit-tree", "HEAD^{tree}", "-m", "orphan");
    task().git("reset", "-q", "--hard", orphan);
    expect(await blockedBy()).toBe(`candidate ${orphan} does not descend from the committed inputs`);
  });

  test("the inputs commit itself is its own descendant", async () => {
    make();
    task().git("reset", "-q", "--hard", task().inputs);
    expect((await checked()).passed).toBe(true);
  });

  test("edits to the loop's inputs", async () => {
    make({ change: { "docs/specs/queue.md": "-\n", "tasks/T1/sub/new ü.md": "", "tasks/T10/x": "" } });
    expect(await blockedBy()).toBe("candidate edits loop inputs: docs/specs/queue.md, tasks/T1/sub/new ü.md");
  });

  test.each<[string, () => void, string]>([
    ["untracked", () => write({ 'new\nü "x".txt': "" }), 'new\nü "x".txt'],
    ["modified", () => write({ "README.md": "b" }), "README.md"],
    ["staged", () => all(write({ "s.txt": "b" }), task().git("add", "s.txt")), "s.txt"],
    ["deleted", () => rmSync(join(task().worktree, "README.md")), "README.md"],
    [
      "renamed",
      () => renameSync(join(task().worktree, "README.md"), join(task().worktree, "Z")),
      "README.md, Z",
    ],
    [
      "assume-unchanged",
      () => all(mark("--assume-unchanged"), write({ "README.md": "hidden" })),
      "README.md",
    ],
    ["skip-worktree", () => all(mark("--skip-worktree"), write({ "README.md": "hidden" })), "README.md"],
    [
      "both marks",
      () => all(mark("--skip-worktree"), mark("--assume-unchanged"), write({ "README.md": "hidden" })),
      "README.md",
    ],
    [
      "deleted behind skip-worktree",
      () => all(mark("--skip-worktree"), rmSync(join(task().worktree, "README.md"))),
      "README.md",
    ],
  ])("%s", async (_, spoil, paths) => {
    make();
    spoil();
    expect(await blockedBy()).toBe(`${delta}${paths}`);
  });

  test("marks without an edit, ignored files and .devlyn are clean", async () => {
    make({ change: { ".gitignore": "*.log\n", "src/a.txt": "1\n" } });
    mark("--assume-unchanged");
    task().git("update-index", "--skip-worktree", "src/a.txt");
    write({ "x.log": "", ".devlyn/notes": "" });
    expect((await checked()).passed).toBe(true);
  });

  test("a sparse checkout is clean, and an edit in it is found", async () => {
    make({ change: { "deep/er/x": "1\n", "src/a.txt": "1\n" } });
    task().git("sparse-checkout", "set", "src", "tasks", "docs");
    expect(existsSync(join(task().worktree, "deep/er/x"))).toBe(false);
    expect((await checked()).passed).toBe(true);
    write({ "deep/er/x": "2\n" });
    expect(await blockedBy()).toBe(`${delta}deep/er/x`);
  });

  test("all that apply are told at once", async () => {
    make({ change: { "docs/specs/queue.md": "x" } });
    task().git("checkout", "-q", "--detach");
    write({ z: "" });
    const parts = (await blockedBy()).split("; ");
    expect(parts).toHaveLength(3);
    expect(parts[1]).toContain("candidate edits loop inputs");
  });

  test("are asked again after the commands", async () => {
    make({ expected: checks({ cmd: "touch left; exit 1" }) });
    expect((await checked()).reasons).toEqual([
      "failed: command 0 (no refs) exit 1, expected 0",
      `failed: source changed during checks: ${delta}left`,
    ]);
  });

  test("a command that leads Git elsewhere", async () => {
    const elsewhere = "git init -q ../elsewhere && echo gitdir: ../elsewhere/.git > .git";
    make({ expected: checks({ cmd: `${elsewhere}; echo x >> README.md` }) });
    expect((await checked()).reasons).toEqual([`failed: source changed during checks: ${delta}README.md`]);
  });

  test("a command that commits, and one that writes where the loop does", async () => {
    const commit = "git add c && git -c user.name=a -c user.email=a@b commit -qm c";
    make({ expected: checks({ cmd: `touch c && ${commit}` }) });
    expect((await checked()).reasons[0]).toStartWith("failed: source changed during checks: candidate");
    disposeTask();
    make({ expected: checks({ cmd: "touch .devlyn/x" }) });
    expect((await checked()).passed).toBe(true);
  });
});

function write(files: Readonly<Record<string, string>>): void {
  writeFiles(task().worktree, files);
}

function mark(flag: string): void {
  task().git("update-index", flag, "README.md");
}

/** Several steps in one expression; each is done by the time it is passed. */
function all(..._steps: readonly unknown[]): void {}
