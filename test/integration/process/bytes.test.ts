/** Bytes that are no text, in what the engine is started with: passed on as they are, or refused by name. */
import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accept } from "../../../src/acceptance/accept.ts";
import { verify } from "../../../src/acceptance/verify.ts";
import type { Receipt } from "../../../src/delivery/receipt-schema.ts";
import { replace } from "../../../src/mutation/replace.ts";
import { alteredVariable } from "../../../src/process/environment.ts";
import { candidateFile, expectNothingLeft, scene } from "../../support/delivery.ts";
import { type EngineRun, engine } from "../../support/engine.ts";
import { git, gitEnvironment, snapshot } from "../../support/repository.ts";

const at = scene();
afterAll(() => at.dispose());
writeFileSync(join(at.folder, "word"), Buffer.from("a\xffb", "latin1"));

/** Runs the engine by a shell, which alone can hold `$word`, of bytes that are not UTF-8. */
function byShell(line: string, env: Readonly<Record<string, string>> = {}): Promise<EngineRun> {
  const wrapper = ["sh", "-c", `word=$(cat "$0"); engine=$1; shift; ${line}`, join(at.folder, "word")];
  return engine(["--version"], {
    wrapper,
    cwd: at.folder,
    env: { ...gitEnvironment(), TMPDIR: at.temporary, ...env },
  });
}

let deliveries = 0;
const deliver = (setting: string, command: string, env: Readonly<Record<string, string>> = {}) => {
  const id = `bytes-${deliveries++}`;
  writeFileSync(at.contract, `id: ${id}\ntask: t\n`);
  return byShell(`${setting} "$engine" deliver --repo repo contract.yaml -- ${command}`, env);
};

describe("an environment variable", () => {
  for (const name of ["HOME", "PATH", "TMPDIR", "ANY"]) {
    test(`${name} that is not UTF-8 is refused by name: GIT_FAILED`, async () => {
      const before = snapshot(at.repo);
      const value = name === "PATH" ? '"$PATH:/$word"' : '"/$word"';
      const run = await deliver(`${name}=${value}`, "true");
      const reason = `the environment variable ${name} holds bytes that are not UTF-8, which cannot be passed on as they are`;
      expect([run.status, run.stderr]).toEqual([8, `satyrn-engine: GIT_FAILED: ${reason}\n`]);
      expect(snapshot(at.repo)).toEqual(before);
      expectNothingLeft(at);
    });
  }

  test("that holds U+FFFD itself is passed on", async () => {
    const run = await deliver("", `sh -c 'printf %s "$ANY" > a.txt'`, { ANY: "a\ufffdb" });
    const receipt: Receipt = JSON.parse(run.stdout);
    expect([receipt.code, candidateFile(at, receipt, "a.txt")]).toEqual(["OK", "a\ufffdb"]);
  });

  test("of a recovery and of a contract's test is refused as well; check starts nothing and does not mind", async () => {
    expect(await byShell('ANY=$word "$engine" recover --repo repo')).toMatchObject({ status: 8 });
    expect(await byShell('ANY=$word "$engine" check --repo repo contract.yaml')).toMatchObject({ status: 0 });
    writeFileSync(at.contract, "id: a\ntask: t\ntest_command: ['true']\n");
    const request = { version: 1, operation: "test", repo: at.repo, contract: at.contract };
    writeFileSync(join(at.folder, "request"), JSON.stringify(request));
    const altered = await byShell('ANY=$word "$engine" protocol < request');
    expect([altered.status, JSON.parse(altered.stdout).code]).toEqual([11, "TEST_COMMAND_UNAVAILABLE"]);
    const whole = await byShell('ANY=word "$engine" protocol < request');
    expect([whole.status, JSON.parse(whole.stdout).code]).toEqual([0, "OK"]);
  });

  test("that another than the system set is not doubted", () => {
    expect(alteredVariable({ ANY: "a\ufffdb", OTHER: undefined })).toBeUndefined();
  });
});

