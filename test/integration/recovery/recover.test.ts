/** What `recover` takes away, and all that it leaves alone. */
import { afterEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { unfinishedName } from "../../../src/files/unfinished.ts";
import { linuxTable } from "../../../src/process/descendants.linux.ts";
import { recoverFolder } from "../../../src/recovery/folder.ts";
import { findLeftovers } from "../../../src/recovery/leftovers.ts";
import { recover } from "../../../src/recovery/recover.ts";
import { expectNothingLeft, type Scene, scene } from "../../support/delivery.ts";
import { engine, executable } from "../../support/engine.ts";
import { change, type Delivery, pathsOf, recoverIn, startDelivery, until } from "../../support/killed.ts";
import { git, gitEnvironment, makeRepository, snapshot } from "../../support/repository.ts";
import { world } from "../attempt/world.ts";

let scenes: Scene[] = [];
let children: Bun.Subprocess[] = [];
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  for (const at of scenes) {
    await recoverIn(at);
    at.dispose();
  }
  scenes = [];
  children = [];
});

function newScene(): Scene {
  const at = scene();
  scenes.push(at);
  return at;
}

interface Left {
  /** The private folder. */
  readonly folder: string;
  readonly worktree: string;
  readonly delivery: Delivery;
}

/** A delivery whose command runs. */
async function running(at: Scene, id = "fix-1", script = "exec sleep 300"): Promise<Left> {
  const before = readdirSync(at.temporary);
  const delivery = startDelivery(at, id, script);
  children.push(delivery.child);
  let folder = "";
  await until(() => {
    const name = readdirSync(at.temporary).find((each) => !before.includes(each));
    folder = join(at.temporary, name ?? "none");
    return existsSync(join(folder, "command.json"));
  });
  const { pid } = JSON.parse(readFileSync(join(folder, "command.json"), "utf8"));
  await until(() => readFileSync(`/proc/${pid}/comm`, "utf8") === "sleep\n");
  const name = readdirSync(folder).find((each) => each.startsWith("satyrn-"));
  return { folder, worktree: join(folder, name ?? ""), delivery };
}

/** What a delivery leaves that is killed while its command runs. */
async function killed(at: Scene, id = "fix-1", script?: string): Promise<Left> {
  const left = await running(at, id, script);
  left.delivery.child.kill("SIGKILL");
  await left.delivery.child.exited;
  return left;
}

/** Changes the record in `folder`. */
function rewrite(folder: string, edit: (record: { engine: Record<string, unknown> }) => void): void {
  const file = join(folder, "owner.json");
  const record = JSON.parse(readFileSync(file, "utf8"));
  edit(record);
  writeFileSync(file, JSON.stringify(record));
}

async function expectKept(at: Scene, path: string, reason: RegExp, result: "kept" | "in_use" = "kept") {
  const before = snapshot(at.repo);
  const found = await recoverIn(at);
  expect(found).toEqual([{ result, path, reason: expect.stringMatching(reason) }]);
  expect(snapshot(at.repo)).toEqual(before);
  expect(existsSync(path) || /folder is gone/.test(found[0]?.reason ?? "")).toBe(true);
}

