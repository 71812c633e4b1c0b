/** The commit the engine writes itself, held against the one that Git makes of the same. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { commitCandidate } from "../../../src/repository/commit.ts";
import { git, gitEnvironment, makeRepository, temporaryFolder } from "../../support/repository.ts";

const now = new Date(1_700_000_000_000);
const ids = ["fix-1", "ümläut ✓ 火", "x".repeat(200), "-f", 'quote"'];

test.each(["sha1", "sha256"])("is git commit-tree's, byte for byte: %s", (format) => {
  const { path, dispose } = temporaryFolder();
  try {
    makeRepository(path, { "a.txt": "one\n" }, [`--object-format=${format}`]);
    const [base = "", tree = ""] = git(path, "rev-parse", "HEAD", "HEAD^{tree}").split("\n");
    const objects = join(path, ".git/objects");
    for (const id of ids) {
      const message = `candidate: ${id}\n\nbase: ${base}\n`;
      const made = commitCandidate({ base }, { objects }, tree, id, now);
      const env: Record<string, string> = { ...gitEnvironment(), TZ: "UTC" };
      for (const role of ["AUTHOR", "COMMITTER"]) {
        env[`GIT_${role}_NAME`] = "satyrn-engine";
        env[`GIT_${role}_EMAIL`] = "satyrn-engine@localhost";
        env[`GIT_${role}_DATE`] = "1700000000";
      }
      const run = Bun.spawnSync(["git", "commit-tree", tree, "-p", base, "-F", "-"], {
        cwd: path,
        env,
        stdin: Buffer.from(message),
      });
      expect(made).toEqual({ ok: true, value: run.stdout.toString().trim() });
    }
    expect(git(path, "fsck", "--strict", "--no-dangling")).toBe("");
  } finally {
    dispose();
  }
});

test("is refused where it cannot be written", () => {
  const base = "0".repeat(40);
  const made = commitCandidate({ base }, { objects: "/dev/null/objects" }, base, "x", now);
  expect(made).toMatchObject({ ok: false, code: "GIT_FAILED" });
});
