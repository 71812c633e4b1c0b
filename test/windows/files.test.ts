/** Locks, read-only files, files that somebody has open, and long paths. */
import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openFolder } from "../../src/files/folder.ts";
import { folderIdentity } from "../../src/files/identity.ts";
import { tryHoldFile } from "../../src/files/lock.windows.ts";
import { lockFolder } from "../../src/files/lock-folder.ts";
import { removeTree } from "../../src/files/remove.ts";
import { renameOver } from "../../src/files/rename.ts";
import { removeRegistration } from "../../src/repository/worktree.ts";
import { bounded, edit } from "../support/bounded.ts";
import { temporaryFolder } from "../support/repository.ts";
import { appears } from "./program.ts";

const { path: folder, dispose } = temporaryFolder("satyrn fïles ");
afterAll(dispose);

/** A process that holds `file`, says so in `${file}.held`, and goes on for a minute. */
function holder(file: string): Bun.Subprocess {
  const lock = JSON.stringify(join(import.meta.dir, "../../src/files/lock.windows.ts"));
  const script = `import { tryHoldFile } from ${lock};
    tryHoldFile(${JSON.stringify(file)}); await Bun.write(${JSON.stringify(`${file}.held`)}, "held");
    await Bun.sleep(60_000);`;
  const path = `${file}.ts`;
  writeFileSync(path, script);
  return Bun.spawn([process.execPath, path], { stdio: ["ignore", "inherit", "inherit"] });
}

describe("a file that is held", () => {
  test("is busy for whoever asks next, until it is released", () => {
    const file = join(folder, "one");
    const held = tryHoldFile(file);
    if (typeof held === "string") throw new Error(held);
    expect(tryHoldFile(file)).toBe("busy");
    held.release();
    const again = tryHoldFile(file);
    if (typeof again === "string") throw new Error(again);
    again.release();
    expect(existsSync(file)).toBe(true);
  });

  test("is busy for another process, and free once that one was killed", async () => {
    const file = join(folder, "two");
    const child = holder(file);
    await appears(`${file}.held`);
    expect(tryHoldFile(file)).toBe("busy");
    child.kill("SIGKILL");
    await child.exited;
    let held = tryHoldFile(file);
    for (let tries = 0; held === "busy" && tries < 100; tries++) {
      await Bun.sleep(20);
      held = tryHoldFile(file);
    }
    if (typeof held === "string") throw new Error(held);
    held.release();
  });

  test("is unavailable in a folder that is not there", () => {
    expect(tryHoldFile(join(folder, "nowhere", "file"))).toBe("unavailable");
  });
});

test("a folder is locked for one process; what a killed one left is in nobody's way", async () => {
  const own = join(folder, "locked");
  mkdirSync(own);
  const opened = openFolder(own, []);
  if (!opened.ok) throw new Error(opened.message);
  const child = holder(join(own, ".satyrn-replacement.lock"));
  await appears(join(own, ".satyrn-replacement.lock.held"));
  const busy = lockFolder(opened.value, 100);
  expect(busy).toMatchObject({ code: "BUSY", message: "another process holds its folder locked" });
  child.kill("SIGKILL");
  await child.exited;
  const locked = lockFolder(opened.value, 5000);
  if (!locked.ok) throw new Error(locked.message);
  locked.value.release();
  expect(readdirSync(own)).not.toContain(".satyrn-replacement.lock");
  opened.value.close();
});

describe("a replacement", () => {
  test("keeps a file read-only, and leaves nothing beside it", () => {
    const at = bounded({ "deep/file": "old" });
    chmodSync(join(at.repo, "deep/file"), 0o444);
    expect(at.replace("deep/file", [edit("old", "new")]).code).toBe("OK");
    expect(at.read("deep/file")).toBe("new");
    expect(statSync(join(at.repo, "deep/file")).mode & 0o200).toBe(0);
    expect(readdirSync(join(at.repo, "deep"))).toEqual(["file"]);
    chmodSync(join(at.repo, "deep/file"), 0o666);
    at.dispose();
  });

  test("waits for a moment until nobody has the file open", async () => {
    const [from, to] = [join(folder, "from"), join(folder, "to")];
    writeFileSync(from, "new");
    writeFileSync(to, "old");
    const child = holder(to);
    await appears(`${to}.held`);
    setTimeout(() => child.kill("SIGKILL"), 0);
    await Bun.sleep(1);
    renameOver(from, to);
    expect(readFileSync(to, "utf8")).toBe("new");
    await child.exited;
  });

  test("gives up on a file that somebody keeps open, and leaves both", () => {
    const [from, to] = [join(folder, "kept-from"), join(folder, "kept")];
    writeFileSync(from, "new");
    writeFileSync(to, "old");
    const held = tryHoldFile(to);
    if (typeof held === "string") throw new Error(held);
    expect(() => renameOver(from, to)).toThrow();
    held.release();
    expect([readFileSync(from, "utf8"), readFileSync(to, "utf8")]).toEqual(["new", "old"]);
  });
});

describe("a removal", () => {
  test("takes read-only files and folders, deep ones and long names", () => {
    const root = join(folder, "removed");
    mkdirSync(root);
    const identity = folderIdentity(root);
    let path = root;
    for (let depth = 0; depth < 40; depth++) path = join(path, "a-folder-with-a-long-name");
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "file"), "");
    writeFileSync(join(root, "read-only"), "");
    chmodSync(join(root, "read-only"), 0o444);
    mkdirSync(join(root, "kept"));
    chmodSync(join(root, "kept"), 0o555);
    expect(path.length).toBeGreaterThan(1000);
    expect(identity !== null && removeTree(root, identity)).toEqual({ ok: true });
    expect(existsSync(root)).toBe(false);
  });

  test("names what somebody keeps open, and takes it once it is free", () => {
    const root = join(folder, "open");
    mkdirSync(root);
    const identity = folderIdentity(root);
    if (identity === null) throw new Error("no folder");
    const held = tryHoldFile(join(root, "file"));
    if (typeof held === "string") throw new Error(held);
    expect(removeTree(root, identity)).toMatchObject({ ok: false, left: expect.stringContaining("file") });
    held.release();
    expect(removeTree(root, identity)).toEqual({ ok: true });
    expect(lstatSync(root, { throwIfNoEntry: false })).toBeUndefined();
  });

  test("of a worktree's registration waits for a moment until nobody has it open", async () => {
    const registered = join(folder, "git/worktrees/one");
    mkdirSync(registered, { recursive: true });
    writeFileSync(join(registered, "gitdir"), `${join(folder, "one/.git")}\n`);
    const held = tryHoldFile(join(registered, "HEAD"));
    if (typeof held === "string") throw new Error(held);
    setTimeout(() => held.release(), 300);
    const left = await removeRegistration(join(folder, "git"), registered, join(folder, "one"));
    expect([left, existsSync(registered)]).toEqual([undefined, false]);
  });
});
