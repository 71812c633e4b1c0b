/** Which edits Git would find without reading, in a worktree that it has just filled. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Checkout, everyEditShows, untilTimesDiffer } from "../../../src/repository/untouched.ts";
import { needing } from "../../support/means.ts";
import { git, makeRepository, temporaryFolder } from "../../support/repository.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder("satyrn ünberührt ");
});
afterEach(() => folder.dispose());

const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`d/${n % 5}/file ${n}`, `${n}\n`]));

/** A worktree whose files have the second of its index, as after a checkout of a moment. */
async function checkedOut({ count = 300, format = "2", hash = "sha1" } = {}): Promise<Checkout> {
  const repo = join(folder.path, "repo");
  const some = Object.fromEntries(Object.entries(files).slice(0, count));
  makeRepository(repo, { ...some, "a.txt": "one\n" }, [`--object-format=${hash}`]);
  git(repo, "config", "index.version", format);
  symlinkSync("a.txt", join(repo, "link"));
  git(repo, "add", "-A");
  git(repo, "commit", "-qm", "link");
  const worktree = join(folder.path, "worktree");
  const second = (path: string) => Math.floor(lstatSync(path).mtimeMs / 1000);
  let index: string;
  for (;;) {
    git(repo, "worktree", "add", "--detach", worktree);
    index = git(worktree, "rev-parse", "--path-format=absolute", "--git-path", "index");
    const written = [...Object.keys(some), "a.txt", "link"].map((name) => second(join(worktree, name)));
    if (written.every((each) => each === second(index))) break;
    git(repo, "worktree", "remove", worktree);
  }
  const over = statSync(index, { bigint: true }).ctimeNs;
  await untilTimesDiffer(folder.path);
  return { worktree, index, hashLength: hash === "sha1" ? 20 : 32, over };
}

const linux = needing("/proc");

describe("every edit shows", () => {
  linux.each(["sha1", "sha256"])("where nothing was touched (%s)", async (hash) => {
    expect(everyEditShows(await checkedOut({ hash }))).toBe(true);
  });
  for (const [what, edit] of Object.entries<(path: string) => void>({
    "of another size": (path) => writeFileSync(path, "three\n"),
    "in another second": (path) => {
      writeFileSync(path, "two\n");
      utimesSync(path, 1, 1);
    },
    "that removes the file": (path) => rmSync(path),
    "that puts a folder there": (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  })) {
    linux(`where there is one ${what}`, async () => {
      const checkout = await checkedOut();
      edit(join(checkout.worktree, "a.txt"));
      expect(everyEditShows(checkout)).toBe(true);
    });
  }
  linux("where a folder of the same files was moved, and a link leads to it", async () => {
    const checkout = await checkedOut();
    renameSync(join(checkout.worktree, "d/1"), join(checkout.worktree, "d/moved"));
    symlinkSync("moved", join(checkout.worktree, "d/1"));
    expect(everyEditShows(checkout)).toBe(true);
  });
  linux("where a folder is gone", async () => {
    const checkout = await checkedOut();
    rmSync(join(checkout.worktree, "d/1"), { recursive: true });
    expect(everyEditShows(checkout)).toBe(true);
  });
});

describe("not every edit shows", () => {
  for (const [what, edit] of Object.entries<(path: string) => void>({
    "that keeps size and second": (path) => {
      const { mtimeMs } = lstatSync(path);
      writeFileSync(path, "two\n");
      const halfSecond = Math.floor(mtimeMs / 1000) + (mtimeMs % 1000 < 500 ? 0.75 : 0.25);
      utimesSync(path, halfSecond, halfSecond);
    },
    "that keeps the size, its time put back": (path) => {
      const { atimeNs, mtimeNs } = lstatSync(path, { bigint: true });
      writeFileSync(path, "two\n");
      const touched = Bun.spawnSync(["touch", "-d", `@${seconds(mtimeNs)}`, path]);
      expect([touched.exitCode, lstatSync(path, { bigint: true }).mtimeNs]).toEqual([0, mtimeNs]);
      expect(atimeNs).toBeGreaterThan(0n);
    },
    "that only makes it executable": (path) => chmodSync(path, 0o755),
    "by a file in its place": (path) => {
      const { atime, mtime } = lstatSync(path);
      writeFileSync(`${path}.new`, "two\n");
      utimesSync(`${path}.new`, atime, mtime);
      renameSync(`${path}.new`, path);
    },
  })) {
    linux(`where there is one ${what}`, async () => {
      const checkout = await checkedOut();
      edit(join(checkout.worktree, "a.txt"));
      expect(everyEditShows(checkout)).toBe(false);
    });
  }
  linux("where a link leads elsewhere by as many letters", async () => {
    const checkout = await checkedOut();
    const link = join(checkout.worktree, "link");
    const { mtime } = lstatSync(link);
    rmSync(link);
    symlinkSync("b.txt", link);
    lutimesSync(link, mtime, mtime);
    expect(everyEditShows(checkout)).toBe(false);
  });
  linux("where a file cannot be seen", async () => {
    const checkout = await checkedOut();
    const lost = join(checkout.worktree, "d/1");
    rmSync(lost, { recursive: true });
    symlinkSync("1", lost);
    expect(everyEditShows(checkout)).toBe(false);
  });
});

describe("it is left to Git", () => {
  test("where files are few", async () => {
    expect(everyEditShows(await checkedOut({ count: 20 }))).toBe(false);
  });
  test("where the index shortens names", async () => {
    const checkout = await checkedOut({ format: "4" });
    expect(readFileSync(checkout.index).readUInt32BE(4)).toBe(4);
    expect(everyEditShows(checkout)).toBe(false);
  });
});

function seconds(nanoseconds: bigint): string {
  const digits = nanoseconds.toString().padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}
