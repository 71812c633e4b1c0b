/** The two installers, read beside each other: what holds for the one that runs here holds for the other. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loose, unknownVariables } from "../support/powershell.ts";

const root = join(import.meta.dir, "../..");
const posix = readFileSync(join(root, "install.sh"), "utf8");
const windows = readFileSync(join(root, "install.ps1"), "utf8");

test("they take the same parameters", () => {
  const flags = [...posix.matchAll(/^ {6}--([\w-]+)\)/gm)].map(([, flag = ""]) => flag);
  const parameters = [...(/^param\((.*?)^\)/ms.exec(windows)?.[1] ?? "").matchAll(/\[string\] \$(\w+)/g)];
  const dashed = parameters.map(([, name = ""]) => name.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase());
  expect(dashed.sort()).toEqual(flags.sort());
  expect(flags).toEqual(["base-url", "dir", "version"]);
});

test("they take the same versions", () => {
  const accepted = "0-9A-Za-z.+-";
  expect(posix).toContain(`'' | *[!${accepted}]*) fail`);
  expect(windows).toContain(`[ValidatePattern('^[${accepted}]+$')] [string] $Version = 'latest'`);
  expect(posix).toContain("version=latest");
  for (const script of [posix, windows]) expect(script).toContain(`[${accepted}]+`);
});

test.each([
  "could not be fetched",
  "SHA256SUMS does not name exactly one archive for",
  "SHA256SUMS does not name ",
  "nothing was installed",
  "cannot be written",
  "to put it on PATH, add",
])("they both say: %s", (words) => {
  expect(posix).toContain(words);
  expect(windows).toContain(words);
});

test("they go the same way: sums, archive, digest, and only then unpack and place", () => {
  const ways = [
    {
      script: posix.slice(posix.indexOf("\nmain() {")).split("\n}\n")[0] ?? "",
      steps: [
        "fetch SHA256SUMS",
        'fetch "$name.tar.gz"',
        'verify "$name.tar.gz"',
        "tar -xzf",
        "place\n",
        "echo",
      ],
    },
    {
      script: windows.slice(windows.indexOf("\ntry {")),
      steps: [
        "Get-ReleaseFile 'SHA256SUMS'",
        'Get-ReleaseFile "$name.zip"',
        "if ($digest -cne $expected) {\n    throw",
        "Expand-Archive",
        "Copy-Item",
        "Move-Item -Force",
        "Write-Output",
        "finally",
        "Remove-Item -Recurse -Force -LiteralPath $work",
      ],
    },
  ];
  for (const { script, steps } of ways) {
    const places = steps.map((step) => script.indexOf(step));
    expect(places).not.toContain(-1);
    expect([...places].sort((one, other) => one - other)).toEqual(places);
  }
});

describe("install.ps1", () => {
  test("closes what it opens, and reads no variable that it did not set", () => {
    expect(loose(windows)).toEqual([]);
    expect(unknownVariables(windows)).toEqual([]);
  });

  test("takes paths as they are, never as patterns", () => {
    const calls = windows.match(
      /\b(?:Get-Content|Get-FileHash|Expand-Archive|Copy-Item|Move-Item|Remove-Item|Test-Path)\b.*/g,
    );
    expect(calls?.length).toBeGreaterThan(6);
    for (const call of calls ?? []) expect(call).toContain("-LiteralPath");
  });

  test("stops at the first error, and is ASCII, which Windows PowerShell reads without a mark", () => {
    expect(windows).toContain("$ErrorActionPreference = 'Stop'");
    expect(windows).toMatch(/^[\n -~]*\n$/);
  });
});

describe("what is told without a PowerShell", () => {
  test.each([
    ["if ($x) {", ["{"]],
    ["f 'a' )", [")"]],
    ["f 'a", ["'"]],
    ["(]", ["]"]],
    ["f 'it''s { fine' \"$(g (1)) ( too\"", []],
    ["# ( in a comment", []],
  ])("of %j", (script, wrong) => {
    expect(loose(script)).toEqual(wrong);
  });

  test("of variables", () => {
    expect(unknownVariables("param([string] $a)\n$b = $a + $env:X\nforeach ($c in $b) { $c; $d }\n")).toEqual(
      ["d"],
    );
  });
});
