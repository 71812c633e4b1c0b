import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  completeContract,
  contractArgument,
  contractInWorktree,
  workingTreeRoot,
} from "../../../src/pi/repository.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "satyrn-repository-")));
const root = join(folder, "repo");
beforeAll(() => {
  mkdirSync(join(root, ".git/hooks"), { recursive: true });
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
  mkdirSync(join(root, "contracts/deep"), { recursive: true });
  mkdirSync(join(root, "not-a-repo/.git"), { recursive: true });
  mkdirSync(join(folder, "linked/sub"), { recursive: true });
  writeFileSync(join(folder, "linked/.git"), "gitdir: ../repo/.git/worktrees/linked\n");
  for (const name of ["fix.yaml", "fix.yml", "fix.json", ".hidden.yaml"])
    writeFileSync(join(root, "contracts", name), "");
  symlinkSync("repo", join(folder, "alias"));
  mkdirSync(join(folder, "circle/sub"), { recursive: true });
  symlinkSync(".git", join(folder, "circle/.git"));
  mkdirSync(join(root, "circle"));
  symlinkSync(".git", join(root, "circle/.git"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the working tree that holds a folder", () => {
  const rows: readonly (readonly [string, string, string | undefined])[] = [
    ["its root", "repo", "repo"],
    ["a folder below", "repo/contracts/deep", "repo"],
    ["below an empty .git folder", "repo/not-a-repo", "repo"],
    ["a linked worktree", "linked/sub", "linked"],
    ["inside .git", "repo/.git/hooks", undefined],
    ["nowhere", ".", undefined],
    ["below a .git that leads in a circle", "repo/circle", "repo"],
    ["nowhere, with a .git that leads in a circle", "circle/sub", undefined],
  ];
  for (const [name, from, expected] of rows) {
    test(name, () => expect(workingTreeRoot(join(folder, from))).toBe(expected && join(folder, expected)));
  }
});

test("the argument loses spaces and one pair of quotes", () => {
  const rows = {
    " a.yaml ": "a.yaml",
    "'a b.yaml'": "a b.yaml",
    '  "a.yaml"': "a.yaml",
    "": "",
    "   ": "",
    '""': "",
    "'a": "'a",
    "a'b'": "a'b'",
  };
  for (const [given, expected] of Object.entries(rows)) expect(contractArgument(given)).toBe(expected);
});

test("a contract inside is named relative to the root, one outside absolutely", () => {
  expect(contractInWorktree(root, join(root, "contracts/fix.yaml"))).toBe("contracts/fix.yaml");
  expect(contractInWorktree(join(folder, "alias"), join(root, "contracts/fix.yaml"))).toBe(
    "contracts/fix.yaml",
  );
  expect(contractInWorktree(root, join(folder, "fix.yaml"))).toBe(join(folder, "fix.yaml"));
  expect(contractInWorktree(root, join(root, "..gone.yaml"))).toBe("..gone.yaml");
});

test("completion offers folders and YAML files", () => {
  const complete = (prefix: string) =>
    completeContract(root, prefix)
      .map(({ value }) => value)
      .sort();
  expect(complete("contracts/")).toEqual(["contracts/deep/", "contracts/fix.yaml", "contracts/fix.yml"]);
  expect(complete("con")).toEqual(["contracts/"]);
  expect(complete("contracts/fix.ya")).toEqual(["contracts/fix.yaml"]);
  expect(complete("contracts/.h")).toEqual(["contracts/.hidden.yaml"]);
  expect(complete("nowhere/")).toEqual([]);
});
