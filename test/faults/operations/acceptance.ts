/** `verify` and `accept` of a task whose candidate is committed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { engine } from "../../support/engine.ts";
import { git, makeRepository, writeFiles } from "../../support/repository.ts";
import {
  differences,
  everythingIn,
  isPause,
  isStrikingStdout,
  type Operation,
  parsed,
  type Run,
  sha256,
  type World,
} from "../operation.ts";
import { copied, environmentIn, expectRecovered, letTenSecondsPass, privateFolders } from "./world.ts";

export const verify = operation("verify");
export const accept = operation("accept");

/** An acceptance of an earlier time: it is there whole, or the new one is. */
const earlier = '{"earlier":true}\n';

function operation(name: "verify" | "accept"): Operation {
  return {
    name,
    async world(): Promise<World> {
      const { path: folder, dispose } = await copied(name, (path) => makeTemplate(name, path));
      const worktree = join(folder, "repo");
      const loop = join(worktree, ".devlyn/loop");
      const env = environmentIn(folder);
      const argv = [name, "--packet", writePacket(folder)];
      if (name === "accept") argv.push("--submission", writeSubmission(folder));
      const look = () => everythingIn(worktree, /^(\.git\/(objects|satyrn)|\.devlyn\/loop)$|^\.devlyn$/);
      const before = look();
      return {
        folder,
        cwd: folder,
        env,
        argv,
        // The same, beside it.
        async interfere(release) {
          const run = await engine(argv, { env });
          release();
          return run.status === 0 ? [] : [`the other got ${run.status}: ${run.stderr}`];
        },
        async judge(run) {
          const problems: string[] = [...differences(before, look())];
          const status = printed(run, problems);
          const results = resultsIn(loop, problems);
          const ours = results.filter(({ path }) => !isPause(run.at?.fault) || path === status?.result);
          expectTrue(name, loop, run, status, ours, problems);
          const unfinished = unfinishedIn(loop);
          if (!run.killed && unfinished.length > 0 && !/^unlink/.test(run.at?.at ?? ""))
            problems.push(`left: ${unfinished}`);
          const found = await expectRecovered(worktree, env, () => privateFolders(env), problems);
          await expectNextIsWell(loop, unfinished, () => engine(argv, { env }), problems);
          const isNew = ours.some(
            ({ path, kind }) => kind === "new" && (name === "verify" || dirname(path) === loop),
          );
          const left = unfinished.length > 0 ? "removed by the next" : found;
          return {
            problems,
            found: `${run.killed ? "killed" : (status?.status ?? "cut off")}, ${isNew ? "new" : "no new"} result, ${left}`,
          };
        },
        dispose,
      };
    },
  };
}

const checks = [
  { argv: ["cat", "src/a.txt"], stdout_contains: ["one"] },
  { argv: ["cat", "README.md"], contract_refs: ["R1"] },
];

/** A task's repository; for `accept` with a review, an earlier result of which half stands, and an earlier verdict. */
async function makeTemplate(name: "verify" | "accept", folder: string): Promise<void> {
  const repo = join(folder, "repo");
  const files = {
    "README.md": "a project\n",
    "tasks/T1/meta.json": "{}\n",
    "tasks/T1/contract.md": "# R1\n",
    "tasks/T1/expected.json": JSON.stringify({ verification_commands: checks }),
  };
  makeRepository(repo, files, ["--template="]);
  git(repo, "switch", "-q", "-c", "task/T1");
  writeFiles(repo, { "src/a.txt": "one\n" });
  git(repo, "add", "-A");
  git(repo, "commit", "-q", "-m", "candidate");
  if (name === "verify") return;
  const run = await engine(["verify", "--packet", writePacket(folder)], { env: environmentIn(folder) });
  if (run.status !== 0) throw new Error(run.stderr);
  rmSync(join(repo, ".devlyn/loop/runs/1/cmd-1.stdout"));
  const { contract, expected } = boundFiles(repo);
  const review = {
    ...{ schema_version: 1, kind: "devlyn-review", task: "T1", engine: "an engine", model: "a model" },
    ...{ source_sha: git(repo, "rev-parse", "HEAD"), requirements: ["R1"], findings: [] },
    ...{ contract_sha256: contract.sha256, expected_sha256: expected.sha256 },
  };
  mkdirSync(join(repo, ".devlyn/reviews"));
  writeFileSync(join(repo, ".devlyn/reviews/one.json"), JSON.stringify(review));
  writeFileSync(join(repo, ".devlyn/loop/acceptance.json"), earlier);
}

function boundFiles(repo: string) {
  const bound = (file: string) => {
    const path = join(repo, "tasks/T1", file);
    return { path, sha256: sha256(readFileSync(path)) };
  };
  return { contract: bound("contract.md"), expected: bound("expected.json"), meta: bound("meta.json") };
}

function writePacket(folder: string): string {
  const worktree = join(folder, "repo");
  const inputs = git(worktree, "rev-parse", "HEAD~1");
  const packet = {
    ...{ task: "T1", worktree, branch: "task/T1", inputs_sha: inputs, allocation_base: inputs },
    ...boundFiles(worktree),
    ...{ requirements: ["R1"], review_requirements: ["R1"] },
  };
  const path = join(folder, "packet.json");
  writeFileSync(path, JSON.stringify(packet));
  return path;
}

