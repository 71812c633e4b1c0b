/** What the worlds of all operations share: a repository that is copied for each, and how to look at it. */
import { cpSync, existsSync, mkdirSync, readdirSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Finding } from "../../../src/recovery/recover.ts";
import { engine } from "../../support/engine.ts";
import { gitEnvironment, makeRepository, temporaryFolder } from "../../support/repository.ts";
import { runningWith } from "../../support/tree.ts";

/** The environment of an engine in a world: as few folders on PATH as will do, each is asked for programs. */
export function environmentIn(folder: string): Record<string, string> {
  const temporary = join(folder, "tmp");
  mkdirSync(temporary, { recursive: true });
  const path = [...new Set([dirname(Bun.which("git") ?? ""), "/usr/bin", "/bin"])].join(":");
  return {
    ...gitEnvironment(),
    PATH: path,
    TMPDIR: temporary,
    SATYRN_TEST_MARK: `faults-${crypto.randomUUID()}`,
  };
}

const templates = new Map<string, Promise<string>>();
const made: (() => void)[] = [];
// Where there is no runner of tests, which ends without this.
process.on("exit", removeTemplates);

/** Removes what the worlds were copied from. */
export function removeTemplates(): void {
  templates.clear();
  for (const dispose of made.splice(0)) dispose();
}

/** A folder that holds a copy of what `make` makes, which is made once for each `name`. */
export async function copied(
  name: string,
  make: (folder: string) => void | Promise<void>,
): Promise<{ readonly path: string; dispose(): void }> {
  const template = templates.get(name) ?? makeTemplate(make);
  templates.set(name, template);
  const copy = temporaryFolder("satyrn fäults ");
  cpSync(await template, copy.path, { recursive: true });
  return copy;
}

async function makeTemplate(make: (folder: string) => void | Promise<void>): Promise<string> {
  const { path, dispose } = temporaryFolder("satyrn fäults ");
  made.push(dispose);
  await make(path);
  return path;
}

export function smallRepository(path: string): void {
  makeRepository(path, { "a.txt": "one\n", "src/b.txt": "two\n", "run.sh": "echo\n" }, ["--template="]);
}

/** Runs `recover` of the executable as it is released; every line it prints about something in the world. */
export async function recoverIn(
  repo: string,
  env: Readonly<Record<string, string>>,
  problems: string[],
): Promise<readonly Finding[]> {
  const run = await engine(["recover", "--repo", repo], { env });
  if (run.status !== 0 || run.stderr !== "") problems.push(`recover: ${run.status} ${run.stderr}`);
  const root = dirname(env["TMPDIR"] ?? "");
  return run.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Finding)
    .filter(({ path }) => path.startsWith(root));
}

/**
 * Proves that `recover` names and removes exactly what `left` tells to be there, and then finds nothing; says what
 * it was.
 */
export async function expectRecovered(
  repo: string,
  env: Readonly<Record<string, string>>,
  left: () => readonly string[],
  problems: string[],
): Promise<string> {
  const mark = env["SATYRN_TEST_MARK"] ?? "";
  await whenGitEnded(mark);
  const before = left();
  for (const path of before) letTenSecondsPass(path);
  const found = await recoverIn(repo, env, problems);
  for (const { result, path, reason } of found) {
    if (result !== "recovered") problems.push(`recover: ${result} ${path}: ${reason}`);
  }
  const named = found.map(({ path }) => path);
  for (const path of before.filter((each) => !named.includes(each)))
    problems.push(`not named by recover: ${path}`);
  for (const path of named.filter((each) => !before.includes(each)))
    problems.push(`named by recover: ${path}`);
  for (const path of left()) problems.push(`left by recover: ${path}`);
  for (const line of runningWith(mark)) problems.push(`still runs: ${line}`);
  const again = await recoverIn(repo, env, problems);
  for (const { result, path } of again) problems.push(`found by a second recover: ${result} ${path}`);
  return before.length === 0 ? "nothing left" : "recovered";
}

/** Git processes end by themselves once their engine is gone. */
async function whenGitEnded(mark: string): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 10) {
    if (runningWith(mark).every((line) => !/\bgit\b/.test(line))) return;
    await Bun.sleep(10);
  }
}

/** What has no record of its owner is taken only once it is ten seconds old. */
export function letTenSecondsPass(path: string): void {
  const past = Date.now() / 1000 - 11;
  if (path.endsWith(".keep")) return;
  if (existsSync(join(path, "owner.json"))) return;
  utimesSync(path, past, past);
}

/** Private folders in the place for temporary files. */
export function privateFolders(env: Readonly<Record<string, string>>): readonly string[] {
  const temporary = env["TMPDIR"] ?? "";
  return readdirSync(temporary)
    .sort()
    .map((name) => join(temporary, name));
}
