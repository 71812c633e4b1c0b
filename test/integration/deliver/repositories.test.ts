/** Kinds of repositories: a delivery works in each as the person set it up, or refuses it by name. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { baseFiles, byHand, candidateFile, deliverIn, scenes } from "../../support/delivery.ts";
import { git, makeRepository, writeFiles } from "../../support/repository.ts";

const newScene = scenes();
const change = "echo changed > a.txt";

test("SHA-256", async () => {
  const at = newScene(undefined, baseFiles, ["--object-format=sha256"]);
  const receipt = await deliverIn(at, change);
  expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
  expect(receipt.candidate_commit).toMatch(/^[0-9a-f]{64}$/);
  expect(git(at.repo, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
});

test.each(['line\nfeed "and" \\ more', "tab\tulator", " ", "-dash"])("in a folder named %j", async (name) => {
  const at = newScene();
  const repo = join(at.folder, name);
  makeRepository(repo, baseFiles);
  const receipt = await deliverIn({ ...at, repo }, change);
  expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
  expect(git(repo, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
  const unborn = join(at.folder, `${name}2`);
  git(at.folder, "init", "-q", unborn);
  const refused = await deliverIn({ ...at, repo: unborn }, change, { touchesSource: true });
  expect(refused).toMatchObject({
    code: "REPO_NOT_GIT",
    message: expect.stringContaining("no commit at HEAD"),
  });
  const other = await deliverIn({ ...at, repo }, change, { base: "none" });
  expect(other.code).toBe("BASE_UNAVAILABLE");
});

test("a shallow clone", async () => {
  const at = newScene();
  git(at.repo, "commit", "-q", "--allow-empty", "-m", "second");
  const clone = join(at.folder, "clone");
  git(at.folder, "clone", "-q", "--depth=1", `file://${at.repo}`, clone);
  const receipt = await deliverIn({ ...at, repo: clone }, change);
  expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
  expect(git(clone, "rev-list", "--count", "--objects", receipt.candidate_commit as string)).not.toBe("0");
});

test("a clone that borrows objects from another", async () => {
  const at = newScene();
  const clone = join(at.folder, "clone");
  git(at.folder, "clone", "-q", "--shared", "repo", clone);
  expect((await deliverIn({ ...at, repo: clone }, change)).code).toBe("OK");
});

describe("sparse checkouts", () => {
  const files = { ...baseFiles, "in/x.txt": "in\n", "out/y.txt": "out\n", "out/z.txt": "out\n" };
  for (const mode of ["--cone", "--no-cone"]) {
    for (const index of ["--no-sparse-index", "--sparse-index"]) {
      if (mode === "--no-cone" && index === "--sparse-index") continue;
      test(`${mode} ${index}: files outside are kept, and a change outside is not dropped`, async () => {
        const at = newScene(undefined, files);
        git(at.repo, "sparse-checkout", "set", mode, index, "in");
        expect(existsSync(join(at.repo, "out"))).toBe(false);
        const inside = await deliverIn(at, "echo more >> in/x.txt; [ ! -e out ]");
        expect([inside.code, inside.changed_paths]).toEqual(["OK", ["in/x.txt"]]);
        expect(git(at.repo, "ls-tree", "-r", "--name-only", inside.candidate_commit as string)).toContain(
          "out/y.txt",
        );
        git(at.repo, "update-ref", "-d", inside.candidate_ref as string);
        const outside = await deliverIn(
          at,
          "mkdir -p out new; echo x > out/new.txt; echo x > new/f; echo x > out/y.txt",
        );
        expect([outside.code, outside.changed_paths]).toEqual(["OK", ["new/f", "out/new.txt", "out/y.txt"]]);
      });
    }
  }
  test("set up by hand, without a configuration of the worktree's own", async () => {
    const at = newScene(undefined, files);
    git(at.repo, "config", "core.sparseCheckout", "true");
    writeFiles(at.repo, { ".git/info/sparse-checkout": "in/\n" });
    git(at.repo, "read-tree", "-mu", "HEAD");
    expect(existsSync(join(at.repo, "out"))).toBe(false);
    const receipt = await deliverIn(at, "[ ! -e out ] && echo more >> in/x.txt");
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["in/x.txt"]]);
  });
  test("plain Git drops a file outside", () => {
    const at = newScene(undefined, files);
    git(at.repo, "sparse-checkout", "set", "--cone", "in");
    expect(() => byHand(at, "mkdir -p new; echo x > new/f")).toThrow("outside of your sparse-checkout");
  });
  test("a pattern that the command adds is Git state", async () => {
    const at = newScene(undefined, files);
    git(at.repo, "sparse-checkout", "set", "--cone", "in");
    const receipt = await deliverIn(at, `${change}; git sparse-checkout add out`);
    expect(receipt.code).toBe("COMMAND_CHANGED_GIT_STATE");
  });
});

describe("bytes that differ between blobs and files", () => {
  test("core.autocrlf=true: an edit with CRLF is stored with LF, and nothing else changes", async () => {
    const at = newScene();
    git(at.repo, "config", "core.autocrlf", "true");
    for (const name of ["a.txt", "src/b.txt", "run.sh"]) rmSync(join(at.repo, name));
    git(at.repo, "checkout", "--", ".");
    expect(readFileSync(join(at.repo, "a.txt"), "utf8")).toBe("one\r\n");
    const receipt = await deliverIn(at, "printf 'two\\r\\n' > src/b.txt; printf 'changed\\r\\n' > a.txt");
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
    expect(candidateFile(at, receipt, "a.txt")).toBe("changed");
  });

  test("a clean and smudge filter that the person set works as set", async () => {
    const at = newScene();
    git(at.repo, "config", "filter.store.clean", "sed s/secret/POINTER/");
    git(at.repo, "config", "filter.store.smudge", "sed s/POINTER/secret/");
    git(at.repo, "config", "filter.store.required", "true");
    writeFiles(at.repo, {
      ".gitattributes": "*.bin filter=store\n",
      "x.bin": "secret\n",
      "y.bin": "secret\n",
    });
    git(at.repo, "add", "-A");
    git(at.repo, "commit", "-qm", "filtered");
    expect(git(at.repo, "show", "HEAD:x.bin")).toBe("POINTER");
    const receipt = await deliverIn(at, "grep -q secret x.bin && echo 'secret two' > x.bin");
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["x.bin"]]);
    expect(candidateFile(at, receipt, "x.bin")).toBe("POINTER two");
  });

  test("a required filter that fails is named", async () => {
    const at = newScene();
    git(at.repo, "config", "filter.store.clean", "cat");
    git(at.repo, "config", "filter.store.smudge", "false");
    git(at.repo, "config", "filter.store.required", "true");
    writeFiles(at.repo, { ".gitattributes": "*.bin filter=store\n", "x.bin": "x\n" });
    git(at.repo, "add", "-A");
    git(at.repo, "commit", "-qm", "filtered");
    const receipt = await deliverIn(at, change);
    expect([receipt.code, receipt.message]).toEqual(["GIT_FAILED", expect.stringContaining("x.bin")]);
  });

  test("working-tree-encoding", async () => {
    const at = newScene();
    writeFiles(at.repo, {
      ".gitattributes": "*.u16 working-tree-encoding=UTF-16LE\n",
      "x.u16": Buffer.from("ünï\n", "utf16le"),
    });
    git(at.repo, "add", "-A");
    git(at.repo, "commit", "-qm", "encoded");
    const receipt = await deliverIn(at, "cp x.u16 y.u16");
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["y.u16"]]);
    expect(candidateFile(at, receipt, "y.u16")).toBe("ünï");
  });
});

describe("the person's index", () => {
  const kinds: Record<string, readonly (readonly string[])[]> = {
    "version 4": [
      ["config", "index.version", "4"],
      ["update-index", "--index-version", "4"],
    ],
    split: [
      ["config", "core.splitIndex", "true"],
      ["update-index", "--split-index"],
    ],
    "with an untracked cache": [
      ["config", "core.untrackedCache", "true"],
      ["update-index", "--force-untracked-cache"],
      ["status"],
    ],
    "of many files": [
      ["config", "feature.manyFiles", "true"],
      ["update-index", "--index-version", "4"],
      ["status"],
    ],
    "without a checksum": [["config", "index.skipHash", "true"]],
  };
  for (const [kind, commands] of Object.entries(kinds)) {
    test(kind, async () => {
      const at = newScene(undefined, { ...baseFiles, "crlf.txt": "x\r\n", "src/deep/er/file.txt": "x\n" });
      for (const command of commands) git(at.repo, ...command);
      // A fresh index entry must be understood for crlf.txt to be left out.
      const command = "printf 'two\\n' > a.txt; echo '*.txt text' > .gitattributes; echo new > src/new.txt";
      const receipt = await deliverIn(at, command);
      expect([receipt.code, receipt.changed_paths]).toEqual([
        "OK",
        [".gitattributes", "a.txt", "src/new.txt"],
      ]);
    });
  }
});

describe("a partial clone", () => {
  test("without a blob that the base needs is refused by name, and nothing is left", async () => {
    const at = newScene();
    git(at.repo, "config", "uploadpack.allowFilter", "true");
    const clone = join(at.folder, "clone");
    git(at.folder, "clone", "-q", "--no-checkout", "--filter=blob:none", `file://${at.repo}`, clone);
    git(clone, "config", "remote.origin.url", `file://${at.folder}/nowhere`);
    git(clone, "read-tree", "HEAD");
    git(clone, "sparse-checkout", "init", "--no-cone");
    writeFiles(clone, { ".git/info/sparse-checkout": "/nothing\n" });
    git(clone, "config", "--worktree", "core.sparseCheckout", "false");
    git(clone, "update-index", "--skip-worktree", ...Object.keys(baseFiles));
    const receipt = await deliverIn({ ...at, repo: clone }, change);
    expect(receipt.code).toBe("GIT_FAILED");
    expect(receipt.message).toMatch(/nowhere|promisor/);
  });

  test("fetches what it needs where its remote is there", async () => {
    const at = newScene();
    git(at.repo, "config", "uploadpack.allowFilter", "true");
    const clone = join(at.folder, "clone");
    git(at.folder, "clone", "-q", "--filter=blob:none", `file://${at.repo}`, clone);
    const receipt = await deliverIn({ ...at, repo: clone }, change);
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
  });
});

describe("linked worktrees as the source", () => {
  test("with a configuration of its own", async () => {
    const at = newScene(undefined, { ...baseFiles, ".gitattributes": "*.txt filter=mine\n" });
    const linked = join(at.folder, "linked wörktree");
    git(at.repo, "worktree", "add", "-q", "--detach", linked);
    git(at.repo, "config", "extensions.worktreeConfig", "true");
    git(linked, "config", "--worktree", "user.name", "Another");
    git(linked, "commit", "-q", "--allow-empty", "-m", "only here");
    const receipt = await deliverIn({ ...at, repo: linked }, change);
    expect([receipt.code, receipt.base_commit]).toEqual(["OK", git(linked, "rev-parse", "HEAD")]);
  });

  test("sparse, where the main one is not", async () => {
    const at = newScene(undefined, { ...baseFiles, "out/y.txt": "y\n" });
    const linked = join(at.folder, "linked");
    git(at.repo, "worktree", "add", "-q", "--detach", linked);
    git(linked, "sparse-checkout", "set", "--cone", "src");
    const receipt = await deliverIn(
      { ...at, repo: linked },
      "echo x > src/b.txt; mkdir -p out; echo x > out/n",
    );
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["out/n", "src/b.txt"]]);
  });

  test("a person's own worktrees stay registered", async () => {
    const at = newScene();
    const linked = join(at.folder, "linked");
    git(at.repo, "worktree", "add", "-q", "-b", "side", linked);
    git(at.repo, "worktree", "lock", linked);
    expect((await deliverIn(at, change)).code).toBe("OK");
    expect(git(at.repo, "worktree", "list", "--porcelain")).toContain(`worktree ${linked}`);
  });
});

describe("submodules", () => {
  function withSubmodule() {
    const at = newScene();
    const other = join(at.folder, "other");
    makeRepository(other, { "x.txt": "x\n" });
    git(at.repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub");
    git(at.repo, "commit", "-qm", "with a submodule");
    return at;
  }
  test("are no change where the command leaves them", async () => {
    const receipt = await deliverIn(withSubmodule(), change);
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
  });
  test("filled by the command are no change", async () => {
    const fill = "git -c protocol.file.allow=always submodule --quiet update --init";
    const receipt = await deliverIn(withSubmodule(), `${fill}; ${change}`, { touchesSource: true });
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
  });
  test("whose folder is removed is a gitlink dropped", async () => {
    expect((await deliverIn(withSubmodule(), `rmdir sub; ${change}`)).code).toBe("NESTED_REPOSITORY");
  });
  test("with submodule.recurse", async () => {
    const at = withSubmodule();
    git(at.repo, "config", "submodule.recurse", "true");
    expect((await deliverIn(at, change)).code).toBe("OK");
  });
});
