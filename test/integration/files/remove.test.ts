import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { folderIdentity } from "../../../src/files/identity.ts";
import { type Removal, removeLargeTree, removeTree } from "../../../src/files/remove.ts";
import { temporaryFolder } from "../../support/repository.ts";

let folder: ReturnType<typeof temporaryFolder>;
let root: string;
beforeEach(() => {
  folder = temporaryFolder();
  root = join(folder.path, "made");
  mkdirSync(root);
});
afterEach(() => folder.dispose());

describe("a folder is removed", () => {
  test("with its files and folders", () => {
    mkdirSync(join(root, "a/b/c"), { recursive: true });
    for (const name of ["a/b/c/one", "a/two", ".three", "-r", "*", "a b\n", "ü", "\ufffd"])
      writeFileSync(join(root, name), "");
    expect(remove()).toEqual({ ok: true });
    expect(existsSync(root)).toBe(false);
  });

  test("when it is empty", () => {
    expect(remove()).toEqual({ ok: true });
    expect(existsSync(root)).toBe(false);
  });

  test("but is not taken for gone when it cannot be looked at", () => {
    const [parent, moved] = [join(folder.path, "parent"), join(folder.path, "moved")];
    const path = join(parent, "made");
    mkdirSync(path, { recursive: true });
    const identity = identityOf(path);
    renameSync(parent, moved);
    symlinkSync("parent", parent);
    expect(removeTree(path, identity)).toEqual({ ok: false, left: expect.stringContaining("ELOOP") });
    expect(existsSync(join(moved, "made"))).toBe(true);
  });

  test("when it is gone already", () => {
    const identity = identityOf(root);
    renameSync(root, join(folder.path, "elsewhere"));
    expect(removeTree(root, identity)).toEqual({ ok: true });
    expect(existsSync(join(folder.path, "elsewhere"))).toBe(true);
  });

  test("when others remove it at the same time", async () => {
    for (let round = 0; round < 4; round++) {
      for (let n = 0; n < 60; n++) mkdirSync(join(root, `${n % 10}/${n}/deep/er`), { recursive: true });
      for (let n = 0; n < 600; n++) writeFileSync(join(root, `${n % 10}/file-${n}`), "");
      const driver = join(import.meta.dir, "../../support/remove-tree.ts");
      const removers = [1, 2, 3].map(() => Bun.spawn([process.execPath, driver, root], { stdout: "pipe" }));
      const answers = await Promise.all(removers.map(async ({ stdout }) => JSON.parse(await stdout.text())));
      // Whoever began when it was gone had nothing to remove.
      expect(answers.filter((answer) => answer !== null && !answer.ok)).toEqual([]);
      expect(existsSync(root)).toBe(false);
      mkdirSync(root);
    }
  });

  test("with names that are not text, and folders of such names", () => {
    const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]);
    mkdirSync(odd);
    writeFileSync(Buffer.concat([odd, Buffer.from("/"), Buffer.from([0xc3])]), "");
    mkdirSync(Buffer.concat([odd, Buffer.from("/plain")]));
    writeFileSync(Buffer.concat([odd, Buffer.from("/plain/file")]), "");
    expect(remove()).toEqual({ ok: true });
    expect(existsSync(root)).toBe(false);
  });

  test("with what is to go last, among names that are not text too", () => {
    writeFileSync(join(root, "last"), "");
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]), "");
    expect(removeTree(root, identityOf(root), "last")).toEqual({ ok: true });
    expect(existsSync(root)).toBe(false);
  });

  test("also when what is to go last is not there", () => {
    expect(removeTree(root, identityOf(root), "last")).toEqual({ ok: true });
    expect(existsSync(root)).toBe(false);
  });

  test("with sockets and named pipes, and without waiting for them", () => {
    Bun.spawnSync(["mkfifo", join(root, "pipe")]);
    expect(remove()).toEqual({ ok: true });
  });

  test.each([1, 100, 6000])("nested %d folders deep", (depth) => {
    // Built from the inside out: a path to the innermost would be too long for the system.
    writeFileSync(join(root, "leaf"), "");
    for (let level = 0; level < depth; level++) {
      const outer = join(folder.path, "outer");
      mkdirSync(outer);
      renameSync(root, join(outer, "a-folder-inside"));
      renameSync(outer, root);
    }
    expect(remove()).toEqual({ ok: true });
    expect(existsSync(root)).toBe(false);
  });

  test("although there are the names that deep folders are moved to", () => {
    for (let n = 0; n < 20; n++) {
      mkdirSync(join(root, `.deep-${n}`));
      writeFileSync(join(root, `.deep-${n}/file`), "");
      mkdirSync(join(root, `${n}`, ...Array.from({ length: 80 }, () => "a-long-name")), { recursive: true });
    }
    expect(remove()).toEqual({ ok: true });
    expect(existsSync(root)).toBe(false);
  });
});

