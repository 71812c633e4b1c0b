import { describe, expect, test } from "bun:test";
import { placeInDiff } from "../../../src/acceptance/diff-place.ts";

const diff = `diff --git a/src/a b.txt b/src/a b.txt
index 5626abf..814f4a4 100644
--- a/src/a b.txt\t
+++ b/src/a b.txt\t
@@ -1,3 +1,4 @@
 kept
-gone
+new one
+@@ -9 +9 @@
 last
@@ -20 +21,2 @@ in here
 twenty
+twenty-one
diff --git "a/tab\\tand \\303\\266 \\"q\\".txt" "b/tab\\tand \\303\\266 \\"q\\".txt"
new file mode 100644
--- /dev/null
+++ "b/tab\\tand \\303\\266 \\"q\\".txt"
@@ -0,0 +1 @@
+first
\\ No newline at end of file
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-was here
diff --git a/p.png b/p.png
Binary files a/p.png and b/p.png differ
--- a/p.png
+++ b/p.png
@@ -3 +3 @@
-\0before
+\0after
`;

describe("the place in a diff", () => {
  test.each([
    ["of a context line", "kept", { file: "src/a b.txt", line: 1 }],
    ["of an added line", "+new one", { file: "src/a b.txt", line: 2 }],
    ["in the middle of a line", "ew one", { file: "src/a b.txt", line: 2 }],
    ["of an added line that looks like a hunk", "+@@ -9", { file: "src/a b.txt", line: 3 }],
    ["after it", "last", { file: "src/a b.txt", line: 4 }],
    ["in a second hunk", "twenty-one", { file: "src/a b.txt", line: 22 }],
    ["of a line feed, which is about the line it begins", "\n+twenty-one", { file: "src/a b.txt", line: 22 }],
    ["of a line feed before a file", "\ndiff --git a/p.png", { file: "p.png", line: null }],
    ["of a removed line", "-gone", { file: "src/a b.txt", line: null }],
    ["of a hunk's header", "in here", { file: "src/a b.txt", line: null }],
    ["of a header line", "index 5626", { file: "src/a b.txt", line: null }],
    ["of a file's first line", "diff --git a/src", { file: "src/a b.txt", line: null }],
    ["in a file whose name is quoted", "+first", { file: 'tab\tand ö "q".txt', line: 1 }],
    ["in the header of one", "new file mode", { file: 'tab\tand ö "q".txt', line: null }],
    ["of the missing line feed", "No newline", { file: 'tab\tand ö "q".txt', line: null }],
    ["in a removed file", "was here", { file: "old.txt", line: null }],
    ["in the header of one", "deleted file", { file: "old.txt", line: null }],
    ["in a binary file", "Binary files", { file: "p.png", line: null }],
    ["of a line of one", "after", { file: "p.png", line: 3 }],
  ])("%s", (_, text, place) => {
    const at = diff.indexOf(text);
    expect(at).toBeGreaterThanOrEqual(0);
    expect(placeInDiff(diff, at)).toEqual(place);
  });

  test("is none in an empty one", () => {
    expect(placeInDiff("", 0)).toBeNull();
  });

  test("is found at any position, and is that of its line", () => {
    const file = { file: "src/a b.txt" };
    const [start, end] = [diff.indexOf("+new one"), diff.indexOf("\n+@@")];
    for (let at = start; at < end; at++) expect(placeInDiff(diff, at)).toEqual({ ...file, line: 2 });
    for (let at = 0; at < diff.length; at++)
      expect(placeInDiff(diff, at) === null).toBe(at >= diff.length - 1);
  });
});
