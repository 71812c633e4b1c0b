import { describe, expect, test } from "bun:test";
import { loadAll } from "../../../../src/cli/commands.ts";
import { shells } from "../../../../src/cli/completion/shells.ts";
import { surfaceOf } from "../../../../src/cli/completion/surface.ts";

const commands = await loadAll();
const surfaces = commands.map(surfaceOf);
const powershell = shells["powershell"]?.script(commands) ?? "";

describe.each(Object.entries(shells))("the script for %s", (_, { script }) => {
  const text = script(commands);

  test.each(surfaces)("holds the command $name and its flags", ({ name, flags }) => {
    expect(text).toMatch(new RegExp(`^.*\\b${name}\\b`, "m"));
    for (const { word } of flags) expect(text).toContain(word.slice(2));
  });

  test("is ASCII, ends with a line, and has no space at the end of one", () => {
    expect(text).toMatch(/^[\n -~]*\n$/);
    expect(text).not.toMatch(/ $/m);
  });
});

/** What can be told of it without a PowerShell. */
describe("the script for PowerShell", () => {
  test("closes every bracket and quote it opens", () => {
    const open: string[] = [];
    const code = powershell
      .replace(/^\s*#.*$/gm, "")
      .replace(/'(?:[^']|'')*'/g, "''")
      .replace(/"[^"\n]*"/g, '""');
    const partner: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
    for (const [character] of code.matchAll(/[()[\]{}]/g)) {
      if (character in partner) expect(open.pop()).toBe(partner[character] ?? "");
      else open.push(character);
    }
    expect(open).toEqual([]);
    expect(code.replaceAll("''", "").replaceAll('""', "")).not.toMatch(/['"]/);
  });

  test("reads no variable that it did not set", () => {
    const builtIn = ["_", "false", "true"];
    const set = new Set([
      ...builtIn,
      ...[...powershell.matchAll(/\$(\w+) (?:\+?=|in)(?= )/g)].map((match) => match[1]),
      ...[...powershell.matchAll(/(?:param\(|\[string\] )\$(\w+)(?:, \$(\w+), \$(\w+))?/g)].flatMap((match) =>
        match.slice(1),
      ),
    ]);
    const read = [...powershell.matchAll(/\$(\w+)/g)].map((match) => match[1]);
    expect(read.length).toBeGreaterThan(50);
    expect(read.filter((name) => !set.has(name))).toEqual([]);
  });

  test("quotes a quote by doubling it", () => {
    expect(powershell).toContain("'Run a task''s declared checks on its committed candidate'");
  });
});
