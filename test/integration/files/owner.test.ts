/** The record of a command's leader, which may be over before it is written. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { readLeader, writeLeader } from "../../../src/files/owner.ts";
import { temporaryFolder } from "../../support/repository.ts";

test.skipIf(process.platform !== "linux")(
  "a leader that has ended is recorded like one that runs",
  async () => {
    const { path, dispose } = temporaryFolder();
    // A shell that became another program asks after no child.
    const parent = Bun.spawn(["sh", "-c", "true & exec sleep 10"]);
    try {
      const stat = (pid: number) => readFileSync(`/proc/${pid}/stat`, "latin1");
      const child = () => Number(readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, "latin1"));
      while (child() === 0 || !stat(child()).includes(") Z ")) await Bun.sleep(5);
      writeLeader(path, child());
      expect(readLeader(path)).toEqual({ pid: child(), started: stat(child()).split(" ")[21] ?? "" });
    } finally {
      parent.kill("SIGKILL");
      await parent.exited;
      dispose();
    }
  },
);
