/** The teardown of systems that have no subreaper, with real processes of this one. */
import { afterEach, describe, expect, test } from "bun:test";
import { descendantsByParent } from "../../../src/process/descendants.by-parent.ts";
import { linuxTable } from "../../../src/process/descendants.linux.ts";
import { tearDown } from "../../../src/process/teardown.ts";
import { runningWith } from "../../support/tree.ts";

let mark = "";
afterEach(async () => {
  // What a test expects to escape ends by itself.
  while (runningWith(mark).length > 0) await Bun.sleep(20);
});

describe("without a subreaper", () => {
  test("a deadline ends the group", async () => {
    expect(await torn("sleep 60 & sh -c 'sleep 60 & wait' & sleep 60", "deadline")).toEqual([]);
  });

  test("a deadline ends a stopped group", async () => {
    expect(await torn("sleep 60 & kill -STOP $$", "deadline")).toEqual([]);
  });

  test("a deadline ends a group that does not heed SIGTERM", async () => {
    expect(await torn("trap '' TERM; sleep 60 & sleep 60", "deadline")).toEqual([]);
  });

  test("a normal exit ends what is left of the group", async () => {
    expect(await torn("sleep 60 & exit 0", "exit")).toEqual([]);
  });

  test("a normal exit finds nothing left", async () => {
    expect(await torn("exit 0", "exit")).toEqual([]);
  });

  test("a daemon that was orphaned before anybody looked escapes", async () => {
    expect(await torn("(setsid sleep 1.25 &); sleep 0.1; exit 0", "exit")).toEqual(["sleep 1.25 "]);
  });

  test("a deadline also ends what left the group", async () => {
    expect(await torn("setsid sh -c 'sleep 60 & sleep 60' & sleep 60", "deadline")).toEqual([]);
  });
});

/** Tears the tree of a shell's line down and gives what still runs of it then. */
async function torn(line: string, after: "deadline" | "exit"): Promise<readonly string[]> {
  mark = `tree-${crypto.randomUUID()}`;
  const child = Bun.spawn(["/bin/sh", "-c", line], {
    env: { ...process.env, SATYRN_TEST_MARK: mark },
    detached: true,
  });
  if (after === "exit") await child.exited;
  else await Bun.sleep(200);
  const leader = { pid: child.pid, isUnreaped: () => child.exitCode === null && child.signalCode === null };
  const notice = after === "exit" ? null : ({ signal: "SIGTERM", grace: 1000 } as const);
  expect(await tearDown(descendantsByParent(linuxTable), leader, notice)).toEqual([]);
  await child.exited;
  return runningWith(mark);
}
