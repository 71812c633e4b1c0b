import { describe, expect, test } from "bun:test";
import { loadAll } from "../../../../src/cli/commands.ts";
import { shells } from "../../../../src/cli/completion/shells.ts";
import { surfaceOf } from "../../../../src/cli/completion/surface.ts";
import { loose, unknownVariables } from "../../../support/powershell.ts";

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
  test("closes what it opens, and reads no variable that it did not set", () => {
    expect(loose(powershell)).toEqual([]);
    expect(unknownVariables(powershell)).toEqual([]);
  });

  test("quotes a quote by doubling it", () => {
    expect(powershell).toContain("'Run a task''s declared checks on its committed candidate'");
  });
});
