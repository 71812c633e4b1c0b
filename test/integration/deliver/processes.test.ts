/** How many Git processes a delivery takes, whatever the repository. */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deliverIn, type Scene, scenes } from "../../support/delivery.ts";
import { git } from "../../support/repository.ts";

const newScene = scenes();

/** What each Git process of the engine's was asked, in a delivery that succeeds. */
async function asked(at: Scene): Promise<readonly string[]> {
  const programs = join(at.folder, "programs");
  const log = join(at.folder, "asked");
  mkdirSync(programs);
  const script = `#!/bin/sh\nLOG='${log}'\nskip=\nfor word; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case $word in -c) skip=1;; -*) ;; *) echo "$word" >> "$LOG"; break;; esac
done\nexec "${Bun.which("git")}" "$@"\n`;
  writeFileSync(join(programs, "git"), script, { mode: 0o755 });
  const env = { PATH: `${programs}:${process.env["PATH"]}` };
  const receipt = await deliverIn(at, "echo changed > a.txt", { env });
  expect([receipt.code, receipt.message]).toEqual(["OK", expect.anything()]);
  return readFileSync(log, "utf8").split("\n").filter(Boolean);
}

const plain = ["add", "config", "pack-objects", "reset", "rev-parse", "status", "status"];
const nine = [...plain, "update-ref", "write-tree"];

test("nine in a plain repository", async () => {
  expect([...(await asked(newScene()))].sort()).toEqual(nine);
});

test("one more where the index has no whole names, to learn what changed", async () => {
  const at = newScene();
  git(at.repo, "config", "index.version", "4");
  expect([...(await asked(at))].sort()).toEqual([...nine, "diff-index"].sort());
});

test("two more where the configuration has includes, and has to be asked for again", async () => {
  const at = newScene();
  git(at.repo, "config", "include.path", "/nowhere");
  expect([...(await asked(at))].sort()).toEqual([...nine, "config", "config"].sort());
});

test("at most twenty where files tell little", async () => {
  const at = newScene();
  git(at.repo, "config", "extensions.worktreeConfig", "true");
  git(at.repo, "config", "--worktree", "core.sparseCheckout", "false");
  git(at.repo, "replace", "HEAD:src/b.txt", git(at.repo, "rev-parse", "HEAD:a.txt"));
  const all = await asked(at);
  expect(all.length).toBeLessThanOrEqual(20);
  expect(all.length).toBeGreaterThan(12);
});
