/**
 * Shows one whole delivery, from contract to merged candidate, with the executable it builds: `bun run demo`.
 *
 * Everything happens in a clone of this project in a temporary folder, which is removed at the end. It needs
 * Git; it asks no model and, once the packages are there, no network.
 */
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { compile, executable } from "../build.ts";
import { routesGit } from "../src/process/environment.ts";
import { folderOfScript } from "./temporary.ts";

const root = join(import.meta.dir, "..");
const coloured = process.stdout.isTTY === true && !process.env["NO_COLOR"];

const contract = `id: exit-status-page
task: Write docs/exit-statuses.md, a table of the exit statuses in src/outcome.ts
writable_paths:
  - docs/*
acceptance:
  required_files: [docs/exit-statuses.md]
  verification_commands:
    - argv: [${JSON.stringify(process.execPath)}, test, test/unit/outcome.test.ts]
`;
const change = "scripts/demo-change.ts";
let steps = 0;
/** Whether what was written last ends with an empty line. */
let separated = false;

if (process.argv.length > 2) {
  console.error("demo: it takes no arguments");
  process.exit(2);
}
const folder = folderOfScript("demo");

try {
  await demonstrate();
} catch (error) {
  console.error(`demo: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}

async function demonstrate(): Promise<void> {
  say(
    "satyrn-engine runs a command - a script or a coding agent - in a throw-away copy of a repository, and",
    "turns what it changed into one commit to look at. This shows one such delivery, from start to end.",
  );

  step("Build the executable");
  await compile("src/main.ts", executable);
  say(executable);
  run([executable, "--version"]);

  step("Make a repository to try it on");
  const repo = makeRepository();
  say(`It is ${join(folder, repo)}, and stands for yours. This is how it is now:`);
  const before = stateOf(repo);
  write(indented(before));

  step("Write a contract: what is to be done, what may be touched, and what must hold afterwards");
  const file = "contract.yaml";
  writeFileSync(join(folder, file), contract);
  write(indented(contract));
  run([executable, "check", "--repo", repo, file]);
  say("Nothing printed: the contract is accepted.");

  step("Deliver: run a command in a worktree of its own, and make a candidate of what it changed");
  say(`The command is a small script, ${change}. It could as well be a coding agent.`);
  const receipt = deliver(repo, file, [process.execPath, join(root, change)], 0);
  say("The receipt is what the engine says about it, one JSON object:");
  write(indented(pretty(receipt)));

  step("Look at the candidate. It is a commit with a name of its own, on no branch");
  run(["git", "-C", repo, "show", ...(coloured ? ["--color=always"] : []), String(receipt["candidate_ref"])]);

  step("See that the repository's own files, index, branch and HEAD are as they were");
  const after = stateOf(repo);
  write(indented(after));
  if (after !== before) throw new Error("the repository changed, which must never happen");
  say("The same, line for line, and no worktree is left behind.");

  step("See what happens to a command that strays: this one deletes the licence as well");
  const strays = "strays.yaml";
  writeFileSync(join(folder, strays), contract.replace("exit-status-page", "strays"));
  const refused = deliver(repo, strays, ["git", "rm", "--quiet", "LICENSE"], 8);
  say(`Exit status 8, and the receipt's code is ${refused["code"]}. No candidate, nothing changed.`);
  if (stateOf(repo) !== before) throw new Error("the repository changed, which must never happen");

  step("Bring the candidate in - your decision, with plain Git - and drop its name");
  run(["git", "-C", repo, "merge", "--ff-only", String(receipt["candidate_ref"])]);
  run(["git", "-C", repo, "update-ref", "-d", String(receipt["candidate_ref"])]);

  rmSync(folder, { recursive: true });
  step("That was all. The temporary repository is gone; the executable stays");
  write(`${goingOn()}\n`);
}

/** A clone of this project, or, where it is no repository with a commit, a new one made of its files. */
function makeRepository(): string {
  const repo = "project";
  const clone = git(["clone", "--quiet", root, repo]);
  if (clone.exitCode === 0 && git(["-C", repo, "rev-parse", "--quiet", "--verify", "HEAD"]).exitCode === 0)
    return repo;
  const local = new Set(["node_modules", "dist", ".git"]);
  rmSync(join(folder, repo), { recursive: true, force: true });
  cpSync(root, join(folder, repo), { recursive: true, filter: (path) => !local.has(basename(path)) });
  const author = ["-c", "user.name=Demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgSign=false"];
  for (const words of [
    ["init", "--quiet"],
    ["add", "--all"],
    [...author, "commit", "--quiet", "-m", "All"],
  ]) {
    const made = git(["-C", repo, ...words]);
    if (made.exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${made.stderr.toString().trim()}`);
  }
  return repo;
}

/** What a delivery must leave as it is. */
function stateOf(repo: string): string {
  const ask = (...words: string[]) =>
    git(["-C", repo, ...words])
      .stdout.toString()
      .trim();
  return [
    `branch     ${ask("branch", "--show-current") || "none (detached)"}`,
    `HEAD       ${ask("rev-parse", "HEAD")}`,
    `index      ${ask("write-tree")}`,
    `changes    ${ask("status", "--porcelain", "--ignored") || "none"}`,
    `worktrees  ${ask("worktree", "list", "--porcelain").match(/^worktree /gm)?.length}`,
  ].join("\n");
}

function deliver(
  repo: string,
  file: string,
  command: readonly string[],
  expected: number,
): Readonly<Record<string, unknown>> {
  const delivery = run([executable, "deliver", "--repo", repo, file, "--", ...command], expected);
  return JSON.parse(delivery) as Record<string, unknown>;
}

/** Shows a command, runs it, and shows what it says; a delivery's receipt is shown by the caller. */
function run(argv: readonly string[], expected = 0): string {
  write(`${colour("1", `  $ ${argv.map(shown).join(" ")}`)}\n`);
  const child = spawn(argv);
  const stdout = child.stdout.toString();
  const receipt = argv[1] === "deliver";
  write(indented(`${child.stderr}${receipt ? "" : stdout}`) || "\n");
  if (child.exitCode !== expected) {
    throw new Error(`${argv.map(shown).join(" ")} ended with ${child.exitCode}, not ${expected}`);
  }
  return stdout;
}

function git(words: readonly string[]) {
  return spawn(["git", ...words]);
}

function spawn(argv: readonly string[]) {
  if (argv[0] === "git" && Bun.which("git") === null)
    throw new Error("git is not on PATH: install Git first");
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !routesGit(name)));
  return Bun.spawnSync([...argv], { env, cwd: folder, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
}

/** JSON whose innermost lists and objects take one line each. */
function pretty(receipt: unknown): string {
  const json = JSON.stringify(receipt, null, 2);
  return json.replace(/([[{])\n\s*([^[\]{}]*?)\n\s*([\]}])/g, (_, opening, inside: string, closing) =>
    [opening, inside.replace(/\n\s*/g, " "), closing].join(""),
  );
}

/** A word as one would type it, with the long paths of the demo shortened to what they are on PATH. */
function shown(word: string): string {
  if (word === executable) return "satyrn-engine";
  if (word === process.execPath) return "bun";
  return quoted(word);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`;
}

function goingOn(): string {
  const c = (line: string) => colour("1", line);
  return `Your own repository, your own agent - the agent is the command. Put the executable on PATH:

${c(`  install -m 755 ${quoted(executable)} ~/.local/bin/satyrn-engine`)}

Write a contract (id and task are enough), keep it outside the repository or commit it, and deliver.
The task is in SATYRN_TASK, which a shell in the worktree must expand, hence the single quotes:

${c(`  satyrn-engine deliver --repo . --timeout 900 c.yaml -- \\
      sh -c 'claude -p "$SATYRN_TASK" --permission-mode acceptEdits'`)}

or, in place of claude's line (give the agent leave to edit files, and keep it from committing):

${c(`      sh -c 'codex exec --sandbox workspace-write "$SATYRN_TASK"'
      sh -c 'aider --yes-always --no-auto-commits --no-gitignore --message "$SATYRN_TASK"'
      sh -c 'pi -p "$SATYRN_TASK"'`)}

Look at a candidate, bring it in, or drop it, with plain Git:

${c(`  git show refs/satyrn/candidates/ID/head
  git merge --ff-only refs/satyrn/candidates/ID/head     # or: git cherry-pick, if HEAD went on
  git update-ref -d refs/satyrn/candidates/ID/head`)}

More: README.md, docs/deliver.md, and satyrn-engine --help.`;
}

function step(title: string): void {
  steps++;
  write(`${separated ? "" : "\n"}${colour("1;36", `${steps}. ${title}`)}\n\n`);
}

function say(...lines: readonly string[]): void {
  write(`${lines.join("\n")}\n`);
}

function indented(text: string): string {
  const lines = text.trimEnd();
  return lines === "" ? "" : `${lines.replace(/^(?=.)/gm, "    ")}\n\n`;
}

function colour(code: string, text: string): string {
  return coloured ? `\u001b[${code}m${text}\u001b[0m` : text;
}

function write(text: string): void {
  separated = text === "\n" || text.endsWith("\n\n") || (separated && text === "");
  process.stdout.write(text);
}
