/** A task for acceptance: a repository with its inputs committed, a worktree of its own, and its packet. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { git, makeRepository, temporaryFolder, writeFiles } from "./repository.ts";

export interface TaskOptions {
  /** What is expected; `{}` if it is left out. */
  readonly expected?: unknown;
  /** More files of the commit that holds the inputs. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Files of the candidate commit. */
  readonly change?: Readonly<Record<string, string>>;
  /** Name of the worktree's folder. */
  readonly name?: string;
  readonly init?: readonly string[];
  readonly reviewRequirements?: readonly string[];
}

export interface TestTask {
  readonly folder: string;
  readonly worktree: string;
  readonly inputs: string;
  readonly source: string;
  /** Writes the packet with `changes` applied; gives its path. */
  packet(changes?: Readonly<Record<string, unknown>>): string;
  /** Writes a submission for the candidate, with `changes` applied; gives its path. */
  submission(changes?: Readonly<Record<string, unknown>>): string;
  /** Writes a review below `.devlyn`, with `changes` applied; gives its path relative to the worktree. */
  review(name: string, changes?: Readonly<Record<string, unknown>>): string;
  git(...args: readonly string[]): string;
  dispose(): void;
}

export function makeTask(options: TaskOptions = {}): TestTask {
  const { path: folder, dispose } = temporaryFolder();
  const main = join(folder, "main");
  const worktree = join(folder, options.name ?? "Arbeitsbäume mine", "task");
  const files = {
    "README.md": "a project\n",
    "docs/specs/queue.md": "- R1\n",
    "tasks/T1/meta.json": "{}\n",
    "tasks/T1/contract.md": "# R1\n",
    "tasks/T1/expected.json": `${JSON.stringify(options.expected ?? {})}\n`,
    ...options.inputs,
  };
  makeRepository(main, files, options.init);
  const inputs = git(main, "rev-parse", "HEAD");
  mkdirSync(dirname(worktree), { recursive: true });
  git(main, "worktree", "add", "-q", "-b", "task/T1", worktree);
  writeFiles(worktree, options.change ?? { "src/a.txt": "one\n" });
  git(worktree, "add", "-A");
  git(worktree, "commit", "-q", "--allow-empty", "-m", "candidate");
  const source = git(worktree, "rev-parse", "HEAD");
  const at = (name: string) => join(realpathSync(worktree), "tasks/T1", name);
  const digest = (name: string) =>
    new Bun.CryptoHasher("sha256")
      .update(Bun.spawnSync(["git", "cat-file", "blob", `${inputs}:tasks/T1/${name}`], { cwd: main }).stdout)
      .digest("hex");
  const bound = (name: string) => ({ path: at(name), sha256: digest(name) });
  const packet = {
    task: "T1",
    worktree,
    branch: "task/T1",
    inputs_sha: inputs,
    allocation_base: inputs,
    contract: bound("contract.md"),
    expected: bound("expected.json"),
    meta: bound("meta.json"),
    requirements: ["R1", "R2"],
    review_requirements: options.reviewRequirements ?? [],
  };
  const write = (path: string, value: unknown) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
    return path;
  };
  return {
    folder,
    worktree,
    inputs,
    source,
    packet: (changes = {}) => write(join(folder, "packet.json"), { ...packet, ...changes }),
    submission: (changes = {}) =>
      write(join(folder, "submission.json"), {
        schema_version: 1,
        task: "T1",
        source_sha: source,
        ...changes,
      }),
    review: (name, changes = {}) => {
      const place = `.devlyn/reviews/${name}`;
      write(join(worktree, place), {
        schema_version: 1,
        kind: "devlyn-review",
        task: "T1",
        engine: "an engine",
        model: "a model",
        source_sha: source,
        contract_sha256: packet.contract.sha256,
        expected_sha256: packet.expected.sha256,
        requirements: ["R1", "R2"],
        findings: [],
        ...changes,
      });
      return place;
    },
    git: (...args) => git(worktree, ...args),
    dispose,
  };
}
