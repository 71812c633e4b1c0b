/** Many deliveries into one repository at once, and a person's own Git beside them. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Receipt } from "../../../src/delivery/receipt-schema.ts";
import {
  byHand,
  candidateFile,
  deliverIn,
  expectNothingLeft,
  type Scene,
  scenes,
} from "../../support/delivery.ts";
import { engine } from "../../support/engine.ts";
import { git, gitEnvironment, snapshot } from "../../support/repository.ts";
import { runningWith } from "../../support/tree.ts";
import { wrappedGit } from "../../support/wrapped-git.ts";

const newScene = scenes();

async function race(at: Scene, id: string, script: string, mark: string): Promise<Receipt> {
  const contract = join(at.folder, `${crypto.randomUUID()}.yaml`);
  writeFileSync(contract, `id: ${id}\ntask: t\n`);
  const run = await engine(
    ["deliver", "--repo", at.repo, "--timeout", "60", contract, "--", "sh", "-c", script],
    {
      env: { ...gitEnvironment(), TMPDIR: at.temporary, SATYRN_TEST_MARK: mark },
    },
  );
  if (run.stdout === "") throw new Error(`no receipt, status ${run.status}: ${run.stderr}`);
  const receipt: Receipt = JSON.parse(run.stdout);
  expect([run.status, run.stderr]).toEqual(
    receipt.code === "OK" ? [0, ""] : [8, `satyrn-engine: ${receipt.code}: ${receipt.message}\n`],
  );
  return receipt;
}

function tally(receipts: readonly Receipt[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code, message } of receipts) {
    const what = code === "GIT_FAILED" ? message : code;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

/** Every object of the candidate is there, and reads as what it is. */
function expectComplete(at: Scene): void {
  expect(git(at.repo, "fsck", "--full", "--strict", "--no-dangling", "--connectivity-only")).toBe("");
  git(at.repo, "rev-list", "--objects", "--glob=refs/satyrn/*");
}

test("twelve deliveries race for one id: one wins", async () => {
  const at = newScene();
  const before = snapshot(at.repo);
  const mark = crypto.randomUUID();
  const receipts = await Promise.all(
    Array.from({ length: 12 }, (_, n) => race(at, "same", `echo ${n} > a.txt; sleep 0.3`, mark)),
  );
  expect(tally(receipts)).toEqual({ OK: 1, CANDIDATE_EXISTS: 11 });
  const winner = receipts.find(({ code }) => code === "OK");
  expect(git(at.repo, "rev-parse", "refs/satyrn/candidates/same/head")).toBe(
    winner?.candidate_commit as string,
  );
  expect({ ...snapshot(at.repo), refs: "" }).toEqual({ ...before, refs: "" });
  expectNothingLeft(at);
  expect(runningWith(mark)).toEqual([]);
  expectComplete(at);
});

test("twelve deliveries of the very same commit race for one id: one wins", async () => {
  const at = newScene();
  const mark = crypto.randomUUID();
  const script = "echo same > a.txt; while [ $(date +%N | cut -c1-2) -gt 20 ]; do sleep 0.01; done";
  const receipts = await Promise.all(Array.from({ length: 12 }, () => race(at, "same", script, mark)));
  expect(tally(receipts)).toEqual({ OK: 1, CANDIDATE_EXISTS: 11 });
  expectNothingLeft(at);
  expectComplete(at);
});

test("twenty deliveries of different ids at once all succeed", async () => {
  const at = newScene();
  const before = snapshot(at.repo);
  const mark = crypto.randomUUID();
  const receipts = await Promise.all(
    Array.from({ length: 20 }, (_, n) => race(at, `id-${n}`, `echo ${n} > a.txt`, mark)),
  );
  expect(tally(receipts)).toEqual({ OK: 20 });
  expect(new Set(receipts.map((receipt) => receipt.candidate_commit)).size).toBe(20);
  expect({ ...snapshot(at.repo), refs: "" }).toEqual({ ...before, refs: "" });
  expectNothingLeft(at);
  expect(runningWith(mark)).toEqual([]);
  expectComplete(at);
});

