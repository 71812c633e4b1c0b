import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { leadsIntoGit, pathProblem } from "../../../src/mutation/path.ts";

const wellFormed = [
  "a",
  "src/app.py",
  "deep/er/and/deeper/file.txt",
  "with space/and\ttab\nand newline",
  ".gitignore",
  ".github/workflows/ci.yml",
  "...a",
  "a..b/.c/..d",
  " leading",
  "console",
  "com",
  "com10",
  "lpt",
  "COM1x",
  "xcon",
  "auxiliary/null",
  "conin",
  "a.con",
  "-rf",
  "~/x",
  '*?[a]"<>|',
  "na\u00efve/\u{1f600}",
];

const malformed: readonly (readonly [string, string])[] = [
  ["", "is empty"],
  ["/etc/passwd", "is absolute"],
  ["/", "is absolute"],
  ["a//b", "an empty segment"],
  ["a/", "an empty segment"],
  [".", "a `.` segment"],
  ["./a", "a `.` segment"],
  ["a/./b", "a `.` segment"],
  ["..", "a `..` segment"],
  ["../a", "a `..` segment"],
  ["a/../../b", "a `..` segment"],
  ["a/..", "a `..` segment"],
  ["a\0b", "a NUL"],
  ["a\\b", "a backslash"],
  ["..\\a", "a backslash"],
  ["C:/a", "a `:`"],
  ["c:a", "a `:`"],
  ["a/file:stream", "a `:`"],
  [".git::$INDEX_ALLOCATION/config", "a `:`"],
  ["a./b", "ends in a dot or a space"],
  ["a /b", "ends in a dot or a space"],
  ["a/b.", "ends in a dot or a space"],
  ["a/b ", "ends in a dot or a space"],
  ["a/...", "ends in a dot or a space"],
  [".git.", "ends in a dot or a space"],
  ["a\ud800b", "a lone surrogate"],
  ["a".repeat(40_000), "40000 characters"],
  ...[
    "con",
    "CON",
    "Prn",
    "aux",
    "nul",
    "NUL.txt",
    "nul.tar.gz",
    "src/aux.c",
    "con .txt",
    "com0",
    "COM9",
    "com1.log",
    "lpt0",
    "LPT9",
    "com\u00b9",
    "COM\u00b2.txt",
    "lpt\u00b3",
    "conin$",
    "CONOUT$",
    "a/conout$.x/b",
  ].map((path) => [path, "a device on Windows"] as const),
];

describe("pathProblem", () => {
  test.each(wellFormed)("finds nothing in %j", (path) => {
    expect(pathProblem(path)).toBeUndefined();
  });

  test.each(malformed)("%j: %s", (path, problem) => {
    expect(pathProblem(path)).toContain(problem);
  });

  test("every device by every number, and no other number", () => {
    for (const device of ["com", "lpt"]) {
      for (const digit of [..."0123456789\u00b9\u00b2\u00b3"]) {
        expect(pathProblem(`${device}${digit}`)).toContain("a device");
        expect(pathProblem(`${device}${digit}.x`)).toContain("a device");
        expect(pathProblem(`${device}${digit}0`)).toBeUndefined();
      }
      expect(pathProblem(`${device}\u2074`)).toBeUndefined();
    }
  });

  test("a path with no problem stays below the root when the system resolves it", () => {
    const segment = fc.oneof(
      fc.constantFrom("..", ".", "", "a", "\\", "c:", "a."),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1 }), (segments) => {
        const path = segments.join("/");
        if (pathProblem(path) !== undefined) return;
        const { pathname } = new URL(`file:///root/${path.split("/").map(encodeURIComponent).join("/")}`);
        expect(pathname.startsWith("/root/")).toBe(true);
        expect(pathname.split("/").length).toBe(2 + path.split("/").length);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("leadsIntoGit", () => {
  test.each([
    ".git",
    ".git/config",
    "a/.git",
    "a/.GIT/hooks/x",
    ".GiT",
    "git~1",
    "GIT~1/config",
    ".g\u200cit",
    "\u200d.git",
    ".git\ufeff/config",
    ".\u206agi\u202et\u200f",
  ])("%j does", (path) => {
    expect(leadsIntoGit(path)).toBe(true);
    expect(pathProblem(path)).toBeUndefined();
  });

  test.each([
    ".gitignore",
    ".github/x",
    "git",
    "git~2",
    "a.git",
    ".git2/config",
    "git~10",
    ".g\u00ad\u00adit",
  ])("%j does not", (path) => expect(leadsIntoGit(path)).toBe(false));
});
