import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadAll } from "../../../src/cli/commands.ts";
import { surfaceOf } from "../../../src/cli/completion/surface.ts";
import { schemas } from "../../../src/cli/schemas.generated.ts";
import { absence, askedShells, offered } from "../../support/completion.ts";

const surfaces = (await loadAll()).map(surfaceOf);
const names = surfaces.map(({ name }) => name).sort();
const flagsOf = (name: string) =>
  surfaces.find((surface) => surface.name === name)?.flags.map(({ word }) => word) ?? [];

/** What is typed behind the program's name, and exactly what every shell offers for its last word. */
const rows: readonly (readonly [string, readonly string[]])[] = [
  ["", names],
  ["de", ["deliver"]],
  ["--v", ["--version"]],
  ["--version --j", ["--json"]],
  ...names.map((name) => [`${name} --`, [...flagsOf(name)].sort()] as const),
  [
    "accept --packet x --",
    flagsOf("accept")
      .filter((word) => word !== "--packet")
      .sort(),
  ],
  ["recover --dry", ["--dry-run"]],
  ["recover --dry-run --dry", []],
  ["check --repo=code --re", []],
  ["check --repo c", ["code"]],
  ["check --repo=c", ["code"]],
  ["check --repo . c", ["code", "contract.yaml"]],
  ["check c --repo c", ["code"]],
  ["verify --packet c", ["code", "contract.yaml"]],
  ["deliver --timeout c", []],
  ["deliver --base c", []],
  ["deliver --base c --repo c", ["code"]],
  ["schema ", Object.keys(schemas).sort()],
  ["schema con", ["contract"]],
  ["schema contract con", []],
  ["completions ", ["bash", "fish", "powershell", "zsh"]],
  ["protocol c", []],
  ["check -- --", []],
  ["bogus --", []],
  ["deliver contract.yaml -- cat con", ["contract.yaml"]],
  ["deliver contract.yaml -- cat --re", []],
  ["deliver contract.yaml -- satyrn-planted-pro", ["satyrn-planted-program"]],
];

let folder = "";
const path = process.env["PATH"];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "satyrn-completions-"));
  mkdirSync(join(folder, "work/code"), { recursive: true });
  writeFileSync(join(folder, "work/contract.yaml"), "");
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/satyrn-planted-program"), "#!/bin/sh\n", { mode: 0o755 });
  process.env["PATH"] = `${join(folder, "bin")}:${path}`;
});
afterAll(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true });
});

describe.each([...askedShells])("%s", (shell) => {
  const reason = absence(shell);
  if (reason !== undefined) {
    console.log(`skipped: the completions for ${shell}: ${reason}`);
    test.skip(reason, () => {});
    return;
  }
  const asked = rows
    // Where nothing is offered, PowerShell offers files by itself.
    .filter(([, expected]) => shell !== "powershell" || expected.length > 0)
    .map(([typed, expected], at) => [typed, expected, at] as const);
  let answers: readonly (readonly string[])[] = [];

  beforeAll(async () => {
    const lines = asked.map(([typed]) => `satyrn-engine ${typed}`);
    const split = shell === "bash" ? lines.map(asBashSplits) : lines;
    answers = await offered(shell, split, join(folder, "work"));
  });

  test.each(asked)("%p", (_, expected, at) => {
    expect<unknown>(answers[at]).toEqual(expected);
  });
});

/** = is a word of its own, and a word that was not begun is an empty one. */
function asBashSplits(line: string): string {
  return line.replace("=", " = ").replace(/ $/, ' ""');
}
