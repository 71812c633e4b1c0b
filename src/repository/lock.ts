/** One engine at a time for the short steps that change what engines share. */
import { closeSync, constants, openSync } from "node:fs";
import { tryLock } from "../files/lock.ts";
import { tryHoldFile } from "../files/lock.windows.ts";
import { type Refusal, type Result, refusal } from "../outcome.ts";

/** Far longer than 50 engines need in turn; only a stopped engine holds the lock longer. */
const patience = 60_000;

/**
 * Runs `step` while holding the lock file `path`, which is made if absent, told to `onMade`, and stays. Refuses
 * GIT_FAILED if it cannot be opened or is held for a minute. A file system without locks is no obstacle, nor is one
 * that is full: the lock only makes failures rarer that are tried again anyway, and what is to be removed must not
 * stay for it.
 */
export async function withLock<Value, Code extends string>(
  path: string,
  step: () => Promise<Result<Value, Code>>,
  onMade: (path: string) => void = () => {},
): Promise<Result<Value, Code | "GIT_FAILED">> {
  if (process.platform === "win32") return whileHeld(path, step);
  let descriptor: number;
  try {
    descriptor = openLock(path, onMade);
  } catch (error) {
    if (isFull(error)) return step();
    return refusal("GIT_FAILED", `cannot open ${path}: ${(error as Error).message}`);
  }
  try {
    const deadline = performance.now() + patience;
    while (tryLock(descriptor) === "busy") {
      if (performance.now() > deadline) return heldTooLong(path);
      await Bun.sleep(1 + Math.random() * 3);
    }
    return await step();
  } finally {
    letGo(descriptor);
  }
}

function openLock(path: string, onMade: (path: string) => void): number {
  const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const open = (flags: number) => openSync(path, flags | O_NOFOLLOW, 0o644);
  try {
    return open(O_RDWR);
  } catch (error) {
    // One that somebody else made can be locked by whoever may read it.
    if (isCode(error, "EACCES")) return open(O_RDONLY);
    if (!isCode(error, "ENOENT")) throw error;
  }
  try {
    const descriptor = open(O_RDWR | O_CREAT | O_EXCL);
    onMade(path);
    return descriptor;
  } catch (error) {
    if (isCode(error, "EEXIST")) return open(O_RDONLY);
    throw error;
  }
}

function isFull(error: unknown): boolean {
  return isCode(error, "ENOSPC", "EDQUOT");
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? "");
}

async function whileHeld<Value, Code extends string>(
  path: string,
  step: () => Promise<Result<Value, Code>>,
): Promise<Result<Value, Code | "GIT_FAILED">> {
  const deadline = performance.now() + patience;
  let held = tryHoldFile(path);
  for (; held === "busy"; held = tryHoldFile(path)) {
    if (performance.now() > deadline) return heldTooLong(path);
    await Bun.sleep(1 + Math.random() * 3);
  }
  try {
    return await step();
  } finally {
    if (held !== "unavailable") held.release();
  }
}

function heldTooLong(path: string): Refusal<"GIT_FAILED"> {
  return refusal("GIT_FAILED", `${path} has been held for a minute`);
}

/** Nothing was written: a file system that reports a failure now has nothing to lose. */
function letGo(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {}
}
