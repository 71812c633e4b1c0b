import { expect, test } from "bun:test";
import { gitEnvironment, runGit } from "../../../src/repository/git.ts";
import { readTrace, tracing } from "../../../src/repository/git-version.ts";
import { git } from "../../support/repository.ts";

test("the Git that is here says in its trace what it says when it is asked", async () => {
  const program = Bun.which("git") ?? "";
  const env = { ...gitEnvironment(process.env), ...tracing };
  const run = await runGit({ program, cwd: "/", env }, ["rev-parse", "--is-inside-work-tree", "--nonsense"]);
  if (!run.ok) throw new Error(run.message);
  const { version, run: told } = readTrace(run.value);
  expect(`git version ${version}`).toBe(git("/", "version"));
  expect(told.status).not.toBe(0);
  expect(told.stderr).toContain("fatal: ");
  expect(told.stderr).not.toContain("event");
});
