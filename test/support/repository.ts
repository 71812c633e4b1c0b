/** Real Git repositories to test against, and the proof that an operation left them as they were. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

interface TemporaryFolder {
  readonly path: string;
  dispose(): void;
}

/** A new empty folder, by its real path, removed by `dispose`. */
export function temporaryFolder(name = "satyrn test "): TemporaryFolder {
  return folderBelow(tmpdir(), name);
}

/** One whose path can stand in a variable that is split at spaces, wherever else temporary files go. */
export function folderWithoutSpace(name: string): TemporaryFolder {
  return folderBelow(tmpdir().includes(" ") && process.platform !== "win32" ? "/tmp" : tmpdir(), name);
}

function folderBelow(parent: string, name: string): TemporaryFolder {
  const path = realpathSync(mkdtempSync(join(parent, name)));
  return { path, dispose: () => removed(path) };
}

/** On Windows what a process had open stays in the way for a moment after its end. */
function removed(path: string): void {
  for (let tries = process.platform === "win32" ? 50 : 1; ; tries--) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if (tries <= 1) throw error;
      Bun.sleepSync(100);
    }
  }
}

/** By its path: on Windows a bare name is looked up in the working directory first, where tests plant others. */
const gitProgram = Bun.which("git") ?? "git";

/** Runs Git in `repo` with a configuration of its own, and gives its stdout without the last newline. Throws if it fails. */
export function git(repo: string, ...args: readonly string[]): string {
  const run = Bun.spawnSync([gitProgram, ...args], { cwd: repo, env: gitEnvironment(), stderr: "pipe" });
  if (run.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${run.stderr.toString()}`);
  return run.stdout.toString().replace(/\n$/, "");
}

/** An environment in which Git reads no configuration of the person who runs the tests. */
export function gitEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !name.startsWith("GIT_")) env[name] = value;
  }
  env["GIT_CONFIG_NOSYSTEM"] = "1";
  env["GIT_CONFIG_GLOBAL"] = "/dev/null";
  for (const role of ["AUTHOR", "COMMITTER"]) {
    env[`GIT_${role}_NAME`] = "A Person";
    env[`GIT_${role}_EMAIL`] = "person@localhost";
  }
  return env;
}

/** Writes `files` (path to content) below `root`, making folders as needed. */
export function writeFiles(root: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** Makes `path` a repository with one commit that holds `files`. */
export function makeRepository(
  path: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  init: readonly string[] = [],
): void {
  mkdirSync(path, { recursive: true });
  git(path, "init", "-q", "-b", "main", ...init);
  writeFiles(path, files);
  git(path, "add", "-A");
  git(path, "commit", "-q", "--allow-empty", "-m", "base");
}

/**
 * Everything of a repository that no operation may change: every byte and mode of the working tree, the index
 * (its bytes and times), HEAD, every ref, the configuration, and the registered worktrees.
 */
export function snapshot(repo: string): Record<string, string> {
  const state: Record<string, string> = {};
  for (const name of readdirSync(repo, { recursive: true, encoding: "buffer" })) {
    const path = Buffer.concat([Buffer.from(`${repo}/`), name]);
    const relative = name.toString("latin1");
    if (/^\.git(?:$|[\\/])/.test(relative)) continue;
    const stat = lstatSync(path, { bigint: true });
    const content = stat.isSymbolicLink()
      ? readlinkSync(path).toString()
      : stat.isFile()
        ? digest(readFileSync(path))
        : "";
    state[`tree ${relative}`] = `${stat.mode.toString(8)} ${stat.mtimeNs} ${content}`;
  }
  const gitDirectory = git(repo, "rev-parse", "--absolute-git-dir");
  const common = git(repo, "rev-parse", "--path-format=absolute", "--git-common-dir");
  const index = join(gitDirectory, "index");
  const indexStat = lstatSync(index, { bigint: true, throwIfNoEntry: false });
  state["index"] =
    indexStat === undefined ? "none" : `${indexStat.mtimeNs} ${indexStat.ino} ${digest(readFileSync(index))}`;
  state["HEAD"] = readFileSync(join(gitDirectory, "HEAD"), "utf8");
  state["refs"] = git(repo, "for-each-ref", "--format=%(refname) %(objectname) %(symref)");
  state["config"] = readFileSync(join(common, "config"), "utf8");
  state["worktrees"] = git(repo, "worktree", "list", "--porcelain");
  return state;
}

function digest(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