describe("recovered", () => {
  test("worktree, registration, folder and processes of an engine that was killed", async () => {
    const at = newScene();
    const before = snapshot(at.repo);
    const { folder } = await killed(at);
    expect(await recoverIn(at)).toEqual([
      {
        result: "recovered",
        path: folder,
        reason: expect.stringMatching(/^its engine, process \d+, is gone; ended .*sleep/),
      },
    ]);
    expectNothingLeft(at);
    expect(snapshot(at.repo)).toEqual(before);
    expect(await recoverIn(at)).toEqual([]);
  });

  test("and a command that cleared its environment, by its session", async () => {
    const at = newScene();
    const { folder } = await killed(at, "fix-1", "exec env -i sleep 300");
    const found = await recoverIn(at);
    expect(found).toEqual([
      { result: "recovered", path: folder, reason: expect.stringMatching(/; ended process \d+ \(sleep\)$/) },
    ]);
    expectNothingLeft(at);
  });

  test("a registration that was not yet in the list", async () => {
    const at = newScene();
    const { folder, worktree } = await killed(at);
    const [listed, unlisted] = ["worktrees", "satyrn"].map((name) =>
      join(at.repo, ".git", name, basename(worktree)),
    );
    renameSync(listed ?? "", unlisted ?? "");
    expect(pathsOf(await recoverIn(at), "recovered")).toEqual([folder]);
    expect(existsSync(unlisted ?? "")).toBe(false);
    expectNothingLeft(at);
  });

  test("what lies elsewhere than in today's TMPDIR, by its registration", async () => {
    const at = newScene();
    const { folder } = await killed(at);
    const other = join(at.folder, "other");
    mkdirSync(other);
    expect(pathsOf(await recoverIn({ ...at, temporary: other }), "recovered")).toEqual([folder]);
    expectNothingLeft(at);
  });

  test("what lies in a TMPDIR that is a link, once and by its real path", async () => {
    const at = newScene();
    const { folder } = await killed(at);
    const link = join(at.folder, "link");
    symlinkSync(at.temporary, link);
    expect((await recoverIn({ ...at, temporary: link })).map(({ path }) => path)).toEqual([folder]);
    expectNothingLeft(at);
  });

  test("an engine whose number has passed to another process", async () => {
    const at = newScene();
    const { folder } = await killed(at);
    rewrite(folder, ({ engine: record }) => Object.assign(record, { pid: process.pid }));
    expect(pathsOf(await recoverIn(at), "recovered")).toEqual([folder]);
  });

  test("an engine of an earlier boot of this machine", async () => {
    const at = newScene();
    const { folder } = await killed(at);
    await recoverProcesses(folder);
    rewrite(folder, ({ engine: record }) => Object.assign(record, { boot: "another", pid: process.pid }));
    const other = Bun.spawn(["sleep", "300"], { detached: true });
    children.push(other);
    // A number and a start, counted from the boot, can be those of another process by then.
    const started = linuxTable.read(other.pid)?.started;
    writeFileSync(join(folder, "command.json"), JSON.stringify({ pid: other.pid, started }));
    expect(pathsOf(await recoverIn(at), "recovered")).toEqual([folder]);
    expect(other.exitCode).toBeNull();
    process.kill(other.pid, 0);
  });

  test("a read-only folder, and a worktree whose .git the command deleted", async () => {
    const at = newScene();
    const { folder, worktree } = await killed(at);
    rmSync(join(worktree, ".git"));
    mkdirSync(join(worktree, "closed"));
    writeFileSync(join(worktree, "closed/file"), "");
    chmodSync(join(worktree, "closed"), 0o500);
    expect(pathsOf(await recoverIn(at), "recovered")).toEqual([folder]);
    expectNothingLeft(at);
    expect(git(at.repo, "worktree", "list").split("\n")).toHaveLength(1);
  });

  test("an empty folder that is older than ten seconds, also with an unfinished record", async () => {
    const at = newScene();
    for (const name of ["satyrn-engine-aaaaaa", "satyrn-engine-bbbbbb"]) mkdirSync(join(at.temporary, name));
    writeFileSync(join(at.temporary, "satyrn-engine-bbbbbb/owner.json.new"), "{");
    for (const name of readdirSync(at.temporary)) utimesSync(join(at.temporary, name), 1, 1);
    expect(pathsOf(await recoverIn(at), "recovered")).toHaveLength(2);
    expectNothingLeft(at);
  });

  test("an empty folder of the time before the clock was set back", async () => {
    const at = newScene();
    const path = join(at.temporary, "satyrn-engine-aaaaaa");
    mkdirSync(path);
    const ahead = Date.now() / 1000 + 3600;
    utimesSync(path, ahead, ahead);
    expect(pathsOf(await recoverIn(at), "recovered")).toEqual([path]);
  });

  for (const idx of ["idx-whole", "idx"]) {
    test(`a keep file that is not yet written, by the folder's record, with a pack whose index is ${idx}`, async () => {
      const at = newScene();
      const { folder } = await killed(at);
      const pack = `pack-${"1".repeat(40)}`;
      const packs = join(at.repo, ".git/objects/pack");
      mkdirSync(packs, { recursive: true });
      writeFileSync(join(folder, "pack.json"), JSON.stringify({ name: pack }));
      for (const suffix of ["keep", "pack", idx]) writeFileSync(join(packs, `${pack}.${suffix}`), "");
      const keep = join(packs, `${pack}.keep`);
      expect(pathsOf(await recoverIn(at, "--dry-run"), "recoverable")).toEqual([keep, folder].sort());
      expect(pathsOf(await recoverIn(at), "recovered")).toEqual([keep, folder].sort());
      expect(readdirSync(packs).sort()).toEqual(idx === "idx" ? [`${pack}.idx`, `${pack}.pack`] : []);
    });
  }

  test("a receipt that was not finished, once its writer cannot be about to lock it", async () => {
    const at = newScene();
    const receipts = join(at.repo, ".git/satyrn/receipts/fix-1");
    mkdirSync(receipts, { recursive: true });
    const path = join(receipts, unfinishedName("20260101T000000Z-123456789abc.json"));
    writeFileSync(path, '{"version":1,');
    writeFileSync(join(receipts, "20260101T000000Z-123456789abc.json"), "{}");
    expect(await recoverIn(at)).toEqual([]);
    utimesSync(path, 1, 1);
    expect(pathsOf(await recoverIn(at, "--dry-run"), "recoverable")).toEqual([path]);
    expect(existsSync(path)).toBe(true);
    expect(pathsOf(await recoverIn(at), "recovered")).toEqual([path]);
    expect(readdirSync(receipts)).toEqual(["20260101T000000Z-123456789abc.json"]);
  });

  test("an unfinished file elsewhere that the record of a dead engine names, and no other file it may name", async () => {
    const at = newScene();
    const names = [unfinishedName("change.patch"), "change.patch", unfinishedName("of somebody else")];
    const [unfinished = "", finished = ""] = names.map((name) => join(at.folder, name));
    for (const name of names) writeFileSync(join(at.folder, name), "half");
    for (const [id, path] of [
      ["a", unfinished],
      ["b", finished],
    ] as const) {
      const { folder } = await killed(at, id);
      writeFileSync(join(folder, "unfinished.json"), JSON.stringify({ path }));
      expect(pathsOf(await recoverIn(at), "recovered")).toEqual(
        path === finished ? [folder] : [folder, path].sort(),
      );
    }
    expect(readdirSync(at.folder)).toEqual(expect.arrayContaining(names.slice(1)));
    expect(existsSync(unfinished)).toBe(false);
  });

  test("the folder of a test operation that was killed", async () => {
    const at = newScene();
    writeFileSync(at.contract, "id: a\ntask: b\ntest_command: [sleep, '300']\n");
    const request = { version: 1, operation: "test", repo: at.repo, contract: at.contract };
    const child = Bun.spawn([executable, "protocol"], {
      env: { ...gitEnvironment(), TMPDIR: at.temporary },
      stdin: Buffer.from(JSON.stringify(request)),
      stdout: "ignore",
    });
    await until(() =>
      readdirSync(at.temporary).some((name) => existsSync(join(at.temporary, name, "contract.yaml"))),
    );
    await Bun.sleep(100);
    child.kill("SIGKILL");
    await child.exited;
    const [found] = await recoverIn(at);
    expect(found).toMatchObject({ result: "recovered", reason: expect.stringContaining("(sleep)") });
    expectNothingLeft(at);
  });
});