function writeSubmission(folder: string): string {
  const submission = {
    ...{ schema_version: 1, task: "T1", source_sha: git(join(folder, "repo"), "rev-parse", "HEAD") },
    ...{ runner_results: [".devlyn/loop/runs/1/result.json"], reviews: [".devlyn/reviews/one.json"] },
  };
  const path = join(folder, "submission.json");
  writeFileSync(path, JSON.stringify(submission));
  return path;
}

interface Printed {
  readonly status: string;
  readonly passed?: boolean;
  readonly result?: string;
}

function printed(run: Run, problems: string[]): Printed | undefined {
  if (run.killed && !run.stdout.endsWith("\n")) return undefined;
  if (isStrikingStdout(run) && !run.stdout.endsWith("\n")) {
    if (run.status !== 1) problems.push(`its result was cut off, and it exited ${run.status}`);
    return undefined;
  }
  const line = parsed(run.stdout, "stdout", problems) as Printed | undefined;
  if (line === undefined) return undefined;
  const checked = line.passed === true ? 0 : 21;
  const status = { CHECKED: checked, ACCEPTED: 0, FAILED: 21, BLOCKED: 20 }[line.status];
  if (!run.killed && run.status !== status) problems.push(`${line.status} exited ${run.status}`);
  if (isPause(run.at?.fault) && status !== 0) problems.push(`released, it said ${run.stdout}`);
  return line;
}

interface ResultFile {
  readonly path: string;
  readonly kind: "old" | "new";
  readonly value: Record<string, unknown>;
}

/** Every result file, which must be whole, and whose records must be of the streams that are there. */
function resultsIn(loop: string, problems: string[]): readonly ResultFile[] {
  const runs = join(loop, "runs");
  const numbers = existsSync(runs) ? readdirSync(runs) : [];
  const paths = [
    join(loop, "acceptance.json"),
    ...numbers.map((number) => join(runs, number, "result.json")),
  ];
  return paths.filter(existsSync).flatMap((path): readonly ResultFile[] => {
    const text = readFileSync(path, "utf8");
    if (text === earlier) return [{ path, kind: "old", value: {} }];
    const value = parsed(text, path, problems);
    return value === undefined ? [] : [{ path, kind: "new", value }];
  });
}

/** What was printed agrees with the result file, and the result file with the streams. */
function expectTrue(
  name: "verify" | "accept",
  loop: string,
  run: Run,
  status: Printed | undefined,
  results: readonly ResultFile[],
  problems: string[],
): void {
  const acceptance = join(loop, "acceptance.json");
  if (name === "accept" && !existsSync(acceptance)) problems.push("the earlier verdict is lost");
  const isResult = (path: string) => (name === "verify" ? path.endsWith("result.json") : path === acceptance);
  const result = results.find(({ path, kind }) => isResult(path) && kind === "new");
  if (result !== undefined) expectStreams(loop, result, problems);
  if (status === undefined) return;
  if ((status.status === "BLOCKED") !== (result === undefined)) {
    problems.push(`it says ${status.status}, and the result is ${result === undefined ? "absent" : "there"}`);
  }
  if (result === undefined) return;
  if (status.result !== result.path) problems.push(`it names ${status.result}, not ${result.path}`);
  const { reasons, verdict } = result.value as { reasons: readonly string[]; verdict?: string };
  if (name === "accept" && verdict !== status.status)
    problems.push(`it says ${status.status}, the file ${verdict}`);
  if (name === "verify" && (reasons.length === 0) !== status.passed) {
    problems.push(`it says passed: ${status.passed}, the file ${reasons}`);
  }
  if (run.at === undefined && reasons.length > 0) problems.push(reasons.join("; "));
}

function expectStreams(loop: string, { path, value }: ResultFile, problems: string[]): void {
  const commands = value["commands"] as Record<"stdout" | "stderr", { path: string; sha256: string }>[];
  for (const { path: place, sha256: digest } of commands.flatMap(({ stdout, stderr }) => [stdout, stderr])) {
    const file = join(loop, "../..", place);
    const found = existsSync(file) ? sha256(readFileSync(file)) : "absent";
    if (found !== digest) problems.push(`${path} is wrong about ${place}`);
  }
}

/** Parts of files; but a run's folder that has no result is unfinished as a whole, and nothing goes by it. */
function unfinishedIn(loop: string): readonly string[] {
  if (!existsSync(loop)) return [];
  return readdirSync(loop, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && !/^(acceptance\.json|result\.json|cmd-\d+\.std(out|err))$/.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => dirname(path) === loop || existsSync(join(dirname(path), "result.json")));
}

/** Whatever was left, the next run does well and takes it away. */
async function expectNextIsWell(
  loop: string,
  unfinished: readonly string[],
  runAgain: () => ReturnType<typeof engine>,
  problems: string[],
): Promise<void> {
  for (const path of unfinished) letTenSecondsPass(path);
  const next = await runAgain();
  if (next.status !== 0) problems.push(`the next run exited ${next.status}: ${next.stderr}`);
  for (const path of unfinishedIn(loop)) problems.push(`left by the next run: ${path}`);
}
