/** Where something is short for operations other than a delivery. */
import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { world } from "../integration/attempt/world.ts";
import { engine } from "../support/engine.ts";
import { namespace, noMounts } from "../support/limits.ts";
import { gitEnvironment } from "../support/repository.ts";
import { makeTask } from "../support/task.ts";

if (noMounts !== undefined) console.log(`skipped: small and read-only file systems, because ${noMounts}`);

/** The executable by a shell that begins with `first`. */
function after(first: string): readonly string[] {
  return ["sh", "-c", `${first}; exec "$@"`, "sh"];
}

describe("64 descriptors are enough", () => {
  const few = after("ulimit -n 64");

  test("for verify and accept", async () => {
    const task = makeTask({ expected: { verification_commands: [{ cmd: "echo checked" }] } });
    try {
      const run = { env: { ...gitEnvironment() }, wrapper: few };
      const verify = await engine(["verify", "--packet", task.packet()], run);
      expect([verify.status, JSON.parse(verify.stdout)]).toMatchObject([0, { passed: true }]);
      const accept = ["accept", "--packet", task.packet(), "--submission", task.submission()];
      const accepted = await engine(accept, run);
      expect([accepted.status, JSON.parse(accepted.stdout).status]).toEqual([0, "ACCEPTED"]);
    } finally {
      task.dispose();
    }
  });

  test("for an attempt", async () => {
    const at = world();
    try {
      const argv = ["attempt", "--model", "m", at.contract];
      const run = await engine(argv, { cwd: at.worktree, env: at.env, wrapper: few });
      expect([run.status, run.stderr]).toEqual([0, expect.stringContaining("attempt OK")]);
      expect(at.left()).toEqual([]);
    } finally {
      at.dispose();
    }
  });
});

describe.skipIf(noMounts !== undefined)("a worktree that is read-only", () => {
  test("cannot be verified, which is said; without the mount it can", async () => {
    const task = makeTask({ expected: { verification_commands: [{ cmd: "true" }] } });
    try {
      const env = { ...gitEnvironment(), WORKTREE: task.worktree };
      const mounts = 'mount --bind "$WORKTREE" "$WORKTREE"; mount -o remount,ro,bind "$WORKTREE"';
      const packet = task.packet();
      const argv = ["verify", "--packet", packet];
      const refused = await engine(argv, { env, wrapper: [...namespace, ...after(mounts)] });
      expect([refused.status, JSON.parse(refused.stdout).status]).toEqual([20, "BLOCKED"]);
      expect(JSON.parse(refused.stdout).reason).toContain("EROFS");
      const taken = await engine(argv, { env });
      expect([taken.status, JSON.parse(taken.stdout)]).toMatchObject([0, { passed: true }]);
    } finally {
      task.dispose();
    }
  });
});

describe.skipIf(noMounts !== undefined)("a small TMPDIR of other operations", () => {
  const shortest = ["size=4k", "size=1m,nr_inodes=3", "size=1m,nr_inodes=5"];
  /** Runs the engine with a small file system at `temporary`, of which the last line of its stderr says what is left. */
  const small = (options: string, temporary: string) => [
    ...namespace,
    ...[
      "sh",
      "-c",
      'mount -t tmpfs -o "$1" none "$2"; T=$2; shift 2; "$@"; s=$?; ls -A "$T" >&2; exit $s',
      "sh",
    ],
    ...[options, temporary],
  ];

  test("an attempt says what is short and leaves nothing; with room it is well", async () => {
    const at = world();
    try {
      const attempt = (options: string) =>
        engine(["attempt", "--model", "m", at.contract], {
          cwd: at.worktree,
          env: { ...at.env, SATYRN_ATTEMPT_TRANSCRIPT: undefined, SATYRN_ATTEMPT_PATCH: undefined },
          wrapper: small(options, at.temporary),
        });
      for (const options of shortest) {
        const run = await attempt(options);
        expect([options, run.status, run.stderr]).toEqual([
          options,
          10,
          expect.stringMatching(/ENOSPC\)\n$/),
        ]);
      }
      const run = await attempt("size=1m");
      expect([run.status, run.stderr]).toEqual([0, expect.stringMatching(/attempt OK: [^\n]*\n$/)]);
    } finally {
      at.dispose();
    }
  });

  test("verify says what is short and leaves nothing; with room it is well", async () => {
    const guard = { pattern: "nowhere", description: "d", severity: "disqualifier" };
    const task = makeTask({ expected: { forbidden_patterns: [guard] } });
    try {
      const temporary = join(task.folder, "tmp");
      mkdirSync(temporary);
      const argv = ["verify", "--packet", task.packet()];
      const env = { ...gitEnvironment(), TMPDIR: temporary };
      for (const options of shortest) {
        const run = await engine(argv, { env, wrapper: small(options, temporary) });
        expect([options, run.status, run.stderr]).toEqual([
          options,
          20,
          expect.stringMatching(/ENOSPC\)\n$/),
        ]);
      }
      const run = await engine(argv, { env, wrapper: small("size=1m", temporary) });
      expect([run.status, run.stderr, JSON.parse(run.stdout).passed]).toEqual([0, "", true]);
    } finally {
      task.dispose();
    }
  });
});
