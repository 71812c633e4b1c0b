import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../../../src/cli/command.ts";
import { commands } from "../../../src/cli/commands.ts";
import { commandHelp, programHelp } from "../../../src/cli/help.ts";
import { exitStatus } from "../../../src/outcome.ts";

const all = new Map<string, Command>();
for (const [name, { load }] of Object.entries(commands)) all.set(name, (await load()).command);

describe("help of", () => {
  test.each([...all])(
    "%s fits 80 columns, shows a real example and lists its exit statuses",
    async (name, command) => {
      const help = commandHelp(command);
      expectNarrow(help);
      expect(command.name).toBe(name);
      expect(help).toContain(`Usage:\n  satyrn-engine ${name}`);
      expect(help).toContain(`Example:\n  satyrn-engine ${name}`);
      for (const status of ["OK", "USAGE", ...command.statuses] as const) {
        expect(help).toMatch(new RegExp(`^ +${exitStatus[status]} ${status} `, "m"));
      }
    },
  );

  test("the program lists every command and every exit status", () => {
    const help = programHelp([...all.values()]);
    expectNarrow(help);
    for (const name of all.keys()) expect(help).toMatch(new RegExp(`^  ${name} `, "m"));
    for (const [status, number] of Object.entries(exitStatus)) {
      expect(help).toMatch(new RegExp(`^ +${number} ${status} `, "m"));
    }
  });
});

describe("a person reads, letter by letter, as help of", () => {
  const golden = (name: string) =>
    readFileSync(join(import.meta.dir, `../../../fixtures/help/${name}.txt`), "utf8");

  test("the program", () => {
    expect(programHelp([...all.values()])).toBe(golden("program"));
  });

  test.each(["check", "deliver", "accept", "licenses"])("%s", (name) => {
    expect(commandHelp(all.get(name) as Command)).toBe(golden(name));
  });
});

function expectNarrow(text: string): void {
  expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(text).toEndWith("\n");
}