test("the folder of an attempt that was killed is recovered for its repository, and for no other", async () => {
  const attempt = world();
  try {
    attempt.pi("exec sleep 300");
    const child = attempt.start();
    children.push(child);
    const folders = () => readdirSync(attempt.temporary).map((name) => join(attempt.temporary, name));
    await until(() => folders().some((folder) => existsSync(join(folder, "pi/bash.ts"))));
    await Bun.sleep(300);
    child.kill("SIGKILL");
    await child.exited;
    const [folder] = folders();
    const other = newScene();
    const elsewhere = { ...other, folder: attempt.folder, temporary: attempt.temporary };
    expect(await recoverIn(elsewhere)).toEqual([]);
    const [found] = await recoverIn({ ...elsewhere, repo: attempt.worktree });
    expect(found).toEqual({
      result: "recovered",
      path: folder ?? "",
      reason: expect.stringContaining("(sleep)"),
    });
    expect(folders()).toEqual([]);
  } finally {
    attempt.dispose();
  }
});

/** Ends what the command left, as a boot does. */
async function recoverProcesses(folder: string): Promise<void> {
  const { pid } = JSON.parse(readFileSync(join(folder, "command.json"), "utf8"));
  process.kill(-pid, "SIGKILL");
  await until(() => !existsSync(`/proc/${pid}`) || / Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1")));
}

describe("recoverable", () => {
  test("--dry-run says what would be done and does nothing", async () => {
    const at = newScene();
    const { folder, worktree } = await killed(at);
    const before = snapshot(at.repo);
    const found = await recoverIn(at, "--dry-run");
    expect(found).toEqual([
      { result: "recoverable", path: folder, reason: expect.stringContaining("; would end process") },
    ]);
    expect(snapshot(at.repo)).toEqual(before);
    expect(existsSync(worktree)).toBe(true);
    expect(await recoverIn(at, "--dry-run")).toEqual(found as typeof found & unknown[]);
  });
});

describe("in_use", () => {
  test("a delivery that runs", async () => {
    const at = newScene();
    const { folder, delivery } = await running(at);
    await expectKept(at, folder, /its engine is running: process \d+/, "in_use");
    expect(delivery.child.exitCode).toBeNull();
  });

  test.each([
    ["in the folder", 'cd "$0"; exec sleep 300'],
    ["with a file of it open", 'exec 3<"$0/a.txt"; exec sleep 300 >/dev/null'],
    ["that was told its name", "while :; do sleep 0.1; done"],
  ])("a person's process %s, which is not ended", async (_, script) => {
    const at = newScene();
    const { folder, worktree } = await killed(at);
    const person = Bun.spawn(["sh", "-c", script, worktree], {
      cwd: "/",
      env: { PATH: process.env["PATH"] },
    });
    await until(
      () => script.startsWith("while") || /^sleep$/m.test(readFileSync(`/proc/${person.pid}/comm`, "utf8")),
    );
    children.push(person);
    await expectKept(at, folder, new RegExp(`used by process ${person.pid} `), "in_use");
    expect(person.exitCode).toBeNull();
    person.kill("SIGKILL");
    await person.exited;
    expect(pathsOf(await recoverIn(at), "recovered")).toEqual([folder]);
  });

  test("an empty folder that was made a moment ago", async () => {
    const at = newScene();
    const path = join(at.temporary, "satyrn-engine-aaaaaa");
    mkdirSync(path);
    await expectKept(at, path, /last ten seconds/, "in_use");
  });
});

describe("kept", () => {
  const elsewhere: readonly [name: string, fields: object, reason: RegExp][] = [
    ["another host", { boot: "another", host: "elsewhere" }, /another machine, elsewhere/],
    ["another machine of the same host name", { boot: "another", machine: "another" }, /another machine/],
    ["another container", { namespace: "pid:[1]" }, /another container/],
  ];
  for (const [name, fields, reason] of elsewhere) {
    test(`an engine of ${name}`, async () => {
      const at = newScene();
      const { folder } = await killed(at);
      const record = readFileSync(join(folder, "owner.json"));
      rewrite(folder, ({ engine: identity }) => Object.assign(identity, fields));
      await expectKept(at, folder, reason);
      writeFileSync(join(folder, "owner.json"), record);
      expect(pathsOf(await recoverIn(at), "recovered")).toEqual([folder]);
    });
  }

  test("a folder that was moved", async () => {
    const at = newScene();
    const { folder } = await killed(at);
    const moved = join(at.temporary, "satyrn-engine-moved0");
    renameSync(folder, moved);
    const found = await recoverIn(at);
    expect(pathsOf(found, "kept")).toContain(moved);
    expect(existsSync(moved)).toBe(true);
    renameSync(moved, folder);
    expect(pathsOf(await recoverIn(at), "recovered")).toEqual([folder]);
  });

  test("a folder that another one was copied to", async () => {
    const at = newScene();
    const { folder } = await killed(at);
    const original = join(at.folder, "original");
    renameSync(folder, original);
    cpSync(original, folder, { recursive: true });
    await expectKept(at, folder, /not the folder that its engine made/);
    rmSync(folder, { recursive: true });
    renameSync(original, folder);
  });

  test("a worktree that a person moved away", async () => {
    const at = newScene();
    const { folder, worktree } = await killed(at);
    const mine = join(at.folder, "mine");
    git(at.repo, "worktree", "move", worktree, mine);
    await expectKept(at, folder, /moved to .*mine/);
    expect(existsSync(join(mine, "a.txt"))).toBe(true);
    git(at.repo, "worktree", "remove", "--force", mine);
  });

  test("a folder that a person added a worktree to", async () => {
    const at = newScene();
    const { folder } = await killed(at);
    const mine = join(folder, "mine");
    git(at.repo, "worktree", "add", "--detach", mine);
    await expectKept(at, folder, /another worktree of the repository lies in it/);
    git(at.repo, "worktree", "remove", "--force", mine);
    expect(pathsOf(await recoverIn(at), "recovered")).toEqual([folder]);
  });

  test("a worktree that is registered a second time", async () => {
    const at = newScene();
    const { folder, worktree } = await killed(at);
    const second = join(at.repo, ".git/worktrees/second");
    cpSync(join(at.repo, ".git/worktrees", basename(worktree)), second, { recursive: true });
    await expectKept(at, folder, /another worktree of the repository lies in it/);
    rmSync(second, { recursive: true });
    expect(pathsOf(await recoverIn(at), "recovered")).toEqual([folder]);
  });

  test("a worktree that another file system is mounted in, with its registration", async () => {
    const at = newScene();
    const { folder, worktree } = await killed(at);
    await recoverProcesses(folder);
    const mounted = join(worktree, "mounted");
    mkdirSync(mounted);
    if (Bun.spawnSync(["mount", "-t", "tmpfs", "none", mounted]).exitCode !== 0)
      return console.log("skipped: no file system can be mounted here");
    try {
      await expectKept(at, folder, /has another file system mounted on it/);
    } finally {
      Bun.spawnSync(["umount", mounted]);
    }
    expect(pathsOf(await recoverIn(at), "recovered")).toEqual([folder]);
    expectNothingLeft(at);
  });

  test("a registration whose folder is gone", async () => {
    const at = newScene();
    const { folder, worktree } = await killed(at);
    await recoverProcesses(folder);
    rmSync(folder, { recursive: true });
    await expectKept(at, worktree, /git worktree prune/);
    git(at.repo, "worktree", "prune");
    expect(await recoverIn(at)).toEqual([]);
  });

  test("a keep file that does not say whose it is; not one of somebody else's", async () => {
    const at = newScene();
    const packs = join(at.repo, ".git/objects/pack");
    const ours = join(packs, `pack-${"1".repeat(40)}.keep`);
    writeFileSync(ours, "satyrn-engine\n");
    writeFileSync(join(packs, `pack-${"2".repeat(40)}.keep`), "fetch-pack 17 on vm\n");
    await expectKept(at, ours, /does not say which engine/);
    expect(readdirSync(packs)).toHaveLength(2);
  });
});

describe("never looked at", () => {
  test("a worktree without a record, whatever its name", async () => {
    const at = newScene();
    const folder = join(at.temporary, "satyrn-engine-abcdef");
    git(at.repo, "worktree", "add", "--detach", join(folder, "satyrn-0123456789ab"));
    expect(await recoverIn(at)).toEqual([]);
    expect(existsSync(join(folder, "satyrn-0123456789ab/a.txt"))).toBe(true);
  });

  test("what was left of another repository", async () => {
    const at = newScene();
    const { folder } = await killed(at);
    const other = join(at.folder, "other");
    makeRepository(other, { a: "" });
    expect(await recoverIn({ ...at, repo: other })).toEqual([]);
    expect(existsSync(folder)).toBe(true);
  });

  test("a receipt that was not finished, behind a link", async () => {
    const at = newScene();
    const elsewhere = join(at.folder, "elsewhere/receipts/fix-1");
    mkdirSync(elsewhere, { recursive: true });
    mkdirSync(join(at.repo, ".git/satyrn"));
    const unfinished = join(elsewhere, unfinishedName("x.json"));
    writeFileSync(unfinished, "");
    utimesSync(unfinished, 1, 1);
    const receipts = join(at.repo, ".git/satyrn/receipts");
    symlinkSync(join(at.folder, "elsewhere/receipts"), receipts);
    expect(await recoverIn(at)).toEqual([]);
    expect(existsSync(unfinished)).toBe(true);
    rmSync(receipts);
    renameSync(join(at.folder, "elsewhere/receipts"), receipts);
    expect((await recoverIn(at)).map(({ result }) => result)).toEqual(["recovered"]);
  });

  test("what comes after a recovery was told to stop", async () => {
    const at = newScene();
    const folders = [await killed(at, "fix-1"), await killed(at, "fix-2")].map(({ folder }) => folder).sort();
    // Recovery waits for it.
    const person = Bun.spawn(["sleep", "300"], { cwd: folders[0] ?? "", env: { PATH: process.env["PATH"] } });
    children.push(person);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 1000);
    const found = await recover({
      repo: at.repo,
      dryRun: false,
      env: { ...gitEnvironment(), TMPDIR: at.temporary },
      interruption: { signal: controller.signal, name: () => null },
    });
    expect(found).toMatchObject({ ok: true, value: [{ result: "in_use", path: folders[0] }] });
    person.kill("SIGKILL");
    await person.exited;
    expect(pathsOf(await recoverIn(at), "recovered")).toEqual(folders);
  });

  test("a folder that others may write", async () => {
    const at = newScene();
    const { folder } = await killed(at);
    chmodSync(folder, 0o777);
    expect(await recoverIn(at)).toEqual([]);
    chmodSync(folder, 0o700);
  });

  if (process.getuid?.() === 0) {
    test("a folder of another person's", async () => {
      const at = newScene();
      const { folder } = await killed(at);
      chownSync(folder, 12345, 12345);
      expect(await recoverIn(at)).toEqual([]);
      chownSync(folder, 0, 0);
    });

    test("an empty folder of another person's", async () => {
      const at = newScene();
      const path = join(at.temporary, "satyrn-engine-aaaaaa");
      mkdirSync(path);
      utimesSync(path, 1, 1);
      chownSync(path, 12345, 12345);
      expect(await recoverIn(at)).toEqual([]);
      chownSync(path, 0, 0);
      expect(pathsOf(await recoverIn(at), "recovered")).toEqual([path]);
    });
  }

  test("a process that has the recorded leader's number, and another start", async () => {
    const at = newScene();
    const { folder } = await killed(at);
    await recoverProcesses(folder);
    const other = Bun.spawn(["sleep", "300"], { detached: true });
    children.push(other);
    writeFileSync(join(folder, "command.json"), JSON.stringify({ pid: other.pid, started: "1" }));
    expect(pathsOf(await recoverIn(at), "recovered")).toEqual([folder]);
    expect(other.exitCode).toBeNull();
    process.kill(other.pid, 0);
  });
});

