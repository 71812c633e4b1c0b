/** The result files and lines of acceptance: their fields and their layout. */

import type { Review, Reviews } from "./reviews.ts";
import type { Packet } from "./schema.ts";
import type { CommandRecord, Guard } from "./verification-schema.ts";

/** What both results say. */
interface Common {
  readonly schema_version: 1;
  readonly task: string;
  readonly source_sha: string;
  readonly inputs_sha: string;
  readonly allocation_base: string;
  readonly contract: ContractDigests;
  readonly commands: readonly CommandRecord[];
  readonly guards: readonly Guard[];
  readonly reasons: readonly string[];
}

/** The digests that the packet binds. */
export interface ContractDigests {
  readonly contract: string;
  readonly expected: string;
  readonly meta: string;
}

/** The file that `verify` writes. */
export interface ChecksResult extends Common {
  readonly kind: "loop-checks";
}

/** The file that `accept` writes. */
export interface AcceptanceResult extends Common {
  readonly kind: "loop";
  readonly reviews: readonly Review[];
  readonly ignored_reviews: Reviews["ignored_reviews"];
  readonly assumptions: readonly string[];
  readonly verdict: "ACCEPTED" | "FAILED";
  /** Every stream and counted review, sorted. */
  readonly evidence: readonly string[];
}

export function digestsOf({ contract, expected, meta }: Packet): ContractDigests {
  return { contract: contract.sha256, expected: expected.sha256, meta: meta.sha256 };
}

/** The fields of a result that the packet determines. */
export function taskFields(
  packet: Packet,
): Pick<Common, "schema_version" | "task" | "inputs_sha" | "allocation_base" | "contract"> {
  const { task, inputs_sha, allocation_base } = packet;
  return { schema_version: 1, task, inputs_sha, allocation_base, contract: digestsOf(packet) };
}

/** A result file's text: two spaces, keys sorted, a final newline. */
export function fileText(result: ChecksResult | AcceptanceResult): string {
  return `${JSON.stringify(sorted(result), null, 2)}\n`;
}

/** One line for stdout, keys sorted, with its newline. */
export function lineText(line: object): string {
  return `${JSON.stringify(sorted(line))}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, sorted(field)]));
}