describe("an argument", () => {
  test.each([
    ["the repository", '--repo "$word" contract.yaml -- true'],
    ["the contract", '--repo repo "$word" -- true'],
    ["a word of the command", '--repo repo contract.yaml -- echo "$word"'],
  ])("%s that is not UTF-8 is a usage error", async (_, words) => {
    const run = await byShell(`"$engine" deliver ${words}`);
    expect([run.status, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toStartWith("satyrn-engine: USAGE: an argument is not valid UTF-8\n");
  });
});

describe("a working directory whose name is not UTF-8", () => {
  test("makes relative paths mean nothing, which is said; absolute ones are well", async () => {
    const inside = (repo: string, contract: string) =>
      byShell(`mkdir -p "$word"; cd "$word"; "$engine" check --repo "${repo}" "${contract}"`);
    const relative = await inside("../repo", "../contract.yaml");
    expect(relative.status).toBe(3);
    expect(relative.stderr).toContain("is gone or has a name that is not UTF-8");
    expect(await inside(at.repo, at.contract)).toMatchObject({ status: 0, stderr: "" });
  });
});

describe("a repository at a path that is not UTF-8, which a link leads to", () => {
  const link = join(at.folder, "link");
  const alike = join(at.folder, "a\ufffdb/repo");
  const place = (repo: string) => `${repo}: its real path holds bytes that are not UTF-8: ${alike}`;
  const there = () =>
    byShell('mkdir -p "$word" && rm -rf "$word/repo" && cp -r repo "$word/repo" && ln -sfn "$word" link');

  for (const other of ["nothing", "another repository"]) {
    test(`is refused by name, with ${other} where its name seems to lead`, async () => {
      await there();
      if (other !== "nothing") cpSync(at.repo, alike, { recursive: true });
      const repo = join(link, "repo");
      const looks = () => [git(repo, "status", "--porcelain"), existsSync(alike) && snapshot(alike)];
      const before = looks();
      for (const [command, status] of [
        ["deliver --repo link/repo contract.yaml -- touch x", 8],
        ["recover --repo link/repo", 8],
      ] as const) {
        const run = await byShell(`"$engine" ${command}`);
        expect([run.status, run.stderr]).toEqual([
          status,
          `satyrn-engine: GIT_FAILED: ${place("link/repo")}\n`,
        ]);
      }
      writeFileSync(at.contract, "id: a\ntask: t\nwritable_paths: ['*']\n");
      const edit = { path: "a.txt", expected_sha256: null, edits: [{ old_text: "one", new_text: "two" }] };
      const replaced = replace({ repo, contract: at.contract, ...edit });
      expect([replaced.code, replaced.message]).toEqual([
        "MUTATION_FAILED",
        `cannot replace a.txt: ${place(repo)}`,
      ]);
      const blocked = {
        status: "BLOCKED" as const,
        reason: `worktree ${repo} cannot be used: ${place(repo)}`,
      };
      expect(await verify({ packet: packetFor(repo) })).toEqual(blocked);
      expect(await accept({ packet: packetFor(repo), submission: "" })).toEqual(blocked);
      expect(looks()).toEqual(before);
      expectNothingLeft(at);
    });
  }

  test("has worktrees elsewhere, which are refused by name as well", async () => {
    await there();
    const worktree = join(at.folder, "worktree");
    git(join(link, "repo"), "worktree", "add", "-q", worktree);
    const gitFolder = join(at.folder, "a\ufffdb/repo/.git/worktrees/worktree");
    const why = `the repository's Git folder lies at a path that is not UTF-8: ${gitFolder}`;
    const run = await byShell('"$engine" deliver --repo worktree contract.yaml -- touch x');
    expect([run.status, run.stderr]).toEqual([8, `satyrn-engine: GIT_FAILED: ${why}\n`]);
    const reason = `worktree ${worktree} cannot be used: ${why}`;
    expect(await verify({ packet: packetFor(worktree) })).toEqual({ status: "BLOCKED" as const, reason });
  });

  test("is no matter of U+FFFD itself, which is a character like any other", async () => {
    cpSync(at.repo, alike, { recursive: true });
    const run = await byShell(
      '"$engine" deliver --repo "$(printf "a\\357\\277\\275b")/repo" contract.yaml -- touch x',
    );
    expect([run.stderr, run.status]).toEqual(["", 0]);
  });
});

/** A packet of a task in `worktree`, read up to the question where that is. */
function packetFor(worktree: string): string {
  const bound = { path: join(worktree, "tasks/meta.json"), sha256: "0".repeat(64) };
  const ids = { requirements: [], review_requirements: [] };
  const inputs = {
    inputs_sha: "0".repeat(40),
    allocation_base: "none",
    contract: bound,
    expected: bound,
    meta: bound,
  };
  const path = join(at.folder, "packet.json");
  writeFileSync(path, JSON.stringify({ task: "T", worktree, branch: "b", ...inputs, ...ids }));
  return path;
}

describe("a locale that is not UTF-8 changes nothing", () => {
  for (const locale of ["C", "POSIX", "de_DE.ISO-8859-1", "ja_JP.SJIS", "nonsense"]) {
    test(locale, async () => {
      const run = await deliver(
        "",
        `sh -c 'n=$(printf "gr\\303\\274n.txt"); printf "\\351" > "$n"; echo "$LC_ALL" > a.txt'`,
        {
          LC_ALL: locale,
          LANG: locale,
        },
      );
      const receipt: Receipt = JSON.parse(run.stdout);
      expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt", "grün.txt"]]);
      expect(candidateFile(at, receipt, "a.txt")).toBe(locale);
      expect(/^[\u0000-\u007f]*$/.test(run.stdout)).toBe(true);
      const shown = git(at.repo, "cat-file", "-s", `${receipt.candidate_commit}:grün.txt`);
      expect(shown).toBe("1");
    });
  }

  test("a name that is not UTF-8 in it is refused as anywhere", async () => {
    const run = await deliver("", `sh -c 'n=$(printf "\\351"); echo > "$n"'`, { LC_ALL: "C" });
    const receipt: Receipt = JSON.parse(run.stdout);
    expect([receipt.code, receipt.message]).toEqual(["GIT_FAILED", expect.stringContaining("not UTF-8")]);
  });
});
