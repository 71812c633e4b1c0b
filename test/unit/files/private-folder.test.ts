import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { folderIdentity } from "../../../src/files/identity.ts";
import { makePrivateFolder } from "../../../src/files/private-folder.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "satyrn-private-")));
afterAll(() => rmSync(root, { recursive: true }));
mkdirSync(join(root, "repo/tmp"), { recursive: true });
mkdirSync(join(root, "usual"));
symlinkSync("repo/tmp", join(root, "alias"));
symlinkSync("usual", join(root, "link"));

function make(place: string, outside: readonly string[] = []) {
  const made = makePrivateFolder({ TMPDIR: place }, outside);
  if (!made.ok) throw new Error(made.message);
  const { path, identity } = made.value;
  const seen = { parent: dirname(path), mode: statSync(path).mode & 0o777, same: folderIdentity(path) };
  rmSync(path, { recursive: true });
  return { ...seen, identity };
}

test("a folder for its owner alone, by its real path", () => {
  const made = make(join(root, "link"));
  expect([made.parent, made.mode]).toEqual([join(root, "usual"), 0o700]);
  expect(made.same).toEqual(made.identity);
});

test("also under a mask that takes rights from the owner", () => {
  const mask = process.umask(0o277);
  try {
    expect(make(join(root, "link")).mode).toBe(0o700);
  } finally {
    process.umask(mask);
  }
});

const repo = join(root, "repo");
for (const place of [join(repo, "tmp"), join(root, "alias"), repo, "tmp", join(root, "none"), ""]) {
  test(`a place that cannot be used gives way: ${place.replace(root, "")}`, () => {
    expect(make(place, [repo]).parent).toBe(realpathSync("/tmp"));
  });
}

test("no place at all", () => {
  expect(makePrivateFolder({ TMPDIR: repo }, ["/"])).toMatchObject({ ok: false, code: "NO_FOLDER" });
});
