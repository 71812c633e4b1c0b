/** Which processes belong to a command. */
import { descendantsByParent } from "./descendants.by-parent.ts";
import { linuxDescendants, linuxTable } from "./descendants.linux.ts";
import { macosTable } from "./descendants.macos.ts";

/** A live process: its number is its own only as long as its start time is the same. */
export interface Process {
  readonly pid: number;
  /** When it started, in the system's own unit; compared, never read. */
  readonly started: string;
  readonly group: number;
  readonly name: string;
}

/** The watch over one command's processes, begun before the command is started. */
export interface Descendants {
  /**
   * Whether a process that left the command's group, or whose parents are gone, is found: "tree" if every
   * one is, "group" if such can escape.
   */
  readonly reach: "tree" | "group";
  /** The command's live processes, zombies left out. `leader` is the command itself. */
  living(leader: number): readonly Process[];
  /** Whether this very process is still there. */
  isAlive(process: Process): boolean;
  release(): void;
}

/** Begins to watch. Children that this process has already are nobody's but its own, and are never named. */
export function watchDescendants(): Descendants {
  if (process.platform === "darwin") return descendantsByParent(macosTable());
  return linuxDescendants() ?? descendantsByParent(linuxTable);
}
