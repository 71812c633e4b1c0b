/** A delivery with a check, into a repository with one commit. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deliveryCodes } from "../../../src/outcome.ts";
import { git, snapshot } from "../../support/repository.ts";
import {
  differences,
  everythingIn,
  isPause,
  isStrikingStdout,
  type Operation,
  parsed,
  type Run,
  sha256,
  struckRemoval,
  type World,
} from "../operation.ts";
import {
  copied,
  environmentIn,
  expectRecovered,
  privateFolders,
  recoverIn,
  smallRepository,
} from "./world.ts";

const contract = `id: fix-1
task: change a file
acceptance:
  verification_commands:
    - argv: [cat, a.txt]
`;
const ref = "refs/satyrn/candidates/fix-1/head";
// It lasts until the engine has noted who leads its processes.
const change = "echo changed > a.txt; mkdir new; echo x > new/c; sleep 0.02";

export const deliver: Operation = {
  name: "deliver",
  async world(): Promise<World> {
    const { path: folder, dispose } = await copied("deliver", (path) => smallRepository(join(path, "repo")));
    const repo = join(folder, "repo");
    writeFileSync(join(folder, "contract.yaml"), contract);
    const env = environmentIn(folder);
    const look = () =>
      everythingIn(repo, /^\.git\/(objects|satyrn|worktrees|refs\/satyrn|logs\/refs\/satyrn)$/);
    const before = look();
    const shot = snapshot(repo);
    return {
      folder,
      cwd: folder,
      env,
      argv: ["deliver", "--repo", repo, join(folder, "contract.yaml"), "--", "sh", "-c", change],
      interfere: (release) => interfere(repo, env, release),
      async judge(run) {
        const problems: string[] = [];
        const left = () => [...privateFolders(env), ...leftInRepository(repo)].sort();
        const commit = existsSync(join(repo, ".git", ref)) ? git(repo, "rev-parse", ref) : resolved(repo);
        if (commit !== "") problems.push(...incomplete(repo, commit));
        const code = run.killed ? undefined : printed(repo, run, commit, problems);
        if (run.killed && run.stdout.endsWith("\n")) printed(repo, { ...run, status: 0 }, commit, problems);
        keptReceipts(repo, run, commit, problems);
        if (isPause(run.at?.fault) && code !== "OK") problems.push(`released, it ended with ${code}`);
        const untouched = (): void => {
          if (!isPause(run.at?.fault)) {
            problems.push(...differences(before, look()));
            return;
          }
          // Collecting garbage packs refs; what they say stays.
          const now: Record<string, string> = { ...snapshot(repo) };
          now["refs"] = (now["refs"] ?? "")
            .split("\n")
            .filter((line) => !line.startsWith(ref))
            .join("\n");
          for (const [name, was] of Object.entries(shot)) {
            if (name !== "worktrees" && now[name] !== was) problems.push(`${name} was changed`);
          }
        };
        untouched();
        const kept = left();
        if (!run.killed && kept.length > 0 && code !== "CLEANUP_FAILED" && !struckRemoval(run)) {
          problems.push(`left after ${code}: ${kept.join(", ")}`);
        }
        const found = await expectRecovered(repo, env, left, problems);
        untouched();
        if (isRegistered(repo)) problems.push("a worktree is still registered");
        return {
          problems,
          found: `${run.killed ? "killed" : (code ?? "cut off")}, ${commit === "" ? "no candidate" : "candidate"}, ${found}`,
        };
      },
      dispose,
    };
  },
};

/** Of the last worktree's folder an empty one may stay. */
function isRegistered(repo: string): boolean {
  const worktrees = join(repo, ".git/worktrees");
  return existsSync(worktrees) && readdirSync(worktrees).length > 0;
}

/** After a collection, the ref may lie in packed-refs. */
function resolved(repo: string): string {
  return git(repo, "for-each-ref", "--format=%(objectname)", ref);
}

function incomplete(repo: string, commit: string): readonly string[] {
  try {
    git(repo, "rev-list", "--objects", commit);
    git(repo, "fsck", "--full", "--strict", "--no-dangling", commit);
    const isChange = git(repo, "diff", "--name-only", "HEAD", commit) === "a.txt\nnew/c";
    const isOnBase = git(repo, "rev-parse", `${commit}^@`) === git(repo, "rev-parse", "HEAD");
    return isChange && isOnBase ? [] : ["the candidate is not the change on the base"];
  } catch (error) {
    return [`the candidate is not complete: ${error}`];
  }
}

