import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chownSync,
  closeSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { publishFile, publishNewFile } from "../../../src/files/publish.ts";
import { abandonedIn, isUnlocked, openUnfinished, unfinishedName } from "../../../src/files/unfinished.ts";
import { temporaryFolder } from "../../support/repository.ts";

let folder: string;
let dispose: () => void;
beforeEach(() => {
  ({ path: folder, dispose } = temporaryFolder());
});
afterEach(() => dispose());

/** A file that a writer of another process began, and was killed over; `seconds` ago. */
async function killedOver(name: string, seconds: number): Promise<string> {
  const path = join(folder, unfinishedName(name));
  const module = JSON.stringify(join(import.meta.dir, "../../../src/files/unfinished.ts"));
  const source = `const { openUnfinished } = await import(${module}); openUnfinished(${JSON.stringify(path)}, 0o600);`;
  const writer = Bun.spawn([process.execPath, "-e", `${source} process.kill(process.pid, "SIGKILL")`]);
  await writer.exited;
  writeFileSync(path, "half");
  passTime(path, seconds);
  return path;
}

function passTime(path: string, seconds: number): void {
  const past = Date.now() / 1000 - seconds;
  utimesSync(path, past, past);
}

test("what a writer was killed over is abandoned, and goes with the next file in the folder", async () => {
  const [one, other] = [await killedOver("one.json", 11), await killedOver("other.json", 11)];
  expect(abandonedIn(folder).toSorted()).toEqual([one, other].sort());
  expect(publishFile(join(folder, "one.json"), "1")).toMatchObject({ ok: true });
  expect(readdirSync(folder)).toEqual(["one.json"]);
  await killedOver("other.json", 11);
  expect(publishNewFile(join(folder, "other.json"), "2")).toMatchObject({ ok: true });
  expect(readdirSync(folder).sort()).toEqual(["one.json", "other.json"]);
});

test("also what is of the time before the clock was set back", async () => {
  expect(abandonedIn(folder)).toEqual([]);
  const path = await killedOver("one.json", -3600);
  expect(abandonedIn(folder)).toEqual([path]);
});

test("what is being written is not, however old it is", () => {
  const path = join(folder, unfinishedName("one.json"));
  const descriptor = openUnfinished(path, 0o600);
  passTime(path, 3600);
  expect([abandonedIn(folder), isUnlocked(path)]).toEqual([[], false]);
  closeSync(descriptor);
  expect([abandonedIn(folder), isUnlocked(path)]).toEqual([[path], true]);
});

test("what was made a moment ago may be about to be locked", async () => {
  const path = await killedOver("one.json", 0);
  expect([abandonedIn(folder), isUnlocked(path)]).toEqual([[], true]);
});

test("a person's file, a link and what has another name are nobody's unfinished file", () => {
  const target = join(folder, "target");
  writeFileSync(target, "");
  const link = join(folder, unfinishedName("link"));
  symlinkSync(target, link);
  for (const name of [".one.json.tmp", "one.json.4711.tmp", ".one.json.4711-1a2b3c4d.tmp", "one.json"]) {
    writeFileSync(join(folder, name), "");
    passTime(join(folder, name), 3600);
    expect(isUnlocked(join(folder, name))).toBe(false);
  }
  expect([abandonedIn(folder), isUnlocked(link)]).toEqual([[], false]);
  expect(abandonedIn(join(folder, "none"))).toEqual([]);
});

test("nor is a pipe, which is not waited for, or somebody else's file", () => {
  const path = join(folder, unfinishedName("one"));
  Bun.spawnSync(["mkfifo", path]);
  expect(isUnlocked(path)).toBe(false);
  if (process.getuid?.() !== 0) return console.log("skipped: only root can give a file away");
  const other = join(folder, unfinishedName("other"));
  writeFileSync(other, "");
  expect(isUnlocked(other)).toBe(true);
  chownSync(other, 12345, 12345);
  expect(isUnlocked(other)).toBe(false);
});

test("a new file never takes the place of one, or of a link", () => {
  const path = join(folder, "receipt.json");
  expect(publishNewFile(path, "first").ok).toBe(true);
  expect(publishNewFile(path, "second")).toMatchObject({
    ok: false,
    code: "NOT_WRITTEN",
    message: expect.stringContaining("EEXIST"),
  });
  symlinkSync(join(folder, "nowhere"), join(folder, "link.json"));
  expect(publishNewFile(join(folder, "link.json"), "x").ok).toBe(false);
  expect(readFileSync(path, "utf8")).toBe("first");
  expect(existsSync(join(folder, "nowhere"))).toBe(false);
  expect(readdirSync(folder).sort()).toEqual(["link.json", "receipt.json"]);
});
