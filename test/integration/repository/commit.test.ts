/** The commit the engine writes itself, held against the one that Git makes of the same. */
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { commitCandidate } from "../../../src/repository/commit.ts";
import { git, gitEnvironment, makeRepository, temporaryFolder } from "../../support/repository.ts";

const zone = process.env["TZ"];
afterEach(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

const now = new Date(1_700_000_000_000);
const ids = ["fix-1", "ümläut ✓ 火", "x".repeat(200), "-f", 'quote"'];
const cases = ["sha1", "sha256"].flatMap((format) =>
  ["UTC", "Asia/Kolkata", "America/St_Johns", "Pacific/Chatham"].map((place) => [format, place] as const),
);

test.each(cases)("is git commit-tree's, byte for byte: %s, %s", (format, place) => {
  process.env["TZ"] = place;
  const { path, dispose } = temporaryFolder();
  try {
    makeRepository(path, { "a.txt": "one\n" }, [`--object-format=${format}`]);
    const [base = "", tree = ""] = git(path, "rev-parse", "HEAD", "HEAD^{tree}").split("\n");
    const objects = join(path, ".git/objects");
    for (const id of ids) {
      const message = `candidate: ${id}\n\nbase: ${base}\n`;
      const made = commitCandidate({ base }, { objects }, tree, id, now);
      const env: Record<string, string> = { ...gitEnvironment(), TZ: place };
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