test("plain Git: what no ref names yet, a collection deletes before it can be published", () => {
  const at = newScene();
  const commit = git(at.repo, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "a candidate by hand");
  git(at.repo, "gc", "--quiet", "--prune=now");
  expect(() => git(at.repo, "update-ref", "refs/satyrn/candidates/by-hand/head", commit, "")).toThrow(commit);
});

/** Runs Git so that a collection has just ended when it is asked for `step` the first time. */
function pruningBefore(at: Scene, step: string): Record<string, string> {
  const programs = join(at.folder, "programs");
  mkdirSync(programs);
  writeFileSync(join(programs, "git"), pruningScript, { mode: 0o755 });
  return {
    PATH: `${programs}:${process.env["PATH"]}`,
    PRUNE_GIT: Bun.which("git") ?? "",
    PRUNE_BEFORE: step,
    PRUNE_IN: join(at.repo, ".git"),
  };
}

for (const step of ["write-tree", "diff-index", "pack-objects"]) {
  test(`what the repository had by chance is taken right before git ${step}`, async () => {
    const at = newScene();
    // Else Git is not asked what changed.
    if (step === "diff-index") git(at.repo, "config", "index.version", "4");
    // Git does not read again what is older than the index.
    const change = "echo made before > a.txt; mkdir d; echo more > d/e; touch -d '1 minute ago' a.txt d/e";
    // Leaves the change's objects behind, named by nothing.
    byHand(at, change);
    const receipt = await deliverIn(at, change, { env: pruningBefore(at, step) });
    expect([receipt.code, receipt.message]).toEqual(["OK", expect.anything()]);
    expect(existsSync(join(at.repo, ".git/pruned"))).toBe(true);
    expectComplete(at);
    expect(candidateFile(at, receipt, "a.txt")).toBe("made before");
  });
}

for (const depth of [1, 2]) {
  test(`--base ${depth} commits away from every ref is taken right before the ref is created`, async () => {
    const at = newScene();
    let base = git(at.repo, "rev-parse", "HEAD");
    for (let made = 0; made < depth; made++) {
      const blob = git(at.repo, "hash-object", "-w", at.contract);
      const [first] = git(at.repo, "ls-tree", base).split("\n");
      const listed = `${first}\n100644 blob ${blob}\tonly-here-${made}\n`;
      const tree = Bun.spawnSync(["git", "mktree"], { cwd: at.repo, stdin: Buffer.from(listed) });
      base = git(at.repo, "commit-tree", tree.stdout.toString().trim(), "-p", base, "-m", "by hand");
    }
    const receipt = await deliverIn(at, "echo x > new", { base, env: pruningBefore(at, "update-ref") });
    expect([receipt.code, receipt.base_commit]).toEqual(["OK", base]);
    expect(existsSync(join(at.repo, ".git/pruned"))).toBe(true);
    git(at.repo, "gc", "--quiet", "--prune=now");
    expectComplete(at);
    expect(git(at.repo, "rev-list", "--count", receipt.candidate_commit as string)).toBe(String(depth + 2));
  });
}

const pruningScript = `#!/bin/sh
case " $* " in
  *" $PRUNE_BEFORE "*)
    if mkdir "$PRUNE_IN/pruned" 2>/dev/null; then
      env -u GIT_OBJECT_DIRECTORY -u GIT_INDEX_FILE -u GIT_WORK_TREE GIT_DIR="$PRUNE_IN" \\
        "$PRUNE_GIT" prune --expire=now </dev/null
    fi ;;
esac
exec "$PRUNE_GIT" "$@"
`;

