/** What differs from system to system in running a program. */
import type { Environment } from "./environment.ts";
import type { Channel } from "./output.ts";
import type { Program } from "./program.ts";

export interface System {
  /** The file that the command's first word names, for a program that starts in `cwd`. */
  findProgram(argv: readonly string[], cwd: string, environment: Environment): Program;
  /** Null when the system has no descriptors left. */
  openChannel(): Channel | null;
  /** To be called before the program is started. */
  watch(): Tree;
}

/** The watch over the process tree of one program. */
export interface Tree {
  /** What the watch covers: every descendant, or only those that did not escape the program's group. */
  readonly reach: "tree" | "group";
  /** Called with the program's process right after its start. */
  hold(pid: number): void;
  /**
   * Ends every process of the tree and names those that could not be ended: none, if the tree is gone.
   * `notice` null means that the program ended by itself.
   */
  tearDown(leader: Leader, notice: Notice | null): Promise<readonly string[]>;
  /** The status the program ended with, all of its bits; null where the runtime tells it whole. */
  exitStatus(): number | null;
  release(): void;
}

/** The program itself. */
export interface Leader {
  readonly pid: number;
  /**
   * Whether the process has not been waited for yet. As long as it has not, its number, which on POSIX is
   * its group's too, cannot pass to another process.
   */
  isUnreaped(): boolean;
}

/** How to ask the tree to end: with which signal, and for how long, in milliseconds, before insisting. */
export interface Notice {
  readonly signal: NodeJS.Signals;
  readonly grace: number;
}
