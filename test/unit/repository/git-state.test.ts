import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { matters, repositoryFiles, stateDifferences } from "../../../src/repository/git-state.ts";
import type { Source } from "../../../src/repository/preflight.ts";
import type { Worktree } from "../../../src/repository/worktree.ts";
import { temporaryFolder } from "../../support/repository.ts";

describe("settings that can change what the engine's Git runs, sees or hides", () => {
  test.each([
    "filter.lfs.clean\ngit-lfs clean -- %f",
    "filter.x.process\nx",
    "filter.x.required\ntrue",
    "diff.external\nx",
    "diff.x.textconv\nx",
    "merge.x.driver\nx",
    "include.path\nx",
    "includeif.gitdir:/x/.path\nx",
    "core.bare\ntrue",
    "core.worktree\n/x",
    "core.filemode\nfalse",
    "core.ignorecase\ntrue",
    "core.symlinks\nfalse",
    "core.autocrlf\ntrue",
    "core.eol\ncrlf",
    "core.sparsecheckout\ntrue",
    "core.sparsecheckoutcone\ntrue",
    "core.excludesfile\n/x",
    "core.attributesfile\n/x",
    "core.sshcommand\nx",
    "core.gitproxy\nx",
    "core.checkstat\nminimal",
    "core.trustctime\nfalse",
    "core.protectntfs\nfalse",
    "credential.helper\nx",
    "extensions.worktreeconfig\ntrue",
    "extensions.partialclone\norigin",
    "gpg.program\nx",
    "submodule.x.ignore\nall",
    "submodule.x.update\n!x",
    "remote.origin.uploadpack\nx",
    "remote.origin.promisor\ntrue",
    "remote.origin.vcs\nx",
    "index.version\n4",
    "uploadpack.packobjectshook\nx",
    "unknown.setting\nx",
    "core.bare",
  ])("%j", (setting) => {
    expect(matters(setting)).toBe(true);
  });
});

describe("settings that the engine overrides, or that a person's own commands change meanwhile", () => {
  test.each([
    "core.hookspath\n.husky",
    "core.fsmonitor\nx",
    "core.editor\nx",
    "core.pager\nx",
    "user.name\nx",
    "user.signingkey\nx",
    "alias.x\n!x",
    "branch.main.remote\norigin",
    "branch.a.b\nwith.merge\nrefs/heads/main",
    "remote.origin.url\nx",
    "remote.origin.fetch\n+refs/heads/*:refs/remotes/origin/*",
    "remote.pushdefault\norigin",
    "submodule.sub.url\nx",
    "submodule.sub.active\ntrue",
    "gc.auto\n1",
    "maintenance.auto\ntrue",
    "pull.rebase\ntrue",
    "color.ui\nalways",
    "",
  ])("%j", (setting) => {
    expect(matters(setting)).toBe(false);
  });
});

describe("two states", () => {
  test("that are the same differ in nothing", () => {
    expect(stateDifferences(["a\n1", "b\n2"], ["a\n1", "b\n2"])).toEqual([]);
    expect(stateDifferences([], [])).toEqual([]);
  });
  test.each([
    ["a value", ["a\n1"], ["a\n2"], ["a"]],
    ["one more", ["a\n1"], ["a\n1", "b\n2"], ["b"]],
    ["one less", ["a\n1", "b\n2"], ["b\n2"], ["a"]],
    ["the order", ["a\n1", "a\n2"], ["a\n2", "a\n1"], ["a"]],
    ["one said again", ["a\n1", "a\n2"], ["a\n1", "a\n2", "a\n1"], ["a"]],
    ["one said less often", ["a\n1", "a\n2", "a\n1"], ["a\n1", "a\n2"], ["a"]],
    ["a name without a value", ["a"], ["b"], ["a", "b"]],
  ])("that differ in %s", (_, before, after, names) => {
    expect(stateDifferences(before, after)).toEqual(names);
  });
});

test("what the system does not show is part of the state in its words, and no error", () => {
  const { path, dispose } = temporaryFolder();
  try {
    mkdirSync(join(path, "worktree"));
    // Also root meets a loop of links.
    symlinkSync("info", join(path, "info"));
    const source = { gitDirectory: path, commonDirectory: path } as Source;
    const worktree = { path: join(path, "worktree"), adminDirectory: join(path, "info") } as Worktree;
    const state = repositoryFiles(source, worktree);
    expect(state).toContain(`${join(path, "info/exclude")}\ntoo many symbolic links encountered (ELOOP)`);
    expect(state).toContain(`${join(path, "info/HEAD")}\ntoo many symbolic links encountered (ELOOP)`);
    expect(state).toContain(`${join(path, "shallow")}\nabsent`);
    expect(stateDifferences(state, repositoryFiles(source, worktree))).toEqual([]);
  } finally {
    dispose();
  }
});
