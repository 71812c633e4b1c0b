import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { matchesAny, pathMatcher } from "../../../src/contract/patterns.ts";
import { cpuTime } from "../../support/cpu.ts";

// What takes a second here takes ten on a machine that others use.
setDefaultTimeout(60_000);

/** [pattern, path, matches] */
const table: readonly (readonly [string, string, boolean])[] = [
  // the whole path, literally
  ["src/app.py", "src/app.py", true],
  ["src/app.py", "src/app.pyc", false],
  ["src/app.py", "lib/src/app.py", false],
  ["a.py", "axpy", false],
  ["a+(b)|^$", "a+(b)|^$", true],
  ["", "", true],
  ["", "a", false],
  ["./a", "a", false],
  ["src/", "src/a", false],
  // case
  ["src/*", "SRC/app.py", false],
  ["[a-z]", "A", false],
  // `*`: any run, `/` included, the empty one too
  ["*", "", true],
  ["*", "deep/er/file", true],
  ["src/*", "src/deep/file", true],
  ["src/*", "src/", true],
  ["src/*", "src", false],
  ["*.py", "a/b.py", true],
  ["**/x", "x", false],
  ["**/x", "a/b/x", true],
  ["a*b*c", "a--b--b--c", true],
  ["a*b*c", "a--c--b", false],
  ["*ab", "aab", true],
  // `?`: exactly one character, `/` included, also one outside the basic plane
  ["?", "a", true],
  ["?", "/", true],
  ["?", "", false],
  ["?", "ab", false],
  ["?", "\u{1f600}", true],
  ["??", "\u{1f600}", false],
  ["?", "e\u0301", false],
  // sets
  ["[abc]", "b", true],
  ["[abc]", "d", false],
  ["[abc]", "ab", false],
  ["[a-c]", "b", true],
  ["[a-c]", "a", true],
  ["[a-c]", "c", true],
  ["[a-c]", "`", false],
  ["[a-c]", "d", false],
  ["[a-a]", "a", true],
  ["[a-c]", "-", false],
  ["[a-cx-z]", "y", true],
  ["[a-c-e]", "-", true],
  ["[a-c-e]", "d", false],
  ["[\u{1f600}-\u{1f64f}]", "\u{1f610}", true],
  ["[!abc]", "d", true],
  ["[!abc]", "a", false],
  ["[!a]", "/", true],
  ["[!a]", "!", true],
  ["[!!-#]", '"', false],
  ["[!a]", "", false],
  // a `]` right after `[` or `[!` is a member
  ["[]]", "]", true],
  ["[]a]", "a", true],
  ["[!]]", "]", false],
  ["[!]]", "a", true],
  ["[]-a]", "_", true],
  // `^` is an ordinary member, `!` too unless first
  ["[^a]", "^", true],
  ["[^a]", "a", true],
  ["[^a]", "b", false],
  ["[a!]", "!", true],
  ["[!!]", "!", false],
  // an empty range matches nothing
  ["[z-a]", "z", false],
  ["[z-a]", "m", false],
  ["[z-a]", "-", false],
  ["[z-ab]", "b", true],
  ["[!z-a]", "m", true],
  // and makes no negation of what follows, as it does in Python by accident
  ["[z-a!b]", "!", true],
  ["[z-a!b]", "b", true],
  ["[z-a!b]", "c", false],
  // a hyphen first or last is a member
  ["[-a]", "-", true],
  ["[a-]", "-", true],
  ["[a-]", "b", false],
  ["[--0]", ".", true],
  // an unclosed `[` is literal
  ["[", "[", true],
  ["[abc", "[abc", true],
  ["[abc", "a", false],
  ["[]", "[]", true],
  ["[!]", "[!]", true],
  ["[*", "[anything", true],
  ["a[?", "a[b", true],
  // inside a set nothing is special
  ["[*]", "*", true],
  ["[*]", "a", false],
  ["[?]", "?", true],
  ["[[]", "[", true],
  ["[\\]", "\\", true],
  ["\\*", "\\x", true],
  ["\\*", "*", false],
];

