import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileIn, placeIn } from "../../../src/acceptance/places.ts";
import { temporaryFolder } from "../../support/repository.ts";

let root: string;
let dispose: () => void;
beforeEach(() => {
  const folder = temporaryFolder();
  ({ dispose } = folder);
  root = join(folder.path, "root");
  mkdirSync(join(root, "a ü/b"), { recursive: true });
  writeFileSync(join(root, "a ü/b/c"), "");
  writeFileSync(join(folder.path, "outside"), "");
  symlinkSync(root, join(folder.path, "link"));
  symlinkSync(join(folder.path, "outside"), join(root, "a ü/out"));
  symlinkSync("b", join(root, "a ü/inner"));
});
afterEach(() => dispose());

test("a place is relative, with slashes, and with links resolved on both sides", () => {
  expect(placeIn(root, join(root, "a ü/b/c"))).toBe("a ü/b/c");
  expect(placeIn(root, join(root, "../link/a ü/inner/c"))).toBe("a ü/b/c");
  expect(placeIn(join(root, "../link"), join(root, "a ü"))).toBe("a ü");
  expect(placeIn(root, root)).toBe("");
});

test("what is not there any more keeps its name", () => {
  expect(placeIn(root, join(root, "../link/a ü/gone/too"))).toBe("a ü/gone/too");
});

test("what lies outside has no place, whatever its name begins with", () => {
  for (const path of ["..", "../outside", "../root2/x", "a ü/out", "../..root"]) {
    expect(placeIn(root, join(root, path))).toBeUndefined();
  }
  expect(placeIn(root, join(root, "..x"))).toBe("..x");
});

test("a listed file is a regular file in its folder", () => {
  expect(fileIn(root, "a ü", "a ü/b/c")).toBe("a ü/b/c");
  expect(fileIn(root, "a ü", join(root, "a ü/b/c"))).toBe("a ü/b/c");
  for (const listed of ["a ü", "a ü/b", "a ü/out", "a ü/../../outside", "a ü/none", "b"]) {
    expect(fileIn(root, "a ü", listed)).toBeUndefined();
  }
});

test("a listed name that no file can have is no file", () => {
  symlinkSync("circle", join(root, "a ü/circle"));
  const names = ["a ü/b/c\0", "a ü/\0", `a ü/${"x".repeat(5000)}`, `a ü/${"x/".repeat(5000)}`];
  for (const listed of [...names, "a ü/circle", "a ü/circle/x", "a ü/b/c/x"]) {
    expect(fileIn(root, "a ü", listed)).toBeUndefined();
  }
});
