/** A program's process tree on POSIX: a session, found by descent, ended by signals. */
import { oneLine } from "../outcome.ts";
import { watchDescendants } from "./descendants.ts";
import { openPipe } from "./output.ts";
import type { Process } from "./processes.ts";
import { findProgram } from "./program.ts";
import type { System } from "./system.ts";
import { tearDown } from "./teardown.ts";

export const posix: System = {
  findProgram,
  openChannel: openPipe,
  watch: () => {
    const descendants = watchDescendants();
    return {
      reach: descendants.reach,
      hold: () => {},
      tearDown: async (leader, notice) => (await tearDown(descendants, leader, notice)).map(nameOf),
      exitStatus: () => null,
      release: () => descendants.release(),
    };
  },
};

function nameOf({ pid, name }: Process): string {
  return `${pid} (${oneLine(name)})`;
}
