/** The command's processes where orphans do not come to the engine: its group, and what its leader leads to. */
import type { Descendants, Process, Table } from "./processes.ts";

/**
 * Finds the members of the command's group and the descendants of all that was ever found. A process that left
 * the group is found while its parents live, which they do at a deadline; from then on it is remembered. A
 * daemon whose parents ended before anybody looked belongs to init, or launchd, and is not found.
 */
export function descendantsByParent(table: Table): Descendants {
  const known = new Map<number, Process>();

  function living(leader: number): readonly Process[] {
    const queue = [leader, ...table.members(leader), ...known.keys()];
    const looked = new Set<number>();
    for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
      if (looked.has(pid)) continue;
      looked.add(pid);
      const found = table.read(pid);
      const before = known.get(pid);
      if (found === null || (before !== undefined && before.started !== found.started)) {
        known.delete(pid);
      } else {
        known.set(pid, found);
        queue.push(...table.children(pid));
      }
    }
    return [...known.values()];
  }

  return {
    reach: "group",
    living,
    isAlive: ({ pid, started }) => table.read(pid)?.started === started,
    release: () => {},
  };
}