describe("exit status", () => {
  async function status(...args: readonly string[]) {
    const run = await engine(["recover", ...args]);
    expect(run.stdout).toBe("");
    return [run.status, run.stderr.split(" ").slice(0, 2).join(" ").trim()];
  }

  test("0 for a repository with nothing to recover", async () => {
    expect(await recoverIn(newScene())).toEqual([]);
  });

  test("2, USAGE, without --repo", async () => {
    expect(await status()).toEqual([2, "satyrn-engine: USAGE:"]);
    expect(await status("--repo", "x", "--force")).toEqual([2, "satyrn-engine: USAGE:"]);
  });

  test("6, REPO_UNAVAILABLE, where nothing is", async () => {
    expect(await status("--repo", "/nowhere")).toEqual([6, "satyrn-engine: REPO_UNAVAILABLE:"]);
  });

  test("8, REPO_NOT_GIT, for a folder that is no working tree's root", async () => {
    const at = newScene();
    expect(await status("--repo", at.folder)).toEqual([8, "satyrn-engine: REPO_NOT_GIT:"]);
    expect(await status("--repo", join(at.repo, "src"))).toEqual([8, "satyrn-engine: REPO_NOT_GIT:"]);
  });

  test("8, GIT_FAILED, without Git", async () => {
    const at = newScene();
    const run = await engine(["recover", "--repo", at.repo], { env: { PATH: "/nowhere" } });
    expect([run.status, run.stderr]).toEqual([8, expect.stringContaining("GIT_FAILED")]);
  });
});

