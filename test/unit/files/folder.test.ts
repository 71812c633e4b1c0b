import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Folder, type Opening, openFolder } from "../../../src/files/folder.ts";

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "satyrn folder "));
  mkdirSync(join(base, "root/a/b"), { recursive: true });
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "root/a/b/file"), "inside");
  writeFileSync(join(base, "outside/file"), "outside");
  writeFileSync(join(base, "root/plain"), "");
  symlinkSync("../outside", join(base, "root/out"));
  symlinkSync("a", join(base, "root/in"));
  symlinkSync("root", join(base, "link to root"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const openings: readonly Opening[] =
  process.platform === "linux" ? ["by descriptor", "by name"] : ["by name"];

describe.each(openings)("openFolder %s", (opening) => {
  const open = (segments: readonly string[], root = "root") =>
    openFolder(join(base, root), segments, opening);
  const refusalOf = (segments: readonly string[], root?: string) => {
    const opened = open(segments, root);
    if (opened.ok) throw new Error("it was opened");
    expect(opened.code).toBe("NO_FOLDER");
    return opened.message;
  };

  test("opens the root and what is below it", () => {
    using root = opened(open([]));
    expect(readdirSync(root.at("a"))).toEqual(["b"]);
    using below = opened(open(["a", "b"]));
    expect(readFileSync(below.at("file"), "utf8")).toBe("inside");
  });

  test("the root itself may be a link", () => {
    using folder = opened(open(["a", "b"], "link to root"));
    expect(readFileSync(folder.at("file"), "utf8")).toBe("inside");
  });

  test("follows no link below the root, wherever it leads", () => {
    expect(refusalOf(["out"])).toBe("out is a symbolic link, not a folder");
    expect(refusalOf(["in", "b"])).toBe("in is a symbolic link, not a folder");
  });

  test("names what is missing or not a folder", () => {
    expect(refusalOf(["a", "none", "b"])).toBe("a/none: no such file or directory (ENOENT)");
    expect(refusalOf(["a", "b", "file"])).toBe("a/b/file is a file, not a folder");
    expect(refusalOf(["plain", "x"])).toBe("plain is a file, not a folder");
    expect(refusalOf([], "none")).toContain("no such file or directory (ENOENT)");
  });

  test("a folder swapped for a link after it was opened is noticed, or does not matter", () => {
    mkdirSync(join(base, "root/swapped"));
    writeFileSync(join(base, "root/swapped/file"), "inside");
    using folder = opened(open(["swapped"]));
    expect(folder.stillThere()).toBe(true);
    renameSync(join(base, "root/swapped"), join(base, "root/moved"));
    symlinkSync("../outside", join(base, "root/swapped"));
    if (opening === "by name") expect(folder.stillThere()).toBe(false);
    else expect(readFileSync(folder.at("file"), "utf8")).toBe("inside");
    rmSync(join(base, "root/swapped"));
    rmSync(join(base, "root/moved"), { recursive: true });
  });

  test.skipIf(process.platform !== "linux")("leaves no descriptor open, refused or closed", () => {
    const openNow = () => readdirSync("/proc/self/fd").length;
    const before = openNow();
    for (let times = 0; times < 20; times++) {
      opened(open(["a", "b"]))[Symbol.dispose]();
      refusalOf(["a", "none"]);
      refusalOf(["out"]);
    }
    expect(openNow()).toBe(before);
  });
});

function opened(result: ReturnType<typeof openFolder>): Folder & Disposable {
  if (!result.ok) throw new Error(result.message);
  const folder = result.value;
  return { ...folder, [Symbol.dispose]: () => folder.close() };
}
