/** Objects of a repository, many questions to one process. */
import { type Result, refusal, success } from "../outcome.ts";
import { type GitContext, gitFailed } from "../repository/git.ts";
import { ask } from "./git.ts";

export interface GitObject {
  /** `blob`, `tree`, `commit` or `tag`. */
  readonly type: string;
  /** Empty unless the content was asked for. */
  readonly content: Buffer;
}

export interface ObjectQuestion {
  /** As Git names objects: a full commit id, or `<commit>:<path>`. */
  readonly name: string;
  readonly asking: "info" | "contents";
}

/**
 * The objects asked for, undefined for those that are missing.
 *
 * `git cat-file --batch-command` (Git 2.36) takes one name a line; a name with a line feed in it is asked for
 * by itself. A path that no tree can hold is not asked for: Git would read it up to its NUL, or break off the
 * whole list over a `..`.
 */
export async function readObjects(
  git: GitContext,
  questions: readonly ObjectQuestion[],
): Promise<Result<readonly (GitObject | undefined)[], "GIT_FAILED">> {
  const possible = questions.filter(({ name }) => !/\0|[:/]\.\.(?:\/|$)/.test(name));
  const plain = possible.filter(({ name }) => !name.includes("\n"));
  const batch = plain.length === 0 ? success([]) : await askBatch(git, plain);
  if (!batch.ok) return batch;
  const answers = batch.value.values();
  const objects: (GitObject | undefined)[] = [];
  for (const question of questions) {
    if (!possible.includes(question)) objects.push(undefined);
    else if (question.name.includes("\n")) objects.push(await askOne(git, question.name));
    else objects.push(answers.next().value);
  }
  return success(objects);
}

async function askBatch(
  git: GitContext,
  questions: readonly ObjectQuestion[],
): Promise<Result<readonly (GitObject | undefined)[], "GIT_FAILED">> {
  const input = questions.map(({ name, asking }) => `${asking} ${name}\n`).join("");
  const args = ["cat-file", "--batch-command", "--buffer"];
  const run = await ask(git, args, { stdin: input });
  if (run.status !== 0) return gitFailed(args, run);
  const objects: (GitObject | undefined)[] = [];
  let at = 0;
  for (const { asking } of questions) {
    const end = run.stdout.indexOf(10, at);
    const line = run.stdout.subarray(at, end < 0 ? undefined : end).toString("utf8");
    if (end < 0) return refusal("GIT_FAILED", "git cat-file answered fewer questions than it was asked");
    const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(line) ?? [];
    at = end + 1;
    if (type === undefined || asking === "info") {
      objects.push(type === undefined ? undefined : { type, content: Buffer.alloc(0) });
      continue;
    }
    objects.push({ type, content: run.stdout.subarray(at, at + Number(size)) });
    at += Number(size) + 1;
  }
  return success(objects);
}

async function askOne(git: GitContext, name: string): Promise<GitObject | undefined> {
  const type = await ask(git, ["cat-file", "-t", name]);
  if (type.status !== 0) return undefined;
  const content = await ask(git, ["cat-file", "-p", name]);
  return { type: type.stdout.toString("utf8").trim(), content: content.stdout };
}
