/** Which processes belong to a command. */
import { descendantsByParent } from "./descendants.by-parent.ts";
import { linuxDescendants, linuxTable } from "./descendants.linux.ts";
import { macosTable } from "./descendants.macos.ts";
import type { Descendants } from "./processes.ts";

/** Begins to watch. Children that this process has already are nobody's but its own, and are never named. */
export function watchDescendants(): Descendants {
  if (process.platform === "darwin") return descendantsByParent(macosTable());
  return linuxDescendants() ?? descendantsByParent(linuxTable);
}
