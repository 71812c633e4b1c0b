/** Repositories that several people share: what a delivery leaves there has the permissions Git would give it. */
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Receipt } from "../../../src/delivery/receipt-schema.ts";
import { scenes } from "../../support/delivery.ts";
import { engine, executable } from "../../support/engine.ts";
import { git, gitEnvironment } from "../../support/repository.ts";

const scene = scenes();
const acceptance = "acceptance: {verification_commands: [{cmd: 'true'}]}";
const contract = (id: string) => `id: ${id}\ntask: t\n${acceptance}\n`;
const isWindows = process.platform === "win32";

for (const umask of ["022", "077"]) {
  for (const setting of ["group", "all", "0640", "0660", "umask"]) {
    test.skipIf(isWindows)(`core.sharedRepository=${setting} under the umask ${umask}`, async () => {
      const at = scene(contract("c"));
      git(at.repo, "config", "core.sharedRepository", setting);
      rmSync(join(at.repo, ".git/objects/pack"), { recursive: true });
      const wrapper = ["sh", "-c", `umask ${umask}; exec "$@"`, "sh"];
      const env = { ...gitEnvironment(), TMPDIR: at.temporary };
      const command = ["sh", "-c", "echo > new"];
      const run = await engine(["deliver", "--repo", at.repo, at.contract, "--", ...command], {
        wrapper,
        env,
      });
      expect(run).toMatchObject({ status: 0, stderr: "" });
      const mode = (path: string) => (statSync(join(at.repo, ".git", path)).mode & 0o7777).toString(8);
      // Git itself made these two.
      const [folder, file] = [mode("refs/satyrn/candidates"), mode("refs/satyrn/candidates/c/head")];
      for (const kept of [
        "satyrn",
        "satyrn/receipts",
        "satyrn/receipts/c",
        "satyrn/evidence/c",
        "objects/pack",
      ])
        expect([kept, mode(kept)]).toEqual([kept, folder]);
      expect(mode("satyrn/worktrees.lock")).toBe(file);
      const packs = readdirSync(join(at.repo, ".git/objects/pack"));
      const readable = (Number.parseInt(file, 8) & 0o444).toString(8);
      expect(packs.map((name) => mode(`objects/pack/${name}`))).toEqual([readable, readable]);
    });
  }
}

test("two people deliver in one repository, and look at each other's candidates", async () => {
  const at = scene();
  const setpriv = Bun.which("setpriv");
  const as = (person: number) => [setpriv ?? "", `--reuid=${person}`, "--regid=65533", "--clear-groups"];
  chmodSync(at.folder, 0o755);
  if (
    process.getuid?.() !== 0 ||
    setpriv === null ||
    Bun.spawnSync([...as(65532), "test", "-x", executable, "-a", "-r", at.contract]).exitCode !== 0
  ) {
    console.log("skipped: needs root and setpriv, to be two people, who can reach the executable");
    return;
  }
  const repo = join(at.folder, "shared");
  const environmentOf = (person: number) => {
    const home = join(at.folder, String(person));
    mkdirSync(home);
    writeFileSync(join(home, ".gitconfig"), "[safe]\n\tdirectory = *\n[user]\n\tname = a\n\temail = a@b\n");
    Bun.spawnSync(["chown", "-R", String(person), home]);
    const { GIT_CONFIG_GLOBAL: _, ...env } = gitEnvironment();
    return { ...env, HOME: home, TMPDIR: home };
  };
  const [one, other] = [65531, 65532].map((person) => ({ as: as(person), env: environmentOf(person) }));
  if (one === undefined || other === undefined) throw new Error("two people");
  mkdirSync(repo);
  Bun.spawnSync(["chown", "65531:65533", repo]);
  const make =
    'umask 022; git init -q --shared=group "$0" && cd "$0" && echo > f && git add f && git commit -q -m c';
  expect(Bun.spawnSync([...one.as, "sh", "-c", make, repo], { env: one.env }).exitCode).toBe(0);
  const deliver = async (person: typeof one, id: string, ...more: readonly string[]) => {
    writeFileSync(at.contract, contract(id));
    const words = ["deliver", "--repo", repo, ...more, at.contract, "--", "touch", `new-${id}`];
    const wrapper = [...person.as, "sh", "-c", 'umask 022; exec "$@"', "sh"];
    const run = await engine(words, { wrapper, env: person.env });
    const receipt: Receipt = JSON.parse(run.stdout);
    return [receipt.code, run.stderr];
  };
  expect(await deliver(one, "a")).toEqual(["OK", ""]);
  expect(await deliver(other, "b", "--base", "refs/satyrn/candidates/a/head")).toEqual(["OK", ""]);
  // As it is in a repository that people share by their umask alone.
  chmodSync(join(repo, ".git/satyrn/worktrees.lock"), 0o644);
  const taken = await deliver(other, "a");
  expect(taken).toEqual(["CANDIDATE_EXISTS", expect.not.stringContaining("could not be kept")]);
  expect(await deliver(other, "d")).toEqual(["OK", ""]);
  expect(await deliver(one, "c", "--base", "refs/satyrn/candidates/b/head")).toEqual(["OK", ""]);
});
