import type { Interruption } from "../process/interruption.ts";
import type { Sink } from "../process/sinks.ts";

/** What to attempt, and where. */
export interface AttemptRequest {
  /** Path of the contract file, inside the worktree or outside. */
  readonly contract: string;
  /** The model, as Pi names it. Never a default: the model's identity must be reproducible. */
  readonly model: string;
  /** Milliseconds that Pi may take, or null for no limit. */
  readonly timeout: number | null;
  /** Root of the worktree. */
  readonly directory: string;
  /** The caller's; `SATYRN_PI`, `TMPDIR` and the `SATYRN_ATTEMPT_` variables are read from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the engine that the tools in Pi ask. */
  readonly engine: string;
  readonly interruption: Interruption;
  /** Where Pi's transcript goes as it comes, and what Pi says for people. */
  readonly stdout: Sink;
  readonly stderr: Sink;
}
