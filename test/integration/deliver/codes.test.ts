/** One test for each code a receipt can carry, with the success beside it. */
import { afterEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { receiptStatus } from "../../../src/delivery/receipt.ts";
import { type DeliveryCode, exitStatus } from "../../../src/outcome.ts";
import {
  baseFiles,
  candidateFile,
  type DeliveryOptions,
  deliverIn,
  expectNothingLeft,
  type Scene,
  scene,
} from "../../support/delivery.ts";
import { pathsOf, recoverIn } from "../../support/killed.ts";
import { git, makeRepository, writeFiles } from "../../support/repository.ts";
import { deliverUnprivileged, recoverUnprivileged, unprivilegedSkipped } from "../../support/unprivileged.ts";
import { wrappedGit } from "../../support/wrapped-git.ts";

let scenes: Scene[] = [];
afterEach(() => {
  for (const at of scenes) at.dispose();
  scenes = [];
});

function newScene(...args: Parameters<typeof scene>): Scene {
  const at = scene(...args);
  scenes.push(at);
  return at;
}

const change = "echo changed > a.txt";

async function expectCode(at: Scene, code: DeliveryCode, command = change, options: DeliveryOptions = {}) {
  const receipt = await deliverIn(at, command, options);
  expect([receipt.code, receipt.message]).toEqual([code, expect.any(String)]);
  if (code !== "OK")
    expect(
      git(at.repo, "for-each-ref", "refs/satyrn/")
        .split("\n")
        .filter((line) => line.includes(receipt.candidate_commit ?? "never")),
    ).toEqual([]);
  return receipt;
}

describe("OK", () => {
  test("the candidate is one commit on the base, by the engine, under its ref", async () => {
    const at = newScene();
    const receipt = await expectCode(
      at,
      "OK",
      "echo changed > a.txt; rm src/b.txt; mkdir new; echo x > new/c; chmod +x run.sh",
    );
    expect(receipt.candidate_ref).toBe("refs/satyrn/candidates/fix-1/head");
    expect(git(at.repo, "rev-parse", receipt.candidate_ref as string)).toBe(
      receipt.candidate_commit as string,
    );
    expect(receipt.changed_paths).toEqual(["a.txt", "new/c", "run.sh", "src/b.txt"]);
    expect(git(at.repo, "rev-parse", `${receipt.candidate_commit}^@`)).toBe(
      git(at.repo, "rev-parse", "HEAD"),
    );
    const format = "%an <%ae> %cn <%ce>%n%B";
    expect(git(at.repo, "log", "-1", `--format=${format}`, receipt.candidate_commit as string)).toBe(
      "satyrn-engine <satyrn-engine@localhost> satyrn-engine <satyrn-engine@localhost>\n" +
        `candidate: fix-1\n\nbase: ${receipt.base_commit}\n`,
    );
    expect(candidateFile(at, receipt, "a.txt")).toBe("changed");
    expect(git(at.repo, "ls-tree", receipt.candidate_commit as string, "run.sh")).toStartWith("100755");
    expect(git(at.repo, "fsck", "--strict", "--no-dangling")).toBe("");
    expect(receiptStatus(receipt)).toBe(exitStatus.OK);
    expect([receipt.outcome, receipt.command_exit, receipt.source_drift]).toEqual([
      "candidate-created",
      0,
      [],
    ]);
  });

  test("dates in the environment are ignored", async () => {
    const at = newScene();
    const env = { GIT_AUTHOR_DATE: "2001-01-01T00:00:00Z", GIT_COMMITTER_DATE: "2001-01-01T00:00:00Z" };
    const receipt = await expectCode(at, "OK", change, { env });
    expect(
      git(at.repo, "log", "-1", "--format=%ad%cd", "--date=format:%Y", receipt.candidate_commit as string),
    ).not.toContain("2001");
  });
});

describe("refusals of the check", () => {
  test("CONTRACT_UNREADABLE", async () => {
    const at = newScene();
    const receipt = await expectCode(at, "CONTRACT_UNREADABLE", change, {
      contract: join(at.folder, "missing.yaml"),
    });
    expect([receipt.contract_id, receiptStatus(receipt)]).toEqual([null, 3]);
  });
  test("CONTRACT_INVALID_YAML", async () => {
    expect(receiptStatus(await expectCode(newScene("a: [\n"), "CONTRACT_INVALID_YAML"))).toBe(4);
  });
  test("CONTRACT_MISSING_FIELD", async () => {
    expect(receiptStatus(await expectCode(newScene("id: x\n"), "CONTRACT_MISSING_FIELD"))).toBe(5);
  });
  test("REPO_UNAVAILABLE", async () => {
    const at = newScene();
    const receipt = await expectCode(at, "REPO_UNAVAILABLE", change, { repo: join(at.folder, "nowhere") });
    expect([receipt.contract_id, receiptStatus(receipt)]).toEqual(["fix-1", 6]);
  });
});

describe("what the contract is refused for comes before", () => {
  const hindrances: Record<string, (at: Scene) => DeliveryOptions> = {
    REPO_UNAVAILABLE: (at) => ({ repo: join(at.folder, "nowhere") }),
    REPO_NOT_GIT: (at) => ({ repo: join(at.repo, "src") }),
    BASE_UNAVAILABLE: () => ({ base: "no-such-commit" }),
    "a Git that cannot be found": () => ({ env: { PATH: "/nowhere" } }),
    REPO_DIRTY: (at) => {
      writeFiles(at.repo, { "new file": "" });
      return {};
    },
    "a worktree that cannot be registered": (at) => {
      writeFiles(at.repo, { ".git/worktrees": "in the way" });
      return {};
    },
    "nothing else": () => ({}),
  };
  for (const [hindrance, make] of Object.entries(hindrances)) {
    test(hindrance, async () => {
      const at = newScene("id: x\n");
      const receipt = await expectCode(at, "CONTRACT_MISSING_FIELD", change, make(at));
      expect([receipt.base_commit, receipt.contract_id, receipt.candidate_ref]).toEqual([null, null, null]);
      expect(existsSync(join(at.repo, ".git/satyrn/receipts"))).toBe(false);
    });
  }
});

describe("REPO_NOT_GIT", () => {
  test("a folder outside any repository", async () => {
    const at = newScene();
    mkdirSync(join(at.folder, "plain"));
    await expectCode(at, "REPO_NOT_GIT", change, { repo: join(at.folder, "plain") });
  });
  test("a subdirectory", async () => {
    const at = newScene();
    await expectCode(at, "REPO_NOT_GIT", change, { repo: join(at.repo, "src") });
  });
  test("a bare repository", async () => {
    const at = newScene();
    git(at.folder, "clone", "-q", "--bare", "repo", "bare.git");
    await expectCode(at, "REPO_NOT_GIT", change, { repo: join(at.folder, "bare.git") });
  });
  test("a Git directory", async () => {
    const at = newScene();
    await expectCode(at, "REPO_NOT_GIT", change, { repo: join(at.repo, ".git") });
  });
  test("no commit at HEAD", async () => {
    const at = newScene();
    mkdirSync(join(at.folder, "empty"));
    git(join(at.folder, "empty"), "init", "-q");
    await expectCode(at, "REPO_NOT_GIT", change, { repo: join(at.folder, "empty") });
  });
  test("but a link to the root is accepted, and named as it was given", async () => {
    const at = newScene();
    const link = join(at.folder, "link");
    symlinkSync(at.repo, link);
    expect((await expectCode(at, "OK", change, { repo: link })).repository).toBe(link);
  });
  test("and so is the root of a linked worktree", async () => {
    const at = newScene();
    git(at.repo, "worktree", "add", "-q", "--detach", join(at.folder, "linked wörktree"));
    await expectCode(at, "OK", change, { repo: join(at.folder, "linked wörktree") });
  });
});

describe("REPO_DIRTY", () => {
  const states: Record<string, (repo: string) => void> = {
    "a tracked file changed": (repo) => writeFiles(repo, { "a.txt": "other\n" }),
    "a tracked file deleted": (repo) => rmSync(join(repo, "a.txt")),
    "a staged change": (repo) => {
      writeFiles(repo, { "a.txt": "other\n" });
      git(repo, "add", "a.txt");
    },
    "an untracked file": (repo) => writeFiles(repo, { "new file.txt": "" }),
    "an untracked folder": (repo) => writeFiles(repo, { "new/file.txt": "" }),
  };
  for (const [state, make] of Object.entries(states)) {
    test(state, async () => {
      const at = newScene();
      make(at.repo);
      await expectCode(at, "REPO_DIRTY");
    });
  }

  test("a submodule that differs", async () => {
    const at = newScene();
    makeRepository(join(at.folder, "other"), { "x.txt": "x\n" });
    git(
      at.repo,
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      join(at.folder, "other"),
      "sub",
    );
    git(at.repo, "commit", "-qm", "with a submodule");
    await expectCode(at, "OK");
    writeFiles(at.repo, { "sub/x.txt": "y\n" });
    const receipt = await expectCode(at, "REPO_DIRTY");
    expect(receipt.message).toContain("sub");
  });

  test("the message names five paths and the count", async () => {
    const at = newScene();
    for (let n = 1; n <= 7; n++) writeFiles(at.repo, { [`u${n}\n.txt`]: "" });
    const receipt = await expectCode(at, "REPO_DIRTY");
    expect(receipt.message).toBe(
      "the working tree has uncommitted changes in 7 paths: u1\\n.txt, u2\\n.txt, u3\\n.txt, u4\\n.txt, u5\\n.txt and 2 more",
    );
  });

  test("the message says so when the contract file is one of them", async () => {
    const at = newScene();
    writeFiles(at.repo, { "contract.yaml": "id: fix-1\ntask: t\n" });
    const receipt = await expectCode(at, "REPO_DIRTY", change, { contract: join(at.repo, "contract.yaml") });
    expect(receipt.message).toContain("the contract file itself is one of them");
  });

  test("a checkout that takes long is not waited for", async () => {
    const at = newScene(undefined, { ...baseFiles, ".gitattributes": "a.txt filter=slow\n" });
    git(at.repo, "config", "filter.slow.smudge", "sleep 20; cat");
    writeFiles(at.repo, { new: "" });
    const receipt = await expectCode(at, "REPO_DIRTY");
    expect(receipt.duration_ms).toBeLessThan(10_000);
  });

  test("an ignored file is no change", async () => {
    const at = newScene(undefined, { ...baseFiles, ".gitignore": "*.log\n" });
    writeFiles(at.repo, { "x.log": "" });
    await expectCode(at, "OK");
  });
});

describe("BASE_UNAVAILABLE", () => {
  for (const base of ["nowhere", "HEAD:a.txt", "HEAD..HEAD", "-x", "^HEAD", ":/base", "HEAD^{tree}", ""]) {
    test(JSON.stringify(base), async () => {
      const receipt = await expectCode(newScene(), "BASE_UNAVAILABLE", change, { base });
      expect(receipt.base_commit).toBeNull();
    });
  }
  test("but a commit-ish is resolved once, and HEAD is not fallen back to", async () => {
    const at = newScene();
    const first = git(at.repo, "rev-parse", "HEAD");
    git(at.repo, "commit", "-q", "--allow-empty", "-m", "second");
    const receipt = await expectCode(at, "OK", change, { base: "HEAD~1" });
    expect(receipt.base_commit).toBe(first);
    expect(git(at.repo, "rev-parse", `${receipt.candidate_commit}^`)).toBe(first);
  });
  test("and a candidate is a base: deliveries chain", async () => {
    const at = newScene();
    const first = await expectCode(at, "OK");
    writeFileSync(at.contract, "id: fix-2\ntask: another\n");
    const second = await expectCode(at, "OK", "cat a.txt > c.txt", { base: first.candidate_ref as string });
    expect(candidateFile(at, second, "c.txt")).toBe("changed");
    expect(second.base_commit).toBe(first.candidate_commit as string);
  });
});

describe("INVALID_CANDIDATE_ID", () => {
  for (const id of [
    "a/b",
    "a\\0b",
    "x".repeat(201),
    "a..b",
    "a b",
    ".a",
    "a.lock",
    "a~b",
    "a@{b",
    "a\\u0001",
  ]) {
    test(id.slice(0, 20), async () => {
      const receipt = await expectCode(newScene(`id: "${id}"\ntask: t\n`), "INVALID_CANDIDATE_ID");
      expect(receipt.candidate_ref).toBeNull();
      expect(receipt.base_commit).not.toBeNull();
    });
  }
  for (const id of ["x".repeat(200), "ünïcode", "-rf", "--help", "@", "HEAD"]) {
    test(`but ${id.slice(0, 20)} is accepted as it is`, async () => {
      const at = newScene(`id: "${id}"\ntask: t\n`);
      const receipt = await expectCode(at, "OK");
      expect(receipt.candidate_ref).toBe(`refs/satyrn/candidates/${id}/head`);
      expect(git(at.repo, "rev-parse", receipt.candidate_ref as string)).toBe(
        receipt.candidate_commit as string,
      );
    });
  }
});

describe("CANDIDATE_EXISTS", () => {
  const ref = "refs/satyrn/candidates/fix-1/head";
  test("an ordinary ref", async () => {
    const at = newScene();
    git(at.repo, "update-ref", ref, "HEAD");
    await expectCode(at, "CANDIDATE_EXISTS");
  });
  test("a symbolic ref", async () => {
    const at = newScene();
    git(at.repo, "symbolic-ref", ref, "refs/heads/main");
    await expectCode(at, "CANDIDATE_EXISTS");
  });
  test("is not said of a ref that is an empty file, as after a power cut", async () => {
    const at = newScene();
    writeFiles(join(at.repo, ".git"), { [ref]: "" });
    const receipt = await expectCode(at, "GIT_FAILED");
    expect(receipt.message).toBe(`${ref} is there and names nothing, as after a power cut: remove the file`);
    rmSync(join(at.repo, ".git", ref));
    await expectCode(at, "OK");
  });
  test("a dangling symbolic ref, which plain update-ref overwrites", async () => {
    const at = newScene();
    git(at.repo, "symbolic-ref", ref, "refs/heads/nowhere");
    await expectCode(at, "CANDIDATE_EXISTS");
    expect(git(at.repo, "symbolic-ref", ref)).toBe("refs/heads/nowhere");
    git(at.repo, "update-ref", "--no-deref", ref, "HEAD", "");
    expect(git(at.repo, "rev-parse", ref)).toBe(git(at.repo, "rev-parse", "HEAD"));
  });
  for (const [what, plant] of [
    ["an ordinary ref", "update-ref"],
    ["a dangling symbolic ref", "symbolic-ref"],
  ] as const) {
    test(`${what} that came while the command ran`, async () => {
      const at = newScene();
      const target = plant === "update-ref" ? "HEAD" : "refs/heads/nowhere";
      const receipt = await expectCode(at, "CANDIDATE_EXISTS", `${change}; git ${plant} ${ref} ${target}`, {
        touchesSource: true,
      });
      expect(receipt.candidate_commit).not.toBeNull();
      expectNothingLeft(at);
    });
  }
  test("a ref in the way of a folder is named", async () => {
    const at = newScene();
    git(at.repo, "update-ref", "refs/satyrn/candidates/fix-1", "HEAD");
    expect((await expectCode(at, "GIT_FAILED")).message).toContain("refs/satyrn/candidates/fix-1 exists");
  });
});

describe("the command's ending", () => {
  test("COMMAND_UNAVAILABLE", async () => {
    const at = newScene();
    for (const command of [["no-such-program"], [""], ["./a.txt"]]) {
      const receipt = await deliverIn(at, command);
      expect([receipt.code, receipt.outcome, receipt.command_exit]).toEqual([
        "COMMAND_UNAVAILABLE",
        "refused",
        null,
      ]);
      expect(receipt.source_drift).toBeNull();
    }
  });
  test("COMMAND_TIMEOUT", async () => {
    const at = newScene();
    const receipt = await expectCode(at, "COMMAND_TIMEOUT", `${change}; sleep 60`, { timeoutMs: 200 });
    expect([receipt.command_exit, receipt.changed_paths, receipt.source_drift]).toEqual([null, null, []]);
    expect(receipt.duration_ms).toBeLessThan(8000);
  });
  test("COMMAND_FAILED with a status", async () => {
    expect((await expectCode(newScene(), "COMMAND_FAILED", `${change}; exit 7`)).command_exit).toBe(7);
  });
  test("COMMAND_FAILED also for a command that changed Git state, and then no Git looks at the source", async () => {
    const at = newScene();
    const plant = "git config filter.x.clean true; exit 7";
    const receipt = await deliverIn(at, plant, { touchesSource: true });
    expect([receipt.code, receipt.command_exit, receipt.source_drift]).toEqual(["COMMAND_FAILED", 7, null]);
  });
  test("COMMAND_FAILED with a signal", async () => {
    expect((await expectCode(newScene(), "COMMAND_FAILED", "kill -9 $$")).command_exit).toBe(-9);
  });
  test("NO_CHANGES", async () => {
    const receipt = await expectCode(newScene(), "NO_CHANGES", "cp a.txt x; cat x > a.txt; rm x");
    expect([receipt.changed_paths, receipt.command_exit]).toEqual([[], 0]);
  });
});

describe("COMMAND_CHANGED_HEAD", () => {
  const moves = {
    "a commit": "git -c user.name=x -c user.email=x commit -qam x --allow-empty",
    "a branch at the same commit": "git checkout -q -b here",
    "an orphan": "git symbolic-ref HEAD refs/heads/orphan",
  };
  for (const [what, move] of Object.entries(moves)) {
    test(what, async () => {
      await expectCode(newScene(), "COMMAND_CHANGED_HEAD", `${change}; ${move}`, { touchesSource: true });
    });
  }
  test("is not said where the engine is told to stop while it asks", async () => {
    const at = newScene();
    const stop = 'case "$words" in *" --symbolic-full-name "*) kill -TERM $PPID; sleep 5;; esac';
    // Git reads it as before, and the engine has to ask.
    const withoutLineFeed = 'h=$(git rev-parse HEAD); printf "%s" "$h" > "$(git rev-parse --git-path HEAD)"';
    await expectCode(at, "OK", `${withoutLineFeed}; ${change}`);
    git(at.repo, "update-ref", "-d", "refs/satyrn/candidates/fix-1/head");
    await expectCode(at, "INTERRUPTED", `${withoutLineFeed}; ${change}`, { env: wrappedGit(at, stop) });
  });
  test("but HEAD that was moved and moved back is detached at the base", async () => {
    await expectCode(
      newScene(),
      "OK",
      `${change}; git checkout -q -b x; git checkout -q --detach; git branch -qD x`,
    );
  });
});

describe("bounds", () => {
  test("PATH_UNDECLARED names the path", async () => {
    const at = newScene("id: fix-1\ntask: t\nwritable_paths: [src/*]\n");
    const receipt = await expectCode(at, "PATH_UNDECLARED", `echo x > src/b.txt; ${change}`);
    expect(receipt.message).toContain("a.txt");
    expect(receipt.changed_paths).toEqual(["a.txt", "src/b.txt"]);
  });
  test("and a declared path passes", async () => {
    await expectCode(newScene("id: fix-1\ntask: t\nwritable_paths: [src/*]\n"), "OK", "echo x > src/b.txt");
  });
  test("an empty list of patterns allows no path", async () => {
    await expectCode(newScene("id: fix-1\ntask: t\nwritable_paths: []\n"), "PATH_UNDECLARED");
  });
  test("a deletion out of bounds counts", async () => {
    await expectCode(
      newScene("id: fix-1\ntask: t\nwritable_paths: [src/*]\n"),
      "PATH_UNDECLARED",
      "rm a.txt",
    );
  });
});

describe("NESTED_REPOSITORY", () => {
  test("one with a commit", async () => {
    const receipt = await expectCode(
      newScene(),
      "NESTED_REPOSITORY",
      "git init -q sub && cd sub && git -c user.name=x -c user.email=x commit -q --allow-empty -m x",
    );
    expect(receipt.message).toContain("sub");
  });
  test("one without a commit", async () => {
    expect((await expectCode(newScene(), "NESTED_REPOSITORY", "git init -q sub")).message).toContain("sub");
  });
  test("one that a planted .gitmodules says to ignore", async () => {
    const planted =
      "printf '[submodule \"sub\"]\\n\\tpath = sub\\n\\turl = ./x\\n\\tignore = all\\n' > .gitmodules; " +
      "git init -q sub && cd sub && git -c user.name=x -c user.email=x commit -q --allow-empty -m x";
    const receipt = await expectCode(newScene(), "NESTED_REPOSITORY", planted);
    expect(receipt.changed_paths).toEqual([".gitmodules", "sub"]);
  });
  test("a submodule pointer that moved", async () => {
    const at = newScene();
    makeRepository(join(at.folder, "other"), { "x.txt": "x\n" });
    git(
      at.repo,
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      join(at.folder, "other"),
      "sub",
    );
    git(at.repo, "commit", "-qm", "with a submodule");
    const other = join(at.folder, "other");
    const move = `git clone -q "${other}" sub && cd sub && git -c user.name=x -c user.email=x commit -q --allow-empty -m x`;
    await expectCode(at, "NESTED_REPOSITORY", `rmdir sub; ${move}`);
  });
  test("a symbolic link that leads out of the tree is content", async () => {
    const at = newScene();
    const receipt = await expectCode(at, "OK", "ln -s /etc/passwd link");
    expect(git(at.repo, "ls-tree", receipt.candidate_commit as string, "link")).toStartWith("120000");
    expect(candidateFile(at, receipt, "link")).toBe("/etc/passwd");
  });
});

test("INTERRUPTED: the command is ended and nothing is left", async () => {
  const at = newScene();
  const waiting = deliverIn(at, `${change}; sleep 60`);
  await Bun.sleep(600);
  process.kill(process.pid, "SIGTERM");
  const receipt = await waiting;
  expect([receipt.code, receipt.outcome, receipt.command_exit]).toEqual(["INTERRUPTED", "discarded", null]);
});

test("INTERRUPTED: told to stop when all is removed and only the ref is missing, it does not create it", async () => {
  // The look at the caller's tree is the last that is waited for.
  const late =
    'case "$words" in *" status "*) [ -e "$ONCE" ] && sleep 0.7 && kill -TERM $PPID && sleep 0.2; : > "$ONCE";; esac';
  const at = newScene();
  const env = { ...wrappedGit(at, late), ONCE: join(at.folder, "once") };
  const receipt = await expectCode(at, "INTERRUPTED", change, { env });
  expect([receipt.changed_paths, receipt.candidate_commit]).toEqual([["a.txt"], expect.any(String)]);
});

describe("GIT_FAILED", () => {
  test("when a link stands where the engine keeps what is its own, and nothing is put behind it", async () => {
    const at = newScene();
    const elsewhere = join(at.folder, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(at.repo, ".git/satyrn"));
    expect((await expectCode(at, "GIT_FAILED")).message).toContain("satyrn is not a folder");
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(join(at.repo, ".git/satyrn"));
    await expectCode(at, "OK");
  });

  test("a changed path that is not UTF-8", async () => {
    const receipt = await expectCode(newScene(), "GIT_FAILED", "printf x > \"$(printf 'bad\\377')\"");
    expect(receipt.message).toContain("not UTF-8");
  });
  // Git tells its version in its trace, since 2.22; one that has none is asked.
  test.each([
    ["has a trace", '"$GIT" "$@" 2> >(sed \'s/"exe":"[^"]*"/"exe":"2.35.9"/\' >&2)', "2.35.9"],
    ["has no trace", 'env -u GIT_TRACE2_EVENT "$GIT" "$@"', "2.21.0"],
  ])("an older Git that %s is refused by its version", async (_, program, version) => {
    const at = newScene();
    const tools = join(at.folder, "tools");
    const old = `for word; do [ "$word" = version ] && { echo git version ${version}; exit 0; }; done`;
    writeFiles(tools, { git: `#!/bin/bash\nGIT="${Bun.which("git")}"\n${old}\n${program}\n` });
    chmodSync(join(tools, "git"), 0o755);
    const env = { PATH: `${tools}:${process.env["PATH"]}` };
    const receipt = await expectCode(at, "GIT_FAILED", change, { env });
    expect(receipt.message).toBe(`git 2.36 or newer is needed, found git version ${version}`);
  });
  test("a Git that fails when the ref is there is no failure, unless somebody else was faster", async () => {
    const at = newScene();
    const tools = join(at.folder, "tools");
    const real = `"${Bun.which("git")}"`;
    const late = `for word; do [ "$word" = update-ref ] && { ${real} "$@"; echo "fatal: $SAID" >&2; exit 128; }; done`;
    writeFiles(tools, { git: `#!/bin/sh\n${late}\nexec ${real} "$@"\n` });
    chmodSync(join(tools, "git"), 0o755);
    const env = { PATH: `${tools}:${process.env["PATH"]}`, SAID: "unable to flush: No space left on device" };
    await expectCode(at, "OK", change, { env });
    git(at.repo, "update-ref", "-d", "refs/satyrn/candidates/fix-1/head");
    const another = { ...env, SAID: "cannot lock ref: reference already exists" };
    await deliverIn(at, change, { env: another, touchesSource: true }).then(({ code }) =>
      expect(code).toBe("CANDIDATE_EXISTS"),
    );
  });
  test.each([
    ["an untracked folder that is unreadable", "secret", 0o000, "", "could not open directory 'secret/'"],
    ["a tracked folder that may be listed and not entered", "src", 0o444, "", "src/b.txt: Permission denied"],
    ["but not an ignored folder", "secret", 0o000, "secret", undefined],
  ])("%s, in the working tree of one who is not root", async (_, folder, mode, ignored, said) => {
    const at = newScene();
    writeFiles(at.repo, { "secret/x": "x\n" });
    if (folder !== "secret") rmSync(join(at.repo, "secret"), { recursive: true });
    writeFiles(at.repo, { ".git/info/exclude": ignored });
    chmodSync(join(at.repo, folder), mode);
    const receipt = await deliverUnprivileged(at, "true");
    if (receipt === undefined) return console.log(unprivilegedSkipped);
    if (said === undefined) expect(receipt.code).toBe("OK");
    else expect([receipt.code, receipt.message]).toEqual(["GIT_FAILED", expect.stringContaining(said)]);
  });
  test("a Git that fails when the worktree is registered leaves no registration", async () => {
    const at = newScene();
    git(at.repo, "config", "core.sharedRepository", "group");
    const late = 'case "$words" in *" worktree add "*) "$REAL" "$@"; echo "fatal: late" >&2; exit 1;; esac';
    const receipt = await expectCode(at, "GIT_FAILED", change, { env: wrappedGit(at, late) });
    expect(receipt.message).toContain("fatal: late");
    await expectCode(at, "OK");
  });
  test("a full disk, in Git's own words and no others", async () => {
    const at = newScene(undefined, { ...baseFiles, big: Buffer.alloc(1 << 20, "x") });
    const small = join(at.folder, "small");
    mkdirSync(small);
    if (Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=256k", "none", small]).exitCode !== 0) {
      return console.log("skipped: no file system can be mounted here");
    }
    try {
      const receipt = await expectCode(at, "GIT_FAILED", change, { env: { TMPDIR: small } });
      expect(receipt.message).toMatch(/^git checkout: error: unable to write file/);
      expect(readdirSync(small)).toEqual([]);
    } finally {
      Bun.spawnSync(["umount", small]);
    }
  });
  test("no Git at all", async () => {
    expect((await expectCode(newScene(), "GIT_FAILED", change, { env: { PATH: "" } })).message).toContain(
      "no git",
    );
  });
  test("a repository someone else owns, with Git's own advice", async () => {
    const at = newScene();
    const run = Bun.spawnSync(["chown", "-R", "65534", at.repo]);
    if (run.exitCode !== 0 || process.getuid?.() !== 0)
      return console.log("skipped: only root can give a folder away");
    const receipt = await deliverIn(at, change, { touchesSource: true }).finally(() =>
      Bun.spawnSync(["chown", "-R", "0", at.repo]),
    );
    expect(receipt.code).toBe("GIT_FAILED");
    expect(receipt.message).toContain("safe.directory");
  });
});

describe("CLEANUP_FAILED", () => {
  test("a busy folder is kept and named, and the pending result too", async () => {
    const at = newScene();
    const mount = `mkdir busy && mount -t tmpfs none busy && ${change}`;
    const receipt = await deliverIn(at, mount);
    const kept = receipt.worktree_path;
    if (kept !== null) Bun.spawnSync(["umount", join(kept, "busy")]);
    if (receipt.code === "COMMAND_FAILED") return console.log("skipped: no file system can be mounted here");
    expect([receipt.code, receipt.outcome]).toEqual(["CLEANUP_FAILED", "refused"]);
    expect(receipt.message).toContain("the change was acceptable");
    expect(kept).not.toBeNull();
    expect(git(at.repo, "for-each-ref", "refs/satyrn/")).toBe("");
    expect(readdirSync(join(at.repo, ".git/objects/pack")).filter((name) => name.endsWith(".keep"))).toEqual(
      [],
    );
    git(at.repo, "worktree", "prune");
  });
  test.each([
    ["moved away", "mv .git ../moved"],
    ["made a file", "git init -q --separate-git-dir ../moved"],
  ])("but not where the Git directory is %s meanwhile: the worktree is removed", async (_, move) => {
    const at = newScene();
    const receipt = await deliverIn(at, `(cd '${at.repo}' && ${move}); ${change}`, { touchesSource: true });
    expect([receipt.code, receipt.worktree_path]).toEqual(["COMMAND_CHANGED_GIT_STATE", null]);
    expect(readdirSync(at.temporary)).toEqual([]);
  });
  test("a folder in which the command added a worktree is kept, and the worktree too", async () => {
    const at = newScene();
    const receipt = await deliverIn(at, `git worktree add -q --detach ../mine; ${change}`, {
      touchesSource: true,
    });
    expect(receipt.code).toBe("CLEANUP_FAILED");
    const folder = receipt.worktree_path as string;
    expect(receipt.message).toStartWith(`another worktree of the repository lies in ${folder}`);
    expect(readFileSync(join(folder, "mine/a.txt"), "utf8")).toBe("one\n");
    expect(git(at.repo, "worktree", "list").split("\n")).toHaveLength(2);
  });
  test("a folder that took the worktree's place is not the engine's to remove", async () => {
    const at = newScene();
    const swap = 'w=$PWD; cd ..; mv "$w" "$w.moved"; mkdir "$w"; echo mine > "$w/precious"';
    const receipt = await deliverIn(at, swap);
    expect(receipt.code).toBe("CLEANUP_FAILED");
    expect(readFileSync(join(receipt.worktree_path as string, "precious"), "utf8")).toBe("mine\n");
  });
  test.each([
    ["the command", '"$BEYOND" sleep 20 &', ""],
    ["a check", "true", `acceptance: {verification_commands: [{cmd: '"$BEYOND" sleep 20 &'}]}\n`],
  ])(
    "what a process of %s that may not be ended could use is kept, until it is gone",
    async (_, script, more) => {
      const at = newScene(`id: fix-1\ntask: t\n${more}`);
      const receipt = await deliverUnprivileged(at, script);
      if (receipt === undefined) return console.log(unprivilegedSkipped);
      expect([receipt.code, receipt.source_drift === null]).toEqual(["CLEANUP_FAILED", more === ""]);
      expect(receipt.message).toMatch(/processes.*: \d+ \(sleep\); kept for a person to look at/);
      expect(existsSync(join(receipt.worktree_path ?? "", "a.txt"))).toBe(true);
      expect(git(at.repo, "for-each-ref", "refs/satyrn/")).toBe("");
      if (more === "") {
        const recovery = await recoverUnprivileged(at);
        expect(recovery).toEqual([
          {
            result: "in_use",
            path: dirname(receipt.worktree_path ?? ""),
            reason: expect.stringMatching(/^used by process \d+ \(sleep\)$/),
          },
        ]);
      }
      // Root may end it.
      expect(pathsOf(await recoverIn(at), "recovered")).toEqual([dirname(receipt.worktree_path ?? "")]);
      expectNothingLeft(at);
    },
  );
});
