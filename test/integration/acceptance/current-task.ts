/** The task a test has made, and the questions every test of acceptance asks of it. */
import { readFileSync } from "node:fs";
import { type Accepted, accept } from "../../../src/acceptance/accept.ts";
import { verify } from "../../../src/acceptance/verify.ts";
import { makeTask, type TaskOptions, type TestTask } from "../../support/task.ts";

let current: TestTask | undefined;

/** The one before is gone with it. */
export function make(options: TaskOptions = {}): void {
  disposeTask();
  current = makeTask(options);
}

export function task(): TestTask {
  if (current === undefined) throw new Error("no task is made");
  return current;
}

export function disposeTask(): void {
  current?.dispose();
  current = undefined;
}

export function checks(...verification_commands: readonly unknown[]): {
  readonly verification_commands: unknown;
} {
  return { verification_commands };
}

export type Changes = Readonly<Record<string, unknown>>;

/** `verify`, which must not be blocked: its outcome, and the result file as `file`. */
export async function checked(changes: Changes = {}) {
  const outcome = await verify({ packet: task().packet(changes) });
  if (outcome.status !== "CHECKED") throw new Error(outcome.reason);
  return { ...outcome, file: JSON.parse(readFileSync(outcome.result, "utf8")) };
}

/** Why `verify` is blocked. */
export async function blockedBy(changes: Changes = {}, source?: string): Promise<string> {
  const outcome = await verify({ packet: task().packet(changes), source });
  if (outcome.status !== "BLOCKED") throw new Error(`not blocked: ${outcome.reasons}`);
  return outcome.reason;
}

/** `accept` of a submission with `changes`, which must not be blocked. */
export async function judged(changes: Changes = {}, failure?: string) {
  const submission = task().submission(changes);
  const outcome = await accept({ packet: task().packet(), submission, failure });
  if (outcome.status === "BLOCKED") throw new Error(outcome.reason);
  return withFile(outcome);
}

export function withFile(outcome: Accepted) {
  return { ...outcome, file: JSON.parse(readFileSync(outcome.result, "utf8")) };
}
