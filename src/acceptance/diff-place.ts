/** From a place in a unified diff to the place in the file it is about. */

export interface DiffPlace {
  /** Path in the repository, as the commit that has the file names it. */
  readonly file: string;
  /** Line of the file after the change, from 1; null if the place is in none of its lines. */
  readonly line: number | null;
}

/**
 * The file and line that the character at `at` of a whole `git diff` belongs to; null before the first file. A
 * removed line has no number in the file it was removed from. A line feed counts for the line it begins, since
 * a pattern that starts with one is about that.
 */
export function placeInDiff(diff: string, at: number): DiffPlace | null {
  const target = diff[at] === "\n" ? at + 1 : at;
  const start = target === 0 ? 0 : diff.lastIndexOf("\ndiff --git ", target - 1) + 1;
  let names: Names = { before: null, after: null };
  let next: number | null = null;
  for (let lineStart = start; lineStart <= target && lineStart < diff.length; ) {
    const newline = diff.indexOf("\n", lineStart);
    const lineEnd = newline < 0 ? diff.length : newline;
    const line = diff.slice(lineStart, lineEnd);
    const hunk = /^@@ -[0-9,]+ \+([0-9]+)/.exec(line);
    if (hunk !== null) next = Number(hunk[1]);
    else if (next === null) names = named(names, line);
    const isThere = next !== null && hunk === null && (line[0] === "+" || line[0] === " ");
    if (target <= lineEnd) {
      const whole = next === null ? restOfHeader(names, diff, lineEnd) : names;
      const file = whole.after ?? whole.before;
      return file === null ? null : { file, line: isThere ? next : null };
    }
    if (isThere && next !== null) next++;
    lineStart = lineEnd + 1;
  }
  return null;
}

interface Names {
  readonly before: string | null;
  readonly after: string | null;
}

/** The names known after one more line of a file's header. A binary file is named in its `diff --git` line alone. */
function named(names: Names, line: string): Names {
  const sides = /^diff --git (?:a\/(.*) b\/\1|("a\/.*") "b\/.*")$/s.exec(line);
  if (sides !== null) return { before: null, after: sides[1] ?? withoutSide(sides[2] ?? "") };
  if (line.startsWith("--- ")) return { ...names, before: withoutSide(line.slice(4)) };
  if (line.startsWith("+++ ")) return { ...names, after: withoutSide(line.slice(4)) };
  return names;
}

/** The names that the header's lines after `from` tell, to the first hunk. */
function restOfHeader(names: Names, diff: string, from: number): Names {
  let known = names;
  for (const line of diff.slice(from + 1, from + 65_536).split("\n")) {
    if (line.startsWith("@@ ") || line.startsWith("diff --git ")) break;
    known = named(known, line);
  }
  return known;
}

/** The path in `a/path`, as Git writes it: in quotes if it has special characters, with a tab after blanks. */
function withoutSide(written: string): string | null {
  if (written === "/dev/null") return null;
  const quoted = /^"(.*)"\t?$/s.exec(written)?.[1];
  return (quoted === undefined ? written.replace(/\t$/, "") : unquoted(quoted)).slice(2);
}

/** Git's quoting of names, which is that of C: its octal escapes are bytes of UTF-8. */
function unquoted(text: string): string {
  const bytes = Buffer.from(
    text.replace(/\\([0-7]{3})/g, (_, digits) => `\\x${digits}`),
    "utf8",
  );
  const out: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== backslash) {
      out.push(byte);
      continue;
    }
    const letter = String.fromCharCode(bytes[at + 1] ?? 0);
    if (letter === "x") out.push(Number.parseInt(bytes.toString("latin1", at + 2, at + 5), 8));
    else out.push((escapes[letter] ?? letter).charCodeAt(0));
    at += letter === "x" ? 4 : 1;
  }
  return Buffer.from(out).toString("utf8");
}

const backslash = 92;
const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
};
