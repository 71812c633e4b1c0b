/** What two indexes differ in, as `git diff-index` has it. */
import { expect, test } from "bun:test";
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { indexDifferences } from "../../../src/repository/index-file.ts";
import { parseRawDiff } from "../../../src/repository/stage.ts";
import { below, oneOf, randomFrom } from "../../support/random.ts";
import { git, gitEnvironment, temporaryFolder } from "../../support/repository.ts";

const paths = ["a", "a.b", "a/b", "a/b/c", "b", "b-c/d", "B", "ä/ö", "with space", "z/z/z"];

test.each(["sha1", "sha256"])("whatever becomes of files, links and folders, in %s", (format) => {
  const { path: folder, dispose } = temporaryFolder();
  const next = randomFrom(7);
  /** Removes what is there, and what is in its way. */
  const clear = (path: string) => {
    const above = path.split("/").map((_, at, names) => names.slice(0, at).join("/"));
    for (const name of above.slice(1)) {
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
      if (stat?.isDirectory() === false) rmSync(join(folder, name));
    }
    rmSync(join(folder, path), { recursive: true, force: true });
  };
  const write = (path: string) => {
    const at = join(folder, path);
    clear(path);
    mkdirSync(dirname(at), { recursive: true });
    if (below(next, 4) === 0) return symlinkSync(oneOf(next, paths), at);
    writeFileSync(at, `${below(next, 5)}\n`);
    if (below(next, 3) === 0) chmodSync(at, 0o755);
  };
  try {
    git(folder, "init", "--quiet", `--object-format=${format}`);
    let changes = 0;
    for (let round = 0; round < 25; round++) {
      for (const path of paths) {
        const fate = below(next, 4);
        if (fate === 0) clear(path);
        if (fate === 1) write(path);
      }
      const before = round === 0 ? undefined : readFileSync(join(folder, ".git/index"));
      git(folder, "add", "--all");
      const after = readFileSync(join(folder, ".git/index"));
      if (before !== undefined) {
        const told = Bun.spawnSync(
          ["git", "diff-index", "--cached", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "HEAD"],
          {
            cwd: folder,
            env: gitEnvironment(),
          },
        );
        const expected = parseRawDiff(told.stdout);
        changes += expected.length;
        expect(indexDifferences(before, after, format === "sha1" ? 20 : 32)).toEqual([...expected]);
      }
      git(folder, "commit", "--quiet", "--allow-empty", "-m", `${round}`);
    }
    expect(changes).toBeGreaterThan(50);
  } finally {
    dispose();
  }
});