/** The code of the receipt on stdout, which must be true. */
function printed(repo: string, run: Run, commit: string, problems: string[]): string | undefined {
  if (isStrikingStdout(run) && !run.stdout.endsWith("\n")) {
    if (run.status !== 1) problems.push(`its result was cut off, and it exited ${run.status}`);
    return undefined;
  }
  const receipt = parsed(run.stdout, "stdout", problems);
  if (receipt === undefined) return undefined;
  trueOf(repo, receipt, commit, "the receipt", problems);
  const code = String(receipt["code"]) as keyof typeof deliveryCodes;
  if (run.status !== deliveryCodes[code][1]) problems.push(`${code} exited ${run.status}`);
  if (!run.killed && code !== "OK" && !run.stderr.includes(`satyrn-engine: ${code}: `)) {
    problems.push(`stderr does not say ${code}`);
  }
  return code;
}

function trueOf(
  repo: string,
  receipt: Readonly<Record<string, unknown>>,
  commit: string,
  what: string,
  problems: string[],
): void {
  const { code, candidate_commit: named, worktree_path: kept } = receipt;
  if ((code === "OK") !== (commit !== ""))
    problems.push(`${what} says ${code}, and the ref is ${commit || "absent"}`);
  if (code === "OK" && named !== commit) problems.push(`${what} names ${named}, the ref ${commit}`);
  if (code === "CLEANUP_FAILED" && !(typeof kept === "string" && existsSync(kept))) {
    problems.push(`${what} says that ${kept} was kept`);
  }
  if (code !== "CLEANUP_FAILED" && kept !== null)
    problems.push(`${what} says ${code} and that ${kept} was kept`);
  const { commands = [] } = (receipt["verification"] ?? {}) as {
    commands?: readonly Record<string, unknown>[];
  };
  for (const stream of commands.flatMap((each) => [each["stdout"], each["stderr"]])) {
    const { path, sha256: digest, bytes } = stream as { path: string; sha256: string; bytes: number };
    const is = existsSync(path) ? readFileSync(path) : Buffer.from("absent");
    if (sha256(is) !== digest || is.length !== bytes) problems.push(`${what} is wrong about ${path}`);
  }
  if (existsSync(join(repo, "new"))) problems.push("the change is in the caller's tree");
}

/** Every receipt that is kept is whole and true, and the one that was printed. */
function keptReceipts(repo: string, run: Run, commit: string, problems: string[]): void {
  const folder = join(repo, ".git/satyrn/receipts/fix-1");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^[^.].*\.json$/.test(name)) : [];
  for (const name of names) {
    const text = readFileSync(join(folder, name), "utf8");
    const receipt = parsed(text, `the kept receipt ${name}`, problems);
    if (receipt !== undefined) trueOf(repo, receipt, commit, "the kept receipt", problems);
    if (run.stdout.endsWith("\n") && run.stdout !== text)
      problems.push("another receipt is kept than was printed");
  }
  const isSaid =
    run.stderr.includes("the receipt could not be kept: ") || run.stdout.includes('"base_commit":null');
  if (!run.killed && names.length !== (isSaid ? 0 : 1))
    problems.push(`${names.length} receipts are kept: ${run.stderr}`);
}

/** Keep files, parts of packs that no keep file names, and receipts that are not whole. */
function leftInRepository(repo: string): readonly string[] {
  const packs = join(repo, ".git/objects/pack");
  const names = existsSync(packs) ? readdirSync(packs) : [];
  const isNeeded = (name: string) => names.includes(name.replace(/\.pack$/, ".idx"));
  const parts = names.filter((name) => {
    if (name.endsWith(".keep")) return true;
    if (names.includes(name.replace(/\.[^.]*$/, ".keep"))) return false;
    return !/\.(idx|rev)$/.test(name) && !(name.endsWith(".pack") && isNeeded(name));
  });
  const receipts = join(repo, ".git/satyrn/receipts/fix-1");
  const unfinished = existsSync(receipts)
    ? readdirSync(receipts).filter((name) => !/^[^.].*\.json$/.test(name))
    : [];
  return [...parts.map((name) => join(packs, name)), ...unfinished.map((name) => join(receipts, name))];
}

/** Recovery, a collection of garbage and a prune of worktrees, none of which may hurt a delivery that is stopped. */
async function interfere(
  repo: string,
  env: Readonly<Record<string, string>>,
  release: () => void,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { result, path } of await recoverIn(repo, env, problems)) {
    if (result !== "in_use") problems.push(`recover, beside a delivery that is stopped: ${result} ${path}`);
  }
  git(repo, "gc", "--quiet", "--prune=now");
  git(repo, "worktree", "prune");
  release();
  return problems;
}