describe("matchesAny", () => {
  test.each(table)("%j against %j: %p", (pattern, path, expected) => {
    expect(matchesAny([pattern], path)).toBe(expected);
    expect(slowMatch(pattern, path)).toBe(expected);
  });

  test("no pattern matches nothing, any of several is enough", () => {
    expect(matchesAny([], "a")).toBe(false);
    expect(matchesAny(["b", "a*", "c"], "abc")).toBe(true);
    expect(matchesAny(["b", "c"], "abc")).toBe(false);
  });

  test("patterns read once serve many paths", () => {
    const matcher = pathMatcher(["src/*", "docs/?.md"]);
    expect(["src/a", "docs/b.md", "docs/bb.md", "x"].map(matcher)).toEqual([true, true, false, false]);
  });

  test("agrees with an oracle that follows every possibility", () => {
    const alphabet = fc.constantFrom(..."ab/*?[]!^-z", "\u{1f600}");
    const text = (most: number) => fc.array(alphabet, { maxLength: most }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text(10), text(8), (pattern, path) => {
        expect(matchesAny([pattern], path)).toBe(slowMatch(pattern, path));
      }),
      { numRuns: 10_000 },
    );
  });

  test("a pattern made from a path by widening it matches the path", () => {
    const part = fc.constantFrom(..."abz/.-]");
    const widened = fc.constantFrom(
      (c: string) => c,
      () => "?",
      () => "*",
      (c: string) => `[${c}]`,
      (c: string) => `[!${c}x]`.replace(c, "q"),
      (c: string) => `*${c}*`,
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(part, widened), { maxLength: 30 }), (parts) => {
        const path = parts.map(([c]) => c).join("");
        expect(matchesAny([parts.map(([c, widen]) => widen(c)).join("")], path)).toBe(true);
      }),
    );
  });

  test("many stars cost no more than pattern times path", () => {
    const path = "a".repeat(4_096);
    const started = cpuTime();
    expect(matchesAny([`${"*a".repeat(2_000)}*b`], path)).toBe(false);
    expect(matchesAny([`*${"a".repeat(2_000)}b`], path)).toBe(false);
    expect(matchesAny([`*${"?".repeat(2_000)}b`], path)).toBe(false);
    expect(matchesAny([`*[${"b-c".repeat(1_000)}]`], path)).toBe(false);
    expect(matchesAny(["[".repeat(100_000)], path)).toBe(false);
    expect(matchesAny([`]${"[".repeat(100_000)}`], path)).toBe(false);
    expect(matchesAny([`${"[]".repeat(50_000)}`], path)).toBe(false);
    // Backtracking over every star would take longer than the universe has lasted.
    expect(cpuTime() - started).toBeLessThan(5_000);
  });
});

/** The matching rule read straight off its definition: every split of every run is tried. Exponential. */
function slowMatch(pattern: string, path: string): boolean {
  if (pattern === "") return path === "";
  const [head, ...rest] = [...path];
  const tail = rest.join("");
  if (pattern.startsWith("*")) {
    return slowMatch(pattern.slice(1), path) || (head !== undefined && slowMatch(pattern, tail));
  }
  if (head === undefined) return false;
  const set = /^\[(!?)(\]?[^\]]*)\]/su.exec(pattern);
  if (set !== null && set[2] !== "") {
    const members = [...(set[2] as string)];
    let found = false;
    while (members.length > 0) {
      const first = members.shift() as string;
      if (members[0] === "-" && members.length > 1) {
        const last = members[1] as string;
        members.splice(0, 2);
        const code = head.codePointAt(0) as number;
        found ||= code >= (first.codePointAt(0) as number) && code <= (last.codePointAt(0) as number);
      } else {
        found ||= first === head;
      }
    }
    return found !== (set[1] === "!") && slowMatch(pattern.slice(set[0].length), tail);
  }
  const literal = [...pattern][0] as string;
  return (literal === "?" || literal === head) && slowMatch(pattern.slice(literal.length), tail);
}
