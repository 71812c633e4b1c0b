import { afterEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Bounded, bounded, edit, namesIn, sha256Of } from "../../support/bounded.ts";

const opened: Bounded[] = [];
function folder(...args: Parameters<typeof bounded>): Bounded {
  const made = bounded(...args);
  opened.push(made);
  return made;
}
afterEach(() => {
  for (const made of opened.splice(0)) made.dispose();
});

const code = "def f():\n    return 1\n\n\ndef g():\n    return 2\n";

/** 16 MiB, in bytes: what the engine promises, not what it happens to hold. */
const largestFile = 16_777_216;

describe("a replacement", () => {
  test("gives the next revision and the changed lines", () => {
    const at = folder({ "src/app.py": code });
    const changed = code.replace("return 1", "return 9");
    expect<unknown>(at.replace("src/app.py", [edit("return 1", "return 9")])).toEqual({
      ok: true,
      code: "OK",
      message: "",
      result: {
        path: "src/app.py",
        sha256: sha256Of(changed),
        region: "1: def f():\n2:     return 9\n3: \n4: \n5: def g():",
        match: "exact",
      },
    });
    expect(at.read("src/app.py")).toBe(changed);
    expect(namesIn(join(at.repo, "src"))).toEqual(["app.py"]);
  });

  test("follows from the revision the last one gave", () => {
    const at = folder({ file: "one" });
    let revision = at.revision("file");
    for (const [from, to] of [
      ["one", "two"],
      ["two", "three"],
    ] as const) {
      const answer = at.replace("file", [edit(from, to)], { expected_sha256: revision });
      expect(answer.code).toBe("OK");
      if (answer.ok) revision = answer.result.sha256;
    }
    expect(at.read("file")).toBe("three");
    expect(revision).toBe(sha256Of("three"));
  });

  test("keeps BOM, line endings and the missing final newline", () => {
    const at = folder({ file: "\ufeffa\r\nb\r\nc" });
    const answer = at.replace("file", [edit("a\nb", "x\ny\nz")]);
    expect(answer).toMatchObject({ code: "OK", result: { match: "crlf" } });
    expect(at.read("file")).toBe("\ufeffx\r\ny\r\nz\r\nc");
  });

  test("of several places gives several regions in the order of the file", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`).join("");
    const at = folder({ file: lines });
    const answer = at.replace("file", [edit("line 25\n", ""), edit("line 2\n", "second\n")]);
    expect<unknown>(answer.ok && answer.result.region.split("\n")).toEqual([
      "1: line 1",
      "2: second",
      "3: line 3",
      "4: line 4",
      "5: line 5",
      "---",
      "22: line 22",
      "23: line 23",
      "24: line 24",
      "25: line 26",
      "26: line 27",
      "27: line 28",
    ]);
  });

  test("is of all edits or none", () => {
    const at = folder({ file: "a b c" });
    const refused = at.replace("file", [edit("a", "x"), edit("b", "y"), edit("missing", "z")]);
    expect(refused).toMatchObject({ ok: false, code: "ANCHOR_MISSING", result: null });
    expect(refused.message).toContain("edits[2]");
    expect(at.read("file")).toBe("a b c");
    expect(at.replace("file", [edit("a", "x"), edit("b", "y"), edit("c", "z")]).code).toBe("OK");
    expect(at.read("file")).toBe("x y z");
  });

  test.each([0o444, 0o755, 0o640])("keeps mode %o", (mode) => {
    const at = folder({ file: "old" });
    chmodSync(join(at.repo, "file"), mode);
    expect(at.replace("file", [edit("old", "new")]).code).toBe("OK");
    expect(lstatSync(join(at.repo, "file")).mode & 0o7777).toBe(mode);
  });

  test("of a file with the largest size is made, one byte more is not", () => {
    const at = folder({ file: `HERE\n${Buffer.alloc(largestFile - 5, "x\n")}` });
    expect(at.replace("file", [edit("HERE", "HERES")])).toMatchObject({
      code: "MUTATION_FAILED",
      message: `cannot replace file: it would have ${largestFile + 1} bytes, more than ${largestFile}`,
    });
    expect(at.replace("file", [edit("HERE", "THIS")]).code).toBe("OK");
    expect(at.read("file").slice(0, 9)).toBe("THIS\nx\nx\n");
    writeFileSync(join(at.repo, "file"), Buffer.alloc(largestFile + 1, "x"));
    expect(at.replace("file", [edit("HERE", "THIS")])).toMatchObject({
      code: "MUTATION_FAILED",
      message: `cannot replace file: it has ${largestFile + 1} bytes, more than ${largestFile}`,
    });
  });

  test("that passes the limit on the way is made if the result does not", () => {
    const at = folder({ file: "a" });
    const big = "b".repeat(largestFile + 1);
    expect(at.replace("file", [edit("a", big), edit(big, "c")]).code).toBe("OK");
    expect(at.read("file")).toBe("c");
  });
});

describe("INVALID_REQUEST", () => {
  test("a malformed path, before anything is read, and without result", () => {
    const at = folder({ file: "old" });
    const nowhere = { contract: "/none", repo: "/none", expected_sha256: null };
    expect(at.replace("../outside/victim", [edit("victim", "x")], nowhere)).toEqual({
      ok: false,
      code: "INVALID_REQUEST",
      message: "field 'path' has a `..` segment",
    });
    expect(at.replace("file", [edit("old", "new")]).code).toBe("OK");
  });
});

describe("INVALID_REQUEST, of a program that does not go through the protocol", () => {
  test.each([
    ["no edits", [], "field 'edits' has 0 edits, not 1 to 16"],
    ["too many", Array.from({ length: 17 }, () => edit("a", "b")), "field 'edits' has 17 edits, not 1 to 16"],
    ["an empty anchor", [edit("old", "new"), edit("", "x")], "field 'edits[1].old_text' is empty"],
    ["a lone surrogate", [edit("old", "\ud800")], "field 'edits[0]' holds a lone surrogate"],
  ])("%s", (_name, edits, message) => {
    const at = folder({ file: "old" });
    expect(at.replace("file", edits)).toEqual({ ok: false, code: "INVALID_REQUEST", message });
    expect(at.read("file")).toBe("old");
  });
});

describe("the refusals of check", () => {
  test("keep their codes and come first", () => {
    const at = folder({ file: "old" });
    const ask = (request: Parameters<Bounded["replace"]>[2]) =>
      at.replace("file", [edit("old", "new")], request);
    const bad = join(at.outside, "bad.yaml");
    expect(ask({ contract: "/none" })).toMatchObject({ code: "CONTRACT_UNREADABLE", result: null });
    expect(ask({ repo: "/none" })).toMatchObject({ code: "REPO_UNAVAILABLE", result: null });
    writeFileSync(bad, "id: [");
    expect(ask({ contract: bad })).toMatchObject({ code: "CONTRACT_INVALID_YAML", result: null });
    writeFileSync(bad, "id: x");
    expect(ask({ contract: bad })).toMatchObject({ code: "CONTRACT_MISSING_FIELD", result: null });
    expect(at.read("file")).toBe("old");
    expect(ask({}).code).toBe("OK");
  });
});

describe("PATH_UNDECLARED", () => {
  const files = { "src/app.py": "old", "docs/a.md": "old" };

  test("no pattern matches", () => {
    const at = folder(files, 'writable_paths: ["src/*", "x[a-c]"]');
    expect(at.replace("docs/a.md", [edit("old", "new")])).toMatchObject({
      code: "PATH_UNDECLARED",
      message: "no pattern of the contract matches docs/a.md: writable_paths has src/*, x[a-c]",
    });
    expect(at.read("docs/a.md")).toBe("old");
    expect(at.replace("src/app.py", [edit("old", "new")]).code).toBe("OK");
  });

  test("the contract has no writable_paths, or an empty list", () => {
    for (const contract of ["", "writable_paths: []"]) {
      const at = folder(files, contract);
      expect(at.replace("src/app.py", [edit("old", "new")]).code).toBe("PATH_UNDECLARED");
      expect(at.read("src/app.py")).toBe("old");
    }
    const at = folder(files, "writable_paths: [src/app.py]");
    expect(at.replace("src/app.py", [edit("old", "new")]).code).toBe("OK");
  });

  test("Git's own folder in any disguise, whatever the patterns say, whether it is there or not", () => {
    const at = folder({ ".git/config": "old", "a/.git": "old", ".gitignore": "old" });
    for (const path of [".git/config", "a/.git", ".GIT/config", "git~1/config", ".g\u200cit/config"]) {
      expect(at.replace(path, [edit("old", "new")], { expected_sha256: null }).code).toBe("PATH_UNDECLARED");
    }
    expect(at.read(".git/config")).toBe("old");
    expect(at.replace(".gitignore", [edit("old", "new")]).code).toBe("OK");
  });

  test("case matters on every system", () => {
    const at = folder(files, "writable_paths: [SRC/*]");
    expect(at.replace("src/app.py", [edit("old", "new")]).code).toBe("PATH_UNDECLARED");
  });
});

describe("MUTATION_FAILED", () => {
  const failure = (at: Bounded, path: string) => {
    const answer = at.replace(path, [edit("old", "new")], { expected_sha256: null });
    expect(answer).toMatchObject({ ok: false, code: "MUTATION_FAILED", result: null });
    return answer.message;
  };

  test("the target is missing", () => {
    const at = folder({ "a/file": "old" });
    expect(failure(at, "a/none")).toBe("cannot replace a/none: no such file or directory (ENOENT)");
    expect(failure(at, "b/none")).toBe("cannot replace b/none: b: no such file or directory (ENOENT)");
    expect(failure(at, "a/file/x")).toBe("cannot replace a/file/x: a/file is a file, not a folder");
    expect(failure(at, `a/${"n".repeat(300)}`)).toContain("name too long (ENAMETOOLONG)");
    expect(at.replace("a/file", [edit("old", "new")]).code).toBe("OK");
  });

  test("the target is no regular file; a FIFO does not block", () => {
    const at = folder({ "a/file": "old" });
    expect(failure(at, "a")).toBe("cannot replace a: it is a folder, not a regular file");
    Bun.spawnSync(["mkfifo", join(at.repo, "fifo")]);
    expect(failure(at, "fifo")).toBe("cannot replace fifo: it is a FIFO, not a regular file");
    const server = Bun.listen({ unix: join(at.repo, "socket"), socket: { data() {} } });
    expect(failure(at, "socket")).toBe("cannot replace socket: it is a socket, not a regular file");
    server.stop(true);
  });

  test("the target or a folder on the way is a link, wherever it leads", () => {
    const at = folder({ "a/file": "old", "b/file": "old" });
    symlinkSync("file", join(at.repo, "a/link"));
    symlinkSync(join(at.outside, "victim"), join(at.repo, "victim"));
    symlinkSync("a", join(at.repo, "in"));
    symlinkSync(at.outside, join(at.repo, "out"));
    symlinkSync("nowhere", join(at.repo, "dangling"));
    expect(failure(at, "a/link")).toContain("it is a symbolic link");
    expect(failure(at, "victim")).toContain("it is a symbolic link");
    expect(failure(at, "dangling")).toContain("it is a symbolic link");
    expect(failure(at, "in/file")).toContain("in is a symbolic link, not a folder");
    expect(failure(at, "out/victim")).toContain("out is a symbolic link, not a folder");
    expect(namesIn(at.outside)).toEqual(["victim"]);
    symlinkSync(at.repo, join(at.outside, "root"));
    expect(at.replace("a/file", [edit("old", "new")], { repo: join(at.outside, "root") }).code).toBe("OK");
  });

  test("the target is not UTF-8", () => {
    const at = folder({ file: Buffer.from("old \xff", "latin1"), wide: Buffer.from("\ufeffold", "utf16le") });
    expect(failure(at, "file")).toBe("cannot replace file: it is not valid UTF-8");
    expect(failure(at, "wide")).toBe("cannot replace wide: it is not valid UTF-8");
    writeFileSync(join(at.repo, "file"), "old \u00ff");
    expect(at.replace("file", [edit("old", "new")]).code).toBe("OK");
  });

  test("the target is sparse and huge", () => {
    const at = folder({ file: "old" });
    truncateSync(join(at.repo, "file"), 2 ** 40);
    expect(failure(at, "file")).toContain("it has 1099511627776 bytes");
  });

  test("control characters of a name are escaped", () => {
    expect(failure(folder({}), "a\nb")).toBe("cannot replace a\\nb: no such file or directory (ENOENT)");
  });
});

describe("the order of the refusals", () => {
  const other = sha256Of("other");
  // Each request gives cause for every refusal after the one it gets, too.
  const wrong = [edit("missing", "x"), edit("same", "same")];
  test.each([
    ["PATH_UNDECLARED", "docs/none", wrong, null],
    ["MUTATION_FAILED", "src/none", wrong, null],
    ["REVISION_UNAVAILABLE", "src/a", wrong, null],
    ["REVISION_STALE", "src/a", wrong, other],
    ["NO_CHANGE_REQUESTED", "src/a", wrong, undefined],
    ["ANCHOR_ALREADY_APPLIED", "src/a", [edit("missing", "two"), edit("aa", "b")], undefined],
    ["ANCHOR_MISSING", "src/a", [edit("missing", "x"), edit("aa", "b")], undefined],
    ["ANCHOR_AMBIGUOUS", "src/a", [edit("aa", "b"), edit("missing", "x")], undefined],
    ["OK", "src/a", [edit("one", "1")], undefined],
  ] as const)("%s", (expected, path, edits, revision) => {
    const text = "one\ntwo\naaa\n";
    const at = folder({ "src/a": text }, "writable_paths: [src/*]");
    const answer = at.replace(path, edits, revision === undefined ? {} : { expected_sha256: revision });
    expect(answer.code).toBe(expected);
    if (expected !== "OK") expect(at.read("src/a")).toBe(text);
    expect(namesIn(join(at.repo, "src"))).toEqual(["a"]);
  });
});

describe("revisions", () => {
  test("REVISION_STALE gives both, REVISION_UNAVAILABLE the one there is", () => {
    const at = folder({ file: "old" });
    const [now, then] = [sha256Of("old"), sha256Of("older")];
    const ask = (expected: string | null) =>
      at.replace("file", [edit("old", "new")], { expected_sha256: expected }).message;
    expect(ask(then)).toBe(`file is at ${now}, not at the expected ${then}; read it again`);
    expect(ask(null)).toBe(`expected_sha256 is null; read file first: it is at ${now}`);
    expect(ask(now)).toBe("");
  });

  /** Does `change` at the first step of the first try alone. */
  const once = (change: () => void) => {
    let done = false;
    return {
      onStep: () => {
        if (!done) change();
        done = true;
      },
    };
  };

  test("what somebody else wrote meanwhile is never lost", () => {
    const at = folder({ file: "old" });
    const theirs = once(() => writeFileSync(join(at.repo, "file"), "theirs"));
    const answer = at.replace("file", [edit("old", "new")], {}, theirs);
    expect(answer.code).toBe("REVISION_STALE");
    expect(answer.message).toContain(sha256Of("theirs"));
    expect(at.read("file")).toBe("theirs");
  });

  test("nor when it is as long, with the file's time put back", () => {
    const at = folder({ file: "old" });
    const path = join(at.repo, "file");
    utimesSync(path, 1000, 1000);
    const theirs = once(() => {
      writeFileSync(path, "odd");
      utimesSync(path, 1000, 1000);
    });
    expect(at.replace("file", [edit("old", "new")], {}, theirs).code).toBe("REVISION_STALE");
    expect(at.read("file")).toBe("odd");
  });

  test("a file that somebody made executable meanwhile stays so", () => {
    const at = folder({ file: "old" });
    const theirs = once(() => chmodSync(join(at.repo, "file"), 0o755));
    expect(at.replace("file", [edit("old", "new")], {}, theirs).code).toBe("OK");
    expect(statSync(join(at.repo, "file")).mode & 0o777).toBe(0o755);
  });

  test("the same bytes, written again meanwhile, are the same revision", () => {
    const at = folder({ file: "old" });
    const again = once(() => {
      unlinkSync(join(at.repo, "file"));
      writeFileSync(join(at.repo, "file"), "old");
    });
    expect(at.replace("file", [edit("old", "new")], {}, again).code).toBe("OK");
    expect(at.read("file")).toBe("new");
  });

  test("a file that never rests is given up", () => {
    const at = folder({ file: "old" });
    let steps = 0;
    const answer = at.replace(
      "file",
      [edit("old", "new")],
      {},
      {
        onStep: () => chmodSync(join(at.repo, "file"), 0o600 | (steps++ % 8)),
      },
    );
    expect(answer).toMatchObject({
      code: "MUTATION_FAILED",
      message: "cannot replace file: it keeps changing",
    });
    expect(namesIn(at.repo)).toEqual([".keep", "file"]);
  });
});
