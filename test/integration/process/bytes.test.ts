/** Bytes that are no text, in what the engine is started with: passed on as they are, or refused by name. */
import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Receipt } from "../../../src/delivery/receipt-schema.ts";
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