describe("a link is removed and what it names is kept:", () => {
  test.each(["file", "folder"])("to a %s", (kind) => {
    mkdirSync(join(folder.path, "folder"));
    writeFileSync(join(folder.path, "folder/inside"), "kept");
    writeFileSync(join(folder.path, "file"), "kept");
    symlinkSync(join(folder.path, kind), join(root, "link"));
    expect(remove()).toEqual({ ok: true });
    expect(readFileSync(join(folder.path, "folder/inside"), "utf8")).toBe("kept");
    expect(readFileSync(join(folder.path, "file"), "utf8")).toBe("kept");
  });

  test("another name of a file", () => {
    writeFileSync(join(folder.path, "file"), "kept");
    linkSync(join(folder.path, "file"), join(root, "file"));
    expect(remove()).toEqual({ ok: true });
    expect(readFileSync(join(folder.path, "file"), "utf8")).toBe("kept");
  });

  test("to nothing", () => {
    symlinkSync("nothing", join(root, "link"));
    expect(remove()).toEqual({ ok: true });
  });
});

describe("what is not the folder that was made is left alone:", () => {
  test("another folder of its name", () => {
    const identity = identityOf(root);
    renameSync(root, join(folder.path, "first"));
    mkdirSync(root);
    writeFileSync(join(root, "somebody's"), "");
    expect(removeTree(root, identity)).toEqual({
      ok: false,
      left: `'${root}' is not the folder that was made there`,
    });
    expect(readdirSync(root)).toEqual(["somebody's"]);
  });

  test("a link to it", () => {
    const identity = identityOf(root);
    renameSync(root, join(folder.path, "first"));
    writeFileSync(join(folder.path, "first/file"), "");
    symlinkSync("first", root);
    expect(removeTree(root, identity)).toEqual({
      ok: false,
      left: `'${root}' is not the folder that was made there`,
    });
    expect(readdirSync(join(folder.path, "first"))).toEqual(["file"]);
  });

  test("a file of its name", () => {
    const identity = identityOf(root);
    renameSync(root, join(folder.path, "first"));
    writeFileSync(root, "");
    expect(removeTree(root, identity).ok).toBe(false);
    expect(existsSync(root)).toBe(true);
  });

  test.each(["bind", "tmpfs"])("a mount below it (%s)", (kind) => {
    const [inside, outside] = [join(root, "a folder", "mounted"), join(folder.path, "outside")];
    mkdirSync(inside, { recursive: true });
    mkdirSync(outside);
    writeFileSync(join(outside, "file"), "");
    const options = kind === "bind" ? ["--bind", outside] : ["-t", "tmpfs", "none"];
    if (Bun.spawnSync(["mount", ...options, inside], { stderr: "ignore" }).exitCode !== 0) {
      console.log("skipped: this user may not mount");
      return;
    }
    try {
      expect(remove()).toEqual({ ok: false, left: `'${inside}' has another file system mounted on it` });
      expect(existsSync(join(outside, "file"))).toBe(true);
    } finally {
      Bun.spawnSync(["umount", inside]);
    }
    expect(remove()).toEqual({ ok: true });
    expect(existsSync(join(outside, "file"))).toBe(true);
  });
});

test("what the system refuses to remove is named, and the rest is removed but what is to go last", () => {
  mkdirSync(join(root, "a/b"), { recursive: true });
  for (const name of ["a/b/fixed", "a/b/other", "a/other", "last"]) writeFileSync(join(root, name), "");
  const fixed = join(root, "a/b/fixed");
  if (
    Bun.which("chattr") === null ||
    Bun.spawnSync(["chattr", "+i", fixed], { stderr: "ignore" }).exitCode !== 0
  ) {
    console.log("skipped: needs a file system and a user that can make a file immutable");
    return;
  }
  try {
    const left = `'${fixed}' could not be removed: operation not permitted (EPERM)`;
    expect(removeTree(root, identityOf(root), "last")).toEqual({ ok: false, left });
    expect(readdirSync(root, { recursive: true }).sort()).toEqual(["a", "a/b", "a/b/fixed", "last"]);
    expect(remove()).toEqual({ ok: false, left });
    expect(readdirSync(root, { recursive: true }).sort()).toEqual(["a", "a/b", "a/b/fixed"]);
  } finally {
    Bun.spawnSync(["chattr", "-i", fixed]);
  }
  expect(remove()).toEqual({ ok: true });
});

