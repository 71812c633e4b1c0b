/** What one step of a workflow asks for, once its inputs are read. */

interface Common {
  /** Whether a refusal fails the step. */
  readonly failOn: "refusal" | "never";
}

interface ContractAsked extends Common {
  readonly contract: string;
  /** Root of the working tree. */
  readonly repo: string;
}

export interface CheckAsked extends ContractAsked {
  readonly operation: "check";
}

export interface DeliverAsked extends ContractAsked {
  readonly operation: "deliver";
  readonly timeoutMs: number;
  readonly base: string | undefined;
  readonly command: readonly string[];
  /** The remote that a created candidate ref is pushed to; null for none. */
  readonly push: string | null;
}

export interface VerifyAsked extends Common {
  readonly operation: "verify";
  readonly packet: string;
}

export interface AcceptAsked extends Common {
  readonly operation: "accept";
  readonly packet: string;
  readonly submission: string;
}

export type Asked = CheckAsked | DeliverAsked | VerifyAsked | AcceptAsked;
