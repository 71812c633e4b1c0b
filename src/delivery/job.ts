/** What is handed through a delivery: what was asked, what is known when work begins, and what comes of it. */
import type { Observer } from "../acceptance/derive.ts";
import type { Expected } from "../expected/shape.ts";
import type { DeliveryCode, Refusal, Result } from "../outcome.ts";
import type { Interruption } from "../process/interruption.ts";
import type { Sink } from "../process/sinks.ts";
import type { Told } from "../repository/git-state.ts";
import type { Source } from "../repository/preflight.ts";
import type { KeptPack } from "../repository/publish.ts";
import type { Worktree } from "../repository/worktree.ts";
import type { DeliveryFolder } from "./private-folder.ts";
import type { Receipt } from "./receipt-schema.ts";

export interface DeliverRequest {
  readonly repo: string;
  readonly contract: string;
  /** The exact argument vector; the first word is the program. */
  readonly command: readonly string[];
  /** How long the command may run, in milliseconds. */
  readonly timeoutMs: number;
  /** A commit-ish to start from in place of HEAD. */
  readonly base?: string | undefined;
  /** The caller's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the delivery early, and cleanly. */
  readonly interruption: Interruption;
  /** Takes the command's output; the process's own stderr does if it is left out. */
  readonly output?: Sink | undefined;
  /** Of the contract's own checks and guards, if it declares any. */
  readonly observer?: Observer | undefined;
}

export interface Delivery {
  readonly receipt: Receipt;
  /** Lines for people beside the receipt. */
  readonly notes: readonly string[];
}

/** A delivery whose repository is known; its contract need not be yet. */
export interface PlacedRequest extends DeliverRequest {
  readonly source: Source;
  readonly worktrees: readonly string[];
  /** Asks whether the command may run; to be called once, and heard before it does. */
  readonly admit: () => Promise<Admission>;
}

/** What the contract says, and its file. */
export interface Bounds {
  readonly id: string;
  readonly task: string;
  readonly writablePaths: readonly string[] | undefined;
  /** The contract's checks and guards, if it declares any. */
  readonly acceptance: Expected | undefined;
  readonly contractBytes: Uint8Array;
}

/** A delivery that may begin: everything that was learnt about what was asked. */
export interface Job extends PlacedRequest, Bounds {}

/** Whether the command may run: what it is bound by, and what Git told meanwhile of its state. */
export type Admission = Result<{ readonly bounds: Bounds; readonly told: Told }, DeliveryCode>;

/** What is ready to be published: the commit, and its pack. */
export interface Candidate {
  readonly commit: string;
  readonly pack: KeptPack;
}

export type Change =
  | { readonly ok: true; readonly candidate: Candidate; readonly unproven?: undefined }
  | (Refusal<DeliveryCode> & {
      /** Says what of the command's process tree could not be proven gone. Nothing may be removed then. */
      readonly unproven?: string;
      /** A candidate that will not be published. */
      readonly abandoned?: Candidate;
    });

/** What is made for a delivery, as far as it is made. */
export interface Workspace {
  readonly folder: DeliveryFolder;
  worktree: Worktree | undefined;
  /** What may go on beside the dismantling, and is to be over when the work is. */
  readonly beside: Promise<unknown>[];
}
