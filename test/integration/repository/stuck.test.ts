/** A pipe in the place of a file that Git reads: no Git waits for it for ever. On Linux alone. */
import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { verify } from "../../../src/acceptance/verify.ts";
import { interruption } from "../../../src/process/interruption.ts";
import { recover } from "../../../src/recovery/recover.ts";
import { deliverIn, expectNothingLeft, scenes } from "../../support/delivery.ts";
import { git, gitEnvironment } from "../../support/repository.ts";
import { makeTask } from "../../support/task.ts";

const scene = scenes();
const waited = "it waited for the other end of a pipe that stands where it reads a file";
const pipe = (path: string) => expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);

describe.if(process.platform === "linux")("a pipe", () => {
  test.each([
    [".gitignore", "mkfifo .gitignore"],
    [".gitattributes", "mkfifo .gitattributes"],
    ["the .gitignore of a folder", "mkdir new && echo > new/file && mkfifo new/.gitignore"],
  ])("that the command makes of %s", async (_, command) => {
    const { code, message } = await deliverIn(scene(), `${command}; echo changed > a.txt`);
    expect([code, message]).toEqual(["GIT_FAILED", expect.stringMatching(new RegExp(`^git add: ${waited}`))]);
  });

  test("that the command has the configuration include", async () => {
    const at = scene();
    const path = join(at.folder, "pipe");
    pipe(path);
    const receipt = await deliverIn(at, `git config include.path '${path}'; echo changed > a.txt`, {
      touchesSource: true,
    });
    expect([receipt.code, receipt.candidate_commit]).toEqual(["COMMAND_CHANGED_GIT_STATE", null]);
    expect(receipt.message).toContain(waited);
    // Not in the repository, where Git would read it first.
    git(at.folder, "config", "--file", join(at.repo, ".git/config"), "--unset", "include.path");
    expectNothingLeft(at);
  });

  test("that it includes before", async () => {
    const at = scene();
    const path = join(at.folder, "pipe");
    pipe(path);
    const home = join(at.folder, "home");
    mkdirSync(home);
    await Bun.write(join(home, ".gitconfig"), `[include]\n\tpath = ${path}\n`);
    const env = { HOME: home, GIT_CONFIG_GLOBAL: join(home, ".gitconfig") };
    const receipt = await deliverIn(at, "echo changed > a.txt", { env });
    expect([receipt.code, receipt.command_exit]).toEqual(["GIT_FAILED", null]);
    expect(receipt.message).toContain(waited);
    const by = interruption();
    const recovered = await recover({
      repo: at.repo,
      env: { ...gitEnvironment(), ...env },
      interruption: by,
      dryRun: true,
    });
    by.dispose();
    expect(recovered).toMatchObject({ code: "GIT_FAILED", message: expect.stringContaining(waited) });
  });

  test("that a task's worktree has for a .gitignore", async () => {
    const task = makeTask();
    try {
      pipe(join(task.worktree, "src/.gitignore"));
      const outcome = await verify({ packet: task.packet() });
      expect(outcome).toMatchObject({ status: "BLOCKED", reason: expect.stringContaining(waited) });
    } finally {
      task.dispose();
    }
  });

  test("that is content, or that somebody writes to, holds nobody up", async () => {
    const at = scene();
    const path = join(at.folder, "pipe");
    pipe(path);
    const writer = Bun.spawn(["sh", "-c", 'while echo "[user]" > "$0"; do sleep 0.01; done', path]);
    try {
      git(at.repo, "config", "--file", ".git/config", "include.path", path);
      const receipt = await deliverIn(at, "mkfifo other; echo changed > a.txt", { touchesSource: true });
      expect(receipt.message).not.toContain(waited);
    } finally {
      writer.kill("SIGKILL");
      await writer.exited;
    }
  });
});