describe("for a user who is not root", () => {
  const setpriv = Bun.which("setpriv");
  const asNobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];

  async function removeAsNobody(setUp: string): Promise<Removal | null> {
    chmodSync(folder.path, 0o777);
    const user = process.getuid?.() === 0 && setpriv !== null ? [setpriv, ...asNobody] : [];
    const made = Bun.spawnSync([...user, "/bin/sh", "-ec", `mkdir work; cd work; ${setUp}`], {
      cwd: folder.path,
    });
    expect(made.exitCode).toBe(0);
    const script = join(import.meta.dir, "../../support/remove-tree.ts");
    const run = Bun.spawn([...user, process.execPath, script, join(folder.path, "work")], {
      cwd: "/",
      stdout: "pipe",
    });
    return run.stdout.json();
  }

  test.each([
    ["a folder that may not be written", "mkdir -p a/b; touch a/b/file a/file; chmod 555 a/b a"],
    ["a folder that may not be read", "mkdir -p a/b; touch a/b/file; chmod 300 a/b a"],
    ["a folder that may not be entered", "mkdir -p a/b; touch a/b/file; chmod 000 a/b a"],
    ["the folder itself closed", "mkdir a; touch a/file; chmod 000 ."],
    ["a file that may not be written", "touch file; chmod 000 file"],
    [
      "closed folders deep inside each other",
      "n=$(printf %060d 0); mkdir seed; for i in $(seq 80); do mkdir up; mv seed up/$n; chmod 555 up/$n; mv up seed; done",
    ],
  ])("%s is removed", async (_, setUp) => {
    expect(await removeAsNobody(setUp)).toEqual({ ok: true });
    expect(existsSync(join(folder.path, "work"))).toBe(false);
  });

  test("somebody else's folder is named and kept", async () => {
    if (process.getuid?.() !== 0 || setpriv === null) {
      console.log("skipped: needs root and setpriv, to make a file of another user");
      return;
    }
    mkdirSync(join(folder.path, "theirs"));
    writeFileSync(join(folder.path, "theirs/file"), "");
    chmodSync(folder.path, 0o777);
    chmodSync(join(folder.path, "theirs"), 0o755);
    const script = join(import.meta.dir, "../../support/remove-tree.ts");
    const argv = [setpriv, ...asNobody, process.execPath, script, join(folder.path, "theirs")];
    const removal = await Bun.spawn(argv, { cwd: "/", stdout: "pipe" }).stdout.json();
    const left = `'${join(folder.path, "theirs/file")}' could not be removed: permission denied (EACCES)`;
    expect(removal).toEqual({ ok: false, left });
  });
});

function remove(): Removal {
  return removeTree(root, identityOf(root));
}

function identityOf(path: string) {
  const identity = folderIdentity(path);
  if (identity === null) throw new Error(`${path} is no folder`);
  return identity;
}

describe("a large folder is removed", () => {
  const fill = (path: string, files: number) => {
    mkdirSync(path, { recursive: true });
    for (let at = 0; at < files; at++) writeFileSync(join(path, `file-${at}`), "x");
  };

  test("with folders of many files, of few, and within each other", async () => {
    for (let at = 0; at < 30; at++) fill(join(root, `many-${at}/deeper`), at * 3);
    fill(root, 40);
    fill(join(root, "many-29"), 20);
    expect(await removeLargeTree(root, identityOf(root))).toEqual({ ok: true });
    expect(existsSync(root)).toBe(false);
  });

  test("with links among its files, which are not followed, and folders that were made read-only", async () => {
    const outside = join(folder.path, "outside");
    fill(outside, 20);
    for (const name of ["links", "closed"]) fill(join(root, name), 20);
    symlinkSync(outside, join(root, "links/folder"));
    symlinkSync(join(outside, "file-0"), join(root, "links/file"));
    chmodSync(join(root, "closed"), 0o500);
    expect(await removeLargeTree(root, identityOf(root))).toEqual({ ok: true });
    expect(existsSync(root)).toBe(false);
    expect(readdirSync(outside)).toHaveLength(20);
  });

  test("but not if it is another than was made", async () => {
    const identity = identityOf(root);
    renameSync(root, join(folder.path, "elsewhere"));
    fill(join(root, "many"), 20);
    const left = `'${root}' is not the folder that was made there`;
    expect(await removeLargeTree(root, identity)).toEqual({ ok: false, left });
    expect(readdirSync(join(root, "many"))).toHaveLength(20);
  });

  test("and what the system does not let go is named", async () => {
    fill(join(root, "many"), 20);
    const held = join(root, "many/file-7");
    if (Bun.spawnSync(["chattr", "+i", held]).exitCode !== 0) {
      return console.log("skipped: no file can be made immutable here");
    }
    try {
      const removal = await removeLargeTree(root, identityOf(root));
      expect(removal).toEqual({ ok: false, left: expect.stringContaining(held) });
      expect(readdirSync(join(root, "many"))).toEqual(["file-7"]);
    } finally {
      Bun.spawnSync(["chattr", "-i", held]);
    }
  });
});