describe("nothing is said", () => {
  test("of a folder whose engine ended by itself after it was found", async () => {
    const at = newScene();
    const { folder, delivery } = await running(at);
    const common = join(at.repo, ".git");
    const found = findLeftovers(common, { TMPDIR: at.temporary }).filter(({ path }) => path === folder);
    expect(found).toHaveLength(1);
    const look = () => Promise.all(found.map((leftover) => recoverFolder(leftover, common, false)));
    expect(await look()).toEqual([{ result: "in_use", path: folder, reason: expect.anything() }]);
    delivery.child.kill("SIGTERM");
    await delivery.child.exited;
    expect(await look()).toEqual([undefined]);
  });

  test("of a registration that is gone by now", async () => {
    const path = "/tmp/satyrn-engine-aaaaaa/satyrn-0123456789ab";
    const common = join(newScene().repo, ".git");
    expect(await recoverFolder({ kind: "registration", path }, common, false)).toBeUndefined();
  });
});

test("deliver says on stderr that there are leftovers, and only then", async () => {
  const at = newScene();
  const first = startDelivery(at, "first", change);
  expect(await first.child.stderr.text()).toBe("");
  await killed(at, "second");
  const third = startDelivery(at, "third", change);
  expect(await third.child.stderr.text()).toBe(
    "satyrn-engine: note: worktrees left by engines that were killed: 1; recover --repo REPO removes them\n",
  );
  expect(JSON.parse(await third.child.stdout.text()).code).toBe("OK");
});
