/**
 * What a command can leave in the worktree, and what a fresh checkout can look like by itself: all of it is in the
 * candidate or named, and nothing more.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { baseFiles, byHand, candidateFile, deliverIn, scenes } from "../../support/delivery.ts";
import { git, makeRepository, writeFiles } from "../../support/repository.ts";
import { deliverUnprivileged, unprivilegedSkipped } from "../../support/unprivileged.ts";
import { mountWithWholeSeconds } from "../../support/whole-seconds.ts";

const newScene = scenes();
const change = "echo changed > a.txt";

/** Where there are many files, their times are looked at before Git is asked. */
const many = Object.fromEntries(
  Array.from({ length: 300 }, (_, n) => [`many/${n % 7}/file-${n}.txt`, `${n}\n`]),
);
const trees = { few: baseFiles, many: { ...many, ...baseFiles } };

describe.each(["few", "many"] as const)("among %s files, an edit that keeps a file's size", (size) => {
  const newTree = () => newScene(undefined, trees[size]);
  test("in the second of the checkout", async () => {
    for (let round = 0; round < 5; round++) {
      const receipt = await deliverIn(newTree(), "printf 'two\\n' > a.txt");
      expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
    }
  });
  test("with the file's time put back", async () => {
    const receipt = await deliverIn(
      newTree(),
      "touch -r a.txt ../t; printf 'two\\n' > a.txt; touch -r ../t a.txt",
    );
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
  });
  test("where the file system keeps whole seconds", async () => {
    const at = newTree();
    const mounted = mountWithWholeSeconds(at.folder);
    if (mounted === undefined) return console.log("skipped: no such file system can be made or mounted here");
    try {
      for (const id of ["one", "two", "three"]) {
        writeFiles(at.folder, { "contract.yaml": `id: ${id}\ntask: t\n` });
        const receipt = await deliverIn(at, "printf 'ONE\n' > a.txt", { env: { TMPDIR: mounted.path } });
        expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
      }
    } finally {
      mounted.unmount();
    }
  });
  test("with time put back and an index of the command's own", async () => {
    const command =
      "touch -r a.txt ../t; printf 'two\\n' > a.txt; touch -r ../t a.txt; sleep 1.1; git update-index -q --refresh; git add -A";
    const receipt = await deliverIn(newTree(), command);
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
  });
  test("beside others that do not", async () => {
    const command = "printf 'two\\n' > a.txt; rm run.sh; echo longer >> src/b.txt; echo new > new.txt";
    const receipt = await deliverIn(newTree(), command);
    const changed = ["a.txt", "new.txt", "run.sh", "src/b.txt"];
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", changed]);
  });
  test("in a folder that a link stands for", async () => {
    const receipt = await deliverIn(newTree(), "mv src real; ln -s real src; printf 'owt\\n' > src/b.txt");
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["real/b.txt", "src", "src/b.txt"]]);
  });
  test("of a link", async () => {
    const at = newTree();
    symlinkSync("a.txt", join(at.repo, "link"));
    git(at.repo, "add", "-A");
    git(at.repo, "commit", "-qm", "link");
    const receipt = await deliverIn(at, "ln -sfn b.txt link");
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["link"]]);
  });
  test("through memory", async () => {
    const edit =
      "import mmap; f = open('a.txt', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0:3] = b'two'; m.flush()";
    const receipt = await deliverIn(newTree(), ["python3", "-c", edit]);
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
  });
});

