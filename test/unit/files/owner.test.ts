import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderIdentity } from "../../../src/files/identity.ts";
import { readLeader, readOwner, writeLeader, writeOwner } from "../../../src/files/owner.ts";
import { ownIdentity } from "../../../src/process/identity.ts";

const root = mkdtempSync(join(tmpdir(), "satyrn-owner-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const purpose = { repository: "/a repo/.git", worktree: "satyrn-0123456789ab" };

function owned() {
  const path = mkdtempSync(join(root, "folder-"));
  const identity = folderIdentity(path);
  if (identity === null) throw new Error("no folder");
  writeOwner(path, identity, purpose);
  return { path, identity };
}

test("the record says who made the folder, what for, and which folder it is", () => {
  const { path, identity } = owned();
  expect(readdirSync(path)).toEqual(["owner.json"]);
  expect(readOwner(path)).toEqual({ engine: ownIdentity(), ...purpose, path, identity });
});

const edits: readonly [name: string, edit: (record: Record<string, unknown>) => void][] = [
  ["of another version", (record) => Object.assign(record, { version: 2 })],
  ["without a folder", (record) => Object.assign(record, { folder: null })],
  [
    "whose inode is no number",
    (record) => Object.assign(record, { folder: { path: "/", device: "1", inode: "x" } }),
  ],
  ["whose worktree is a path", (record) => Object.assign(record, { worktree: "../../home" })],
  ["whose worktree is the folder's parent", (record) => Object.assign(record, { worktree: ".." })],
  ["whose repository is no text", (record) => Object.assign(record, { repository: 5 })],
];
for (const [name, edit] of edits) {
  test(`a record ${name} is none`, () => {
    const { path } = owned();
    const record = JSON.parse(readFileSync(join(path, "owner.json"), "utf8"));
    edit(record);
    writeFileSync(join(path, "owner.json"), JSON.stringify(record));
    expect(readOwner(path)).toBeNull();
  });
}

test("a record is believed in a real folder that nobody else may write, as a real file", () => {
  const { path } = owned();
  expect(readOwner(path)).not.toBeNull();
  symlinkSync(path, join(root, "link"));
  expect(readOwner(join(root, "link"))).toBeNull();
  chmodSync(path, 0o720);
  expect(readOwner(path)).toBeNull();
  chmodSync(path, 0o700);
  rmSync(join(path, "owner.json"));
  symlinkSync(join(owned().path, "owner.json"), join(path, "owner.json"));
  expect(readOwner(path)).toBeNull();
  expect(readOwner(join(root, "absent"))).toBeNull();
});

test.skipIf(process.platform !== "linux")("the leader of the command, by number and start", () => {
  const { path } = owned();
  expect(readLeader(path)).toBeNull();
  writeLeader(path, process.pid);
  expect(readLeader(path)).toEqual({ pid: process.pid, started: ownIdentity()?.started ?? "" });
});

test("a leader that cannot be recorded changes nothing", () => {
  writeLeader(join(root, "absent"), process.pid);
  expect(readLeader(join(root, "absent"))).toBeNull();
});
