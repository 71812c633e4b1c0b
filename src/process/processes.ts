/** What is asked of any system about its processes. */

/** A live process: its number is its own only as long as its start time is the same. */
export interface Process {
  readonly pid: number;
  /** When it started, in the system's own unit; compared, never read. */
  readonly started: string;
  readonly group: number;
  readonly name: string;
}

/** What the system tells of its processes. */
export interface Table {
  /** The live process of this number; null for a zombie. */
  read(pid: number): Process | null;
  members(group: number): readonly number[];
  children(parent: number): readonly number[];
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