describe.each(["few", "many"] as const)("among %s files, a fresh checkout that looks modified", (size) => {
  const crlf = { "crlf.txt": "one\r\ntwo\r\n", "touched.txt": "one\r\n" };

  /** The attribute is committed after the blobs, and without touching them. */
  function withLateAttributes(attributes: string, files: Readonly<Record<string, string>>) {
    const at = newScene(undefined, { ...trees[size], ...files });
    writeFiles(at.repo, { ".gitattributes": attributes });
    git(at.repo, "add", ".gitattributes");
    git(at.repo, "commit", "-qm", "attributes");
    return at;
  }

  test("CRLF blobs under the text attribute: only what was touched is in the candidate", async () => {
    const command = "sleep 1.1; echo more >> touched.txt; touch a.txt";
    const bitten = withLateAttributes("*.txt text\n", crlf);
    expect(byHand(bitten, command.replace("sleep 1.1", "touch crlf.txt"))).toContain("crlf.txt");
    const at = withLateAttributes("*.txt text\n", crlf);
    git(at.repo, "update-index", "--assume-unchanged", "crlf.txt", "touched.txt");
    const receipt = await deliverIn(at, command);
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["touched.txt"]]);
    expect(candidateFile(at, receipt, "touched.txt")).toBe("one\nmore");
  });

  test("and NO_CHANGES if none was touched", async () => {
    const at = withLateAttributes("*.txt text\n", crlf);
    git(at.repo, "update-index", "--assume-unchanged", "crlf.txt", "touched.txt");
    expect((await deliverIn(at, "cat crlf.txt > /dev/null")).code).toBe("NO_CHANGES");
  });

  test("ident", async () => {
    const at = withLateAttributes("*.txt ident\n", { "id.txt": "$Id: old$\n", "touched.txt": "$Id: old$\n" });
    git(at.repo, "update-index", "--assume-unchanged", "id.txt", "touched.txt");
    const receipt = await deliverIn(at, "echo more >> touched.txt");
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["touched.txt"]]);
  });

  test("a filter newer than the blobs", async () => {
    const at = withLateAttributes("*.txt filter=shout\n", { "touched.txt": "x\n" });
    git(at.repo, "config", "filter.shout.clean", "tr a-z A-Z");
    git(at.repo, "update-index", "--assume-unchanged", "a.txt", "src/b.txt", "touched.txt");
    const receipt = await deliverIn(at, "echo more >> touched.txt");
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["touched.txt"]]);
    expect(candidateFile(at, receipt, "touched.txt")).toBe("X\nMORE");
  });

  test("attributes that the command itself adds renormalise only what it touched", async () => {
    const command = "echo '*.txt text' > .gitattributes; echo more >> touched.txt";
    const receipt = await deliverIn(newScene(undefined, { ...baseFiles, ...crlf }), command);
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", [".gitattributes", "touched.txt"]]);
  });

  test("a deleted and a replaced path are changes all the same", async () => {
    const at = withLateAttributes("*.txt text\n", crlf);
    git(at.repo, "update-index", "--assume-unchanged", "crlf.txt", "touched.txt");
    const receipt = await deliverIn(at, "rm crlf.txt; cp touched.txt t; mv t touched.txt");
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["crlf.txt", "touched.txt"]]);
  });
});

describe("names", () => {
  test("that differ in case alone are all there, whatever core.ignoreCase says", async () => {
    const command = "echo lower > readme; echo upper > README";
    const make = () => {
      const at = newScene();
      git(at.repo, "config", "core.ignoreCase", "true");
      return at;
    };
    expect(() => byHand(make(), command)).toThrow("will not add file alias");
    const receipt = await deliverIn(make(), command);
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["README", "readme"]]);
    const colliding = "echo upper > A.txt";
    expect(byHand(make(), colliding)).toEqual([]);
    expect((await deliverIn(make(), colliding)).changed_paths).toEqual(["A.txt"]);
  });

  test("a file renamed by case alone", async () => {
    const at = newScene();
    git(at.repo, "config", "core.ignoreCase", "true");
    const receipt = await deliverIn(at, "mv a.txt A.txt");
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["A.txt", "a.txt"]]);
  });

  for (const name of [
    ".GIT",
    ".Git/config",
    "git~1",
    "GIT~1/hooks/x",
    ".g\u200cit",
    "sub/.git ",
    "sub/.git::$INDEX_ALLOCATION",
  ]) {
    test(`that stand for .git elsewhere are refused: ${JSON.stringify(name)}`, async () => {
      const at = newScene();
      for (const setting of ["core.protectNTFS", "core.protectHFS"]) git(at.repo, "config", setting, "false");
      // Plain Git refuses the name itself, in any case, and takes every disguise where the repository says so.
      const plain = () => byHand(at, `mkdir -p "$(dirname '${name}')"; echo x > '${name}'`);
      if (/(^|\/)\.git(\/|$)/i.test(name)) expect(plain).toThrow("git add -A");
      else expect(plain()).toEqual([name]);
      const script = `${change}; mkdir -p "$(dirname "$1")"; echo x > "$1"`;
      const receipt = await deliverIn(at, ["sh", "-c", script, "sh", name]);
      expect([receipt.code, receipt.candidate_commit]).toEqual(["GIT_FAILED", null]);
      expect(receipt.message).toBe(`git add left something out: unable to add '${name}' to index`);
    });
  }

  test("that look like flags and pathspecs are names", async () => {
    const names = [
      "--all",
      "-rf",
      ":(exclude)a",
      ":!a.txt",
      "*",
      "a b",
      "quote'\"",
      "new\nline",
      "ünï",
      "$(x)",
    ];
    const at = newScene('id: "--exec=x"\ntask: t\nwritable_paths: ["**"]\n');
    const receipt = await deliverIn(at, ["sh", "-c", 'for n; do echo x > "./$n"; done', "sh", ...names]);
    expect([receipt.code, receipt.changed_paths]).toEqual([
      "OK",
      names.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    ]);
    expect(git(at.repo, "rev-parse", "refs/satyrn/candidates/--exec=x/head")).toBe(
      receipt.candidate_commit as string,
    );
  });

  test("one path as a file, a folder and a link in turn", async () => {
    const receipt = await deliverIn(
      newScene(),
      "rm a.txt; mkdir a.txt; echo x > a.txt/in; rm -r src; ln -s / src",
    );
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt", "a.txt/in", "src", "src/b.txt"]]);
  });

  test("below a link that leads out of the tree nothing is read or removed", async () => {
    const at = newScene();
    writeFiles(at.folder, { "outside/precious": "mine\n" });
    const receipt = await deliverIn(at, `rm -r src; ln -s "${at.folder}/outside" src`);
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["src", "src/b.txt"]]);
    expect(existsSync(join(at.folder, "outside/precious"))).toBe(true);
  });
});

