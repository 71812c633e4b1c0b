/** One engine at a time for the short steps that change what engines share. */
import { closeSync, constants, openSync } from "node:fs";
import { tryLock } from "../files/lock.ts";
import { tryHoldFile } from "../files/lock.windows.ts";
import { type Refusal, type Result, refusal } from "../outcome.ts";

/** Far longer than 50 engines need in turn; only a stopped engine holds the lock longer. */
const patience = 60_000;

/**
 * Runs `step` while holding the lock file `path`, which is made if absent and stays. Refuses GIT_FAILED if it
 * cannot be opened or is held for a minute. A file system without locks is no obstacle, nor is one that is full:
 * the lock only makes failures rarer that are tried again anyway, and what is to be removed must not stay for it.
 */
export async function withLock<Value, Code extends string>(
  path: string,
  step: () => Promise<Result<Value, Code>>,
): Promise<Result<Value, Code | "GIT_FAILED">> {
  if (process.platform === "win32") return whileHeld(path, step);
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o644);
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

function isFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");
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