for (const [refs, during] of [
  ["loose", "command"],
  ["packed", "command"],
  ["loose", "checks"],
]) {
  test(`a HEAD that is amended, its log thrown away, is taken before the ref is created (${refs}, ${during})`, async () => {
    const at = newScene();
    git(at.repo, "commit", "-q", "--allow-empty", "-m", "to be amended");
    if (refs === "packed") git(at.repo, "pack-refs", "--all");
    const base = git(at.repo, "rev-parse", "HEAD");
    const amend = "git commit -q --amend --allow-empty -m amended";
    const forget = "git reflog expire --expire=now --expire-unreachable=now --all";
    const script = `(cd '${at.repo}' && ${amend} && ${forget})`;
    const check = JSON.stringify(during === "checks" ? script : "true");
    writeFileSync(
      at.contract,
      `id: fix-1\ntask: t\nacceptance: {verification_commands: [{cmd: ${check}}]}\n`,
    );
    const env = pruningBefore(at, "update-ref");
    const command = during === "checks" ? "echo x > new" : `${script} && echo x > new`;
    const receipt = await deliverIn(at, command, { env, touchesSource: true });
    expect([receipt.code, receipt.base_commit]).toEqual(["OK", base]);
    expect(existsSync(join(at.repo, ".git/pruned"))).toBe(true);
    expectComplete(at);
    expect(git(at.repo, "log", "-1", "--format=%s", `${receipt.candidate_commit}^`)).toBe("to be amended");
  });
}

/** Runs `script` in the caller's tree right before the engine's Git is first asked for `step`. */
function meanwhile(at: Scene, step: string, script: string): Record<string, string> {
  for (const name of ["user.name", "user.email"]) git(at.repo, "config", name, "x");
  const inSource = `env -u GIT_DIR -u GIT_COMMON_DIR -u GIT_WORK_TREE PATH='${process.env["PATH"]}' sh -ec "$SCRIPT"`;
  const once = `mkdir "$ONCE" 2>/dev/null && (cd "$SOURCE" && ${inSource}) >/dev/null 2>&1`;
  const env = wrappedGit(at, `case "$words" in *" ${step} "*) ${once};; esac`);
  return { ...env, SCRIPT: script, SOURCE: at.repo, ONCE: join(at.folder, "once") };
}

test.each([
  ["commits", "echo x > new; git add new; git commit -q -m x", "GIT_FAILED"],
  ["checks out another commit", "git checkout -q HEAD^", "GIT_FAILED"],
  ["stages", "echo x > new; git add new", "REPO_DIRTY"],
  ["edits", "echo x > a.txt", "REPO_DIRTY"],
  ["begins a branch", "git checkout -q -b another", "OK"],
  ["packs refs and collects", "git pack-refs --all; git gc -q --prune=now", "OK"],
] as const)("a caller who %s between the pin and the look at the tree", async (_, script, code) => {
  const at = newScene();
  git(at.repo, "commit", "-q", "--allow-empty", "-m", "next");
  const ran = join(at.folder, "ran");
  const env = meanwhile(at, "status", script);
  const receipt = await deliverIn(at, `: > '${ran}'; echo y > src/b.txt`, { env, touchesSource: true });
  expect([receipt.code, existsSync(ran)]).toEqual([code, code === "OK"]);
  if (code === "GIT_FAILED") expect(receipt.message).toContain("HEAD moved while it was looked at");
  expectNothingLeft(at);
  expectComplete(at);
});

test.each([
  ["goes on", "git commit -q --allow-empty -m next", "OK"],
  ["is amended", "git commit -q --amend --allow-empty -m amended", "OK"],
  [
    "is amended, its log thrown away and its objects too,",
    "git commit -q --amend --allow-empty -m amended; git reflog expire --expire=all --all; git prune --expire=now",
    "GIT_FAILED",
  ],
])("a HEAD that %s right before the ref is created is no incomplete candidate", async (_, script, code) => {
  const at = newScene();
  git(at.repo, "commit", "-q", "--allow-empty", "-m", "to be amended");
  const head = git(at.repo, "rev-parse", "HEAD");
  const env = meanwhile(at, "update-ref", script);
  const receipt = await deliverIn(at, "echo x > new", { env, touchesSource: true });
  expect([receipt.code, receipt.message]).toEqual([code, expect.anything()]);
  expect(git(at.repo, "rev-parse", "HEAD")).not.toBe(head);
  expect(git(at.repo, "for-each-ref", "--format=%(objectname)", "refs/satyrn")).toBe(
    code === "OK" ? (receipt.candidate_commit as string) : "",
  );
  expectComplete(at);
  expectNothingLeft(at);
});

