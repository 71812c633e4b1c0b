/** What came of a step: everything that its outputs, its summary and its annotations are made of. */
import type { Derivation } from "../acceptance/derive.ts";
import type { DeliveryCode, DeliveryOutcome, ExitStatus } from "../outcome.ts";
import type { ChangedPath } from "./diffstat.ts";

/** A delivery's codes, those of `verify` and `accept`, and what only a step can end with. */
export type ActionCode = DeliveryCode | "ACCEPTANCE_BLOCKED" | "ACCEPTANCE_FAILED" | "PUSH_FAILED" | "USAGE";

export interface Report {
  readonly outcome: DeliveryOutcome | "accepted" | "refused";
  readonly code: ActionCode;
  readonly status: ExitStatus;
  /** In words, why there is no other outcome; for OK, what there is now. */
  readonly message: string;
  /** The message's parts, if it has several. */
  readonly reasons: readonly string[];
  /** The id of the contract or of the packet's task, and the contract's own words; null if it could not be read. */
  readonly task: { readonly id: string; readonly words: string | null } | null;
  readonly verdict: "ACCEPTED" | "FAILED" | "BLOCKED" | "CHECKED" | null;
  /** What the receipt's file holds. */
  readonly receipt: string | null;
  /** Lines for people beside the message. */
  readonly notes: readonly string[];
  /** What the message is about, if it is about a place in a file. */
  readonly place: Place | null;
  readonly base: string | null;
  /** A candidate that was published. */
  readonly candidate: Candidate | null;
  /** What changed, sorted as Git sorts it; null if that is not known. */
  readonly changes: readonly ChangedPath[] | null;
  /** The checks and guards that were evaluated. */
  readonly derivation: Derivation | null;
}

export interface Place {
  readonly file: string;
  readonly line: number | null;
}

export interface Candidate {
  readonly ref: string;
  readonly commit: string;
  /** The remote it was pushed to; null if it is in this repository only. */
  readonly pushedTo: string | null;
}

/** The report of a step that ended with `code`, less what is not known of it. */
export function reportOf(
  ending: Pick<Report, "outcome" | "code" | "status" | "message"> & Partial<Report>,
): Report {
  return { ...nothing, ...ending };
}

const nothing = {
  reasons: [],
  task: null,
  verdict: null,
  receipt: null,
  notes: [],
  place: null,
  base: null,
  candidate: null,
  changes: null,
  derivation: null,
} as const;
