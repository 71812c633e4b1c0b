import { expect, test } from "bun:test";
import { repositoryVariables } from "../../../src/process/environment.ts";

test("the variables kept from a command include all that the installed Git calls local to a repository", () => {
  const run = Bun.spawnSync(["git", "rev-parse", "--local-env-vars"]);
  const listed = run.stdout.toString().trim().split("\n");
  expect(listed).toContain("GIT_DIR");
  expect(repositoryVariables).toEqual(expect.arrayContaining(listed));
});