test("a ref that another process takes its time to create is waited for", async () => {
  const at = newScene();
  const lock = join(at.repo, ".git/refs/satyrn/candidates/fix-1/head.lock");
  // Takes the ref as Git does, for longer than Git itself waits, and does not make it.
  const hold = `mkdir -p '${dirname(lock)}'; : > '${lock}'; (sleep 1; rm '${lock}') >/dev/null 2>&1 &`;
  const programs = pruningBefore(at, "nothing");
  const git = join(at.folder, "programs/git");
  writeFileSync(git, `#!/bin/sh\ncase " $* " in *" update-ref "*) ${hold} esac\nexec "$PRUNE_GIT" "$@"\n`);
  const receipt = await deliverIn(at, "echo x > new", { env: programs });
  expect([receipt.code, receipt.message]).toEqual(["OK", expect.anything()]);
});

test("plain Git: a worktree that is half made stops who lists or adds one", () => {
  const at = newScene();
  git(at.repo, "worktree", "add", "--detach", join(at.folder, "neighbour"));
  writeFileSync(join(at.repo, ".git/worktrees/neighbour/commondir"), "");
  expect(() => git(at.repo, "worktree", "list")).toThrow("commondir");
});

const loops: Record<string, readonly string[]> = {
  "git gc --prune=now": ["gc", "--quiet", "--prune=now"],
  "git worktree prune": ["worktree", "prune", "--expire=now"],
  "git worktree list, add and remove": ["worktree", "list"],
};
for (const [what, command] of Object.entries(loops)) {
  test(`${what} beside deliveries costs no candidate`, async () => {
    const at = newScene();
    const mark = crypto.randomUUID();
    let busy = true;
    let rounds = 0;
    const loop = (async () => {
      const options = { cwd: at.repo, env: gitEnvironment(), stderr: "ignore" } as const;
      const own = join(at.folder, "own worktree");
      for (; busy; rounds++) {
        await Bun.spawn(["git", ...command], options).exited;
        if (!what.includes("add")) continue;
        await Bun.spawn(["git", "worktree", "add", "--detach", own], options).exited;
        await Bun.spawn(["git", "worktree", "remove", "--force", own], options).exited;
      }
    })();
    const receipts: Receipt[] = [];
    for (let round = 0; round < 4; round++) {
      const script =
        "for n in 1 2 3 4 5 6 7 8; do head -c 20000 /dev/urandom > new$n; done; mkdir d; cp new1 d/";
      receipts.push(
        ...(await Promise.all([1, 2, 3, 4].map((n) => race(at, `id-${round}-${n}`, script, mark)))),
      );
    }
    busy = false;
    await loop;
    expect(rounds).toBeGreaterThan(3);
    expect(tally(receipts)).toEqual({ OK: 16 });
    git(at.repo, "gc", "--quiet", "--prune=now");
    expectComplete(at);
    expectNothingLeft(at);
  });
}

test("a repository of 10,000 files", async () => {
  const files: Record<string, string> = {};
  for (let n = 0; n < 10_000; n++) files[`d${n % 100}/f${n}.txt`] = `content of file ${n}\n`;
  const at = newScene(undefined, files);
  const receipt = await deliverIn(at, "echo more >> d7/f7.txt");
  expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["d7/f7.txt"]]);
  console.log(`10,000 files: ${receipt.duration_ms} ms`);
});
