import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { verify } from "../../../src/acceptance/verify.ts";
import { snapshot, writeFiles } from "../../support/repository.ts";
import { blockedBy, checked, checks, disposeTask, judged, make, task } from "./current-task.ts";

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

  for (const mode of ["--cone", "--no-cone"]) {
    test(`a deletion inside a sparse checkout is found (${mode})`, async () => {
      const files = {
        "in/x": "1\n",
        "in/er/[y]": "1\n",
        "near/z": "1\n",
        "near/er/o": "1\n",
        "out/ü": "1\n",
      };
      make({ change: files });
      const patterns = mode === "--cone" ? ["in", "near/er"] : ["/*", "!/out/", "!/near/", "/near/er/"];
      task().git("sparse-checkout", "set", mode, ...patterns, "tasks", "docs");
      expect(existsSync(join(task().worktree, "out"))).toBe(false);
      expect((await checked()).passed).toBe(true);
      for (const path of ["in/er/[y]", "near/er/o"]) {
        task().git("update-index", "--skip-worktree", path);
        rmSync(join(task().worktree, path));
      }
      expect(task().git("status", "--porcelain", "--", ":!.devlyn")).toBe("");
      const before = snapshot(task().worktree);
      expect(await blockedBy()).toBe(`${delta}in/er/[y], near/er/o`);
      expect(snapshot(task().worktree)).toEqual(before);
    });
  }

  test("files that only this repository's own settings hide", async () => {
    make({ change: { ".gitignore": "*.log\n", "src/.gitignore": "!kept.log\n" } });
    const home = join(task().folder, "home");
    writeFiles(home, { ".config/git/ignore": ".DS_Store\n" });
    const person = { HOME: home, XDG_CONFIG_HOME: "", GIT_CONFIG_GLOBAL: join(home, ".gitconfig") };
    await withEnvironment(person, async () => {
      write({
        "a.log": "",
        ".DS_Store": "",
        "src/.DS_Store": "",
        ".cache/.gitignore": "*\n",
        ".cache/x": "",
      });
      expect((await checked()).passed).toBe(true);

      write({ "planted ü.ts": "", "src/kept.log": "" });
      const common = task().git("rev-parse", "--path-format=absolute", "--git-common-dir");
      writeFiles(common, { "info/exclude": "planted*\n*.log\n" });
      expect(task().git("status", "--porcelain")).not.toContain("planted");
      expect(await blockedBy()).toBe(`${delta}src/kept.log, planted ü.ts`);
      rmSync(join(common, "info/exclude"));

      writeFiles(join(task().worktree, ".."), { ignore: "planted*\n" });
      task().git("config", "core.excludesFile", "../ignore");
      expect(await blockedBy()).toContain("planted ü.ts");
      task().git("config", "--unset", "core.excludesFile");

      writeFiles(home, { ".gitconfig": "[core]\nexcludesFile = ~/mine\n", mine: "planted*\n.DS_Store\n" });
      rmSync(join(task().worktree, "src/kept.log"));
      expect((await checked()).passed).toBe(true);
    });
  });

  test.each([
    ["at the root", ".gitignore", "*\n", "helper.ts"],
    ["beside a tracked file", "src/.gitignore", "helper.ts\n.gitignore\n", "src/helper.ts"],
    ["in a folder with a name of its own", ":(top)*[a]/.gitignore", "*\n", ":(top)*[a]/helper.ts"],
    ["above one", "lib/.gitignore", "/.gitignore\n/helper.ts\n", "lib/helper.ts"],
  ])(
    "rules of what is ignored, which no commit holds and which hide themselves, %s",
    async (_, rules, text, helper) => {
      make({ change: { "src/a.txt": "1\n", "lib/deep/b.txt": "2\n", ":(top)*[a]/c": "3\n" } });
      expect((await checked()).passed).toBe(true);
      write({ [rules]: text, [helper]: "" });
      expect(task().git("status", "--porcelain", "--", ":!.devlyn")).toBe("");
      expect(await blockedBy()).toBe(`${delta}${rules}`);
      rmSync(join(task().worktree, rules));
      expect(await blockedBy()).toBe(`${delta}${helper}`);
    },
  );

  test("rules that are hidden by committed ones, or by a person's, are not doubted", async () => {
    make({ change: { ".gitignore": "local/\n/src/.gitignore\n", "src/a.txt": "1\n" } });
    write({ "local/kept.txt": "" });
    task().git("add", "-f", "local/kept.txt");
    task().git("commit", "-q", "-m", "kept");
    write({ "local/.gitignore": "*\n", "src/.gitignore": "b.txt\n", "src/b.txt": "", "docs/.gitignore": "" });
    const home = join(task().folder, "home");
    writeFiles(home, { ".config/git/ignore": "docs/.gitignore\n" });
    const person = { HOME: home, XDG_CONFIG_HOME: "", GIT_CONFIG_GLOBAL: join(home, ".gitconfig") };
    const source = task().git("rev-parse", "HEAD");
    await withEnvironment(person, async () => {
      const outcome = await verify({ packet: task().packet(), source });
      expect(outcome).toMatchObject({ status: "CHECKED", passed: true });
    });
  });

  test("a new file whose name differs in case alone from a tracked one, where names that do are two", async () => {
    make();
    if (existsSync(join(task().worktree, "readme.MD"))) {
      return console.log("skipped: on this file system they are one");
    }
    task().git("config", "core.ignoreCase", "true");
    write({ "readme.MD": "" });
    expect(task().git("status", "--porcelain")).toBe("");
    expect(await blockedBy()).toBe(`${delta}readme.MD`);
  });

  test("a folder that Git cannot look into is not taken for an empty one", async () => {
    make();
    const nest = `d=${"0".repeat(200)}; i=0; while [ $i -lt 25 ]; do mkdir $d; cd -P $d; i=$((i+1)); done; echo x > f`;
    expect(Bun.spawnSync(["sh", "-c", nest], { cwd: task().worktree }).exitCode).toBe(0);
    expect(task().git("status", "--porcelain", "--untracked-files=all")).toBe("");
    expect(await blockedBy()).toStartWith("git status left something out: could not open directory '00000");
    const common = task().git("rev-parse", "--path-format=absolute", "--git-common-dir");
    writeFiles(common, { "info/exclude": "0*\n" });
    expect(await blockedBy()).toStartWith("git ls-files left something out: could not open directory '00000");
  });

  test("an edit that keeps a file's size and second, where Git is told to look no closer", async () => {
    make();
    const path = join(task().worktree, "README.md");
    const second = new Date(1_600_000_000_000);
    utimesSync(path, second, second);
    task().git("config", "core.trustctime", "false");
    task().git("config", "core.checkStat", "minimal");
    task().git("update-index", "--refresh");
    write({ "../other": "A PROJECT\n" });
    renameSync(join(task().worktree, "../other"), path);
    utimesSync(path, second, second);
    expect(task().git("status", "--porcelain")).toBe("");
    expect(await blockedBy()).toBe(`${delta}README.md`);
  });

  test("inputs that cannot be compared are no inputs unchanged", async () => {
    make({ change: { "docs/specs/queue.md": "-\n" } });
    const tree = task().git("rev-parse", "HEAD:docs/specs");
    const objects = task().git("rev-parse", "--path-format=absolute", "--git-path", "objects");
    rmSync(join(objects, tree.slice(0, 2), tree.slice(2)));
    expect(await blockedBy()).toContain("git diff-tree: ");
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

  const changedState = (what: string) =>
    `failed: source changed during checks: Git state is not what it was before them: ${what}`;

  test("a command that leads Git elsewhere", async () => {
    const elsewhere = "git init -q ../elsewhere && echo gitdir: ../elsewhere/.git > .git";
    make({ expected: checks({ cmd: `${elsewhere}; echo x >> README.md` }) });
    expect((await checked()).reasons).toEqual([changedState(join(task().worktree, ".git"))]);
  });

  const plant =
    "git config filter.x.clean 'touch ../ran; git cat-file blob HEAD:README.md'; " +
    'mkdir -p "$(git rev-parse --git-common-dir)/info"; ' +
    "echo 'README.md filter=x' > \"$(git rev-parse --git-common-dir)/info/attributes\"; echo 'A PROJECT' > README.md";

  test("a command that plants a filter, which would hide what it edits: plain Git runs it and sees nothing", async () => {
    make();
    Bun.spawnSync(["sh", "-c", plant], { cwd: task().worktree });
    expect(task().git("status", "--porcelain")).toBe("");
    expect(existsSync(join(task().worktree, "../ran"))).toBe(true);
  });

  test.each(["verify", "accept"])(
    "a command that plants a filter: %s runs nothing of it",
    async (operation) => {
      make({ expected: checks({ cmd: plant }) });
      const { reasons } = operation === "verify" ? await checked() : await judged();
      const info = join(task().folder, "main/.git/info/attributes");
      expect(reasons).toEqual([changedState(info)]);
      expect(existsSync(join(task().worktree, "../ran"))).toBe(false);
    },
  );

  test("a command that configures what Git does not run", async () => {
    const settings = ["user.name x", "core.hooksPath .husky", "remote.origin.url y", "alias.z status"];
    make({ expected: checks({ cmd: settings.map((each) => `git config ${each}`).join("; ") }) });
    expect((await checked()).passed).toBe(true);
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

async function withEnvironment(
  variables: Readonly<Record<string, string>>,
  work: () => Promise<void>,
): Promise<void> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  try {
    await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** Several steps in one expression; each is done by the time it is passed. */
function all(..._steps: readonly unknown[]): void {}
