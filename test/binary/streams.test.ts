/** Streams that do not block: what is not ready is waited for, on both sides. */
import { afterAll, expect } from "bun:test";
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { engine, executable } from "../support/engine.ts";
import { needing } from "../support/means.ts";
import { temporaryFolder } from "../support/repository.ts";

const { path: folder, dispose } = temporaryFolder();
afterAll(dispose);
const test = needing("file kinds of POSIX", "Perl");

/** Runs the executable with streams that do not block; the runtime hands down none. */
function unblocked(...args: readonly string[]): readonly string[] {
  const flag = "fcntl($_, F_SETFL, O_NONBLOCK | fcntl($_, F_GETFL, 0)) for *STDIN, *STDOUT";
  return ["perl", "-MFcntl", "-e", `${flag}; exec @ARGV`, executable, ...args];
}

/** A pipe with both its ends. */
function pipe(name: string): { readonly reading: number; readonly writing: number } {
  const path = join(folder, name);
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reading, writing: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) };
}

test("a result that is larger than the pipe is written whole, though its reader is slow", async () => {
  const whole = (await engine(["licenses"])).stdout;
  expect(whole.length).toBeGreaterThan(128 * 1024);
  const { reading, writing } = pipe("out");
  const child = Bun.spawn([...unblocked("licenses")], { stdin: "ignore", stdout: writing });
  closeSync(writing);
  await Bun.sleep(300);
  const read: string[] = [];
  const buffer = Buffer.alloc(16 * 1024);
  for (let count = -1; count !== 0; await Bun.sleep(5)) {
    try {
      count = readSync(reading, buffer, 0, buffer.length, null);
      read.push(buffer.toString("latin1", 0, count));
    } catch {
      // Nothing is there yet.
    }
  }
  closeSync(reading);
  expect(await child.exited).toBe(0);
  expect(Buffer.from(read.join(""), "latin1").toString()).toBe(whole);
});

test("a request that comes late is waited for", async () => {
  const { reading, writing } = pipe("in");
  const child = Bun.spawn([...unblocked("protocol")], { stdin: reading, stdout: "pipe", stderr: "pipe" });
  await Bun.sleep(200);
  writeSync(writing, '{"version":1,"operation":"check",');
  await Bun.sleep(200);
  writeSync(writing, '"repo":"/nowhere","contract":"/nowhere"}');
  closeSync(writing);
  closeSync(reading);
  expect(await child.stdout.text()).toContain('"code":"CONTRACT_UNREADABLE"');
  expect(await child.stderr.text()).toBe("");
  expect(await child.exited).toBe(3);
});