describe("what git add leaves out without failing", () => {
  // 30 folders of 200 bytes are beyond PATH_MAX, 4,096 on Linux.
  const nest =
    "n=$(printf %0200d 0); i=0; while [ $i -lt 30 ]; do mkdir $n; cd -P $n; i=$((i+1)); done; echo x > f";

  test("paths beyond PATH_MAX are named, and removed", async () => {
    expect(byHand(newScene(), `${change}; (${nest})`)).toEqual(["a.txt"]);
    const receipt = await deliverIn(newScene(), `${change}; (${nest})`);
    expect([receipt.code, receipt.message]).toEqual([
      "GIT_FAILED",
      expect.stringContaining("could not open directory '00000"),
    ]);
  });

  test("folders nested hundreds deep within it are content, and removed", async () => {
    const receipt = await deliverIn(
      newScene(),
      "i=0; while [ $i -lt 900 ]; do mkdir d; cd d; i=$((i+1)); done; echo x > f",
    );
    expect([receipt.code, receipt.changed_paths?.length]).toEqual(["OK", 1]);
  });

  test("folders made read-only, as a module cache does, are content, and removed", async () => {
    const receipt = await deliverIn(
      newScene(),
      "mkdir -p m/n; echo x > m/n/f; chmod 400 m/n/f; chmod 555 m m/n",
    );
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["m/n/f"]]);
  });

  test("a socket, a pipe and a device are no content, as for Git", async () => {
    const receipt = await deliverIn(newScene(), `mkfifo pipe; ${change}`);
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
  });

  test.each([
    ["an unreadable folder", "mkdir secret; echo x > secret/f; chmod 000 secret", "secret"],
    ["an unreadable file", "echo x > secret; chmod 000 secret", "secret"],
    [
      "an edit in a folder that may be listed and not entered",
      "echo y >> src/b.txt; chmod 444 src",
      "src/b.txt",
    ],
  ])("%s, for one who is not root, is named", async (_, hide, found) => {
    const receipt = await deliverUnprivileged(newScene(), hide);
    if (receipt === undefined) return console.log(unprivilegedSkipped);
    expect([receipt.code, receipt.message]).toEqual(["GIT_FAILED", expect.stringContaining(found)]);
  });
  test.each(["555", "000"])("a private folder that the command made %s is removed", async (mode) => {
    const receipt = await deliverUnprivileged(newScene(), `chmod ${mode} ..`);
    if (receipt === undefined) return console.log(unprivilegedSkipped);
    expect(["GIT_FAILED", "COMMAND_CHANGED_GIT_STATE"]).toContain(receipt.code);
  });
  test("a folder that is readable, for one who is not root", async () => {
    const receipt = await deliverUnprivileged(newScene(), "mkdir open; echo x > open/f; chmod 755 open");
    if (receipt === undefined) return console.log(unprivilegedSkipped);
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt", "open/f"]]);
  });
});

describe("nested repositories", () => {
  test("a new one becomes a gitlink for plain Git, and is refused", async () => {
    const nest =
      "git init -q sub; cd sub; echo x > f; git add f; git -c user.name=x -c user.email=x commit -qm x";
    expect(byHand(newScene(), nest)).toEqual(["sub"]);
    expect((await deliverIn(newScene(), nest)).code).toBe("NESTED_REPOSITORY");
  });
  test("a submodule of the base, not filled in the worktree, is no change", async () => {
    const at = newScene();
    makeRepository(join(at.folder, "other"), { "x.txt": "x\n" });
    const add = [
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "--quiet",
      "add",
      join(at.folder, "other"),
      "sub",
    ];
    git(at.repo, ...add);
    git(at.repo, "commit", "-qm", "with a submodule");
    const receipt = await deliverIn(at, change);
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
  });
});

test("a file of 20 MB and 2,000 small ones", async () => {
  const at = newScene();
  const command =
    "head -c 20000000 /dev/zero > big; mkdir many; for i in $(seq 2000); do echo $i > many/$i; done";
  const receipt = await deliverIn(at, command);
  expect([receipt.code, receipt.changed_paths?.length]).toEqual(["OK", 2001]);
  expect(git(at.repo, "fsck", "--full", "--strict", "--no-dangling")).toBe("");
});
