/** The one JSON result of a delivery. */
import { join } from "node:path";
import { datedName, makeFolders } from "../files/make-folders.ts";
import { publishNewFile } from "../files/publish.ts";
import { type DeliveryCode, deliveryCodes, type ExitStatus } from "../outcome.ts";
import type { Source } from "../repository/preflight.ts";
import { share } from "../repository/sharing.ts";
import type { Receipt } from "./receipt-schema.ts";

/** What a delivery has learnt so far; the rest of its receipt follows. */
export type Findings = {
  -readonly [Field in Exclude<keyof Receipt, Derived>]?: Receipt[Field];
};

type Derived = "version" | "outcome" | "code" | "message" | "repository" | "engine_version" | "duration_ms";

/** The receipt of a delivery that ended with `code`: coarse outcome derived, every field there in its order. */
export function receiptOf(
  code: DeliveryCode,
  message: string,
  findings: Findings,
  facts: Pick<Receipt, "repository" | "engine_version" | "duration_ms">,
): Receipt {
  return {
    version: 1,
    outcome: deliveryCodes[code][0],
    code,
    message,
    contract_id: findings.contract_id ?? null,
    repository: facts.repository,
    base_commit: findings.base_commit ?? null,
    candidate_ref: findings.candidate_ref ?? null,
    candidate_commit: findings.candidate_commit ?? null,
    changed_paths: findings.changed_paths ?? null,
    command_exit: findings.command_exit ?? null,
    worktree_path: findings.worktree_path ?? null,
    source_drift: findings.source_drift ?? null,
    verification: findings.verification ?? null,
    engine_version: facts.engine_version,
    duration_ms: facts.duration_ms,
  };
}

export function receiptStatus(receipt: Receipt): ExitStatus {
  return deliveryCodes[receipt.code][1];
}

/** The receipt as it is printed and kept: compact JSON in ASCII, and a newline. */
export function renderReceipt(receipt: Receipt): string {
  const json = JSON.stringify(receipt);
  return `${json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}

/**
 * Keeps a receipt below the repository's common directory, so that a lost pipe loses no evidence. Gives why it
 * could not, or undefined. Appears whole or not at all, exclusively, and follows no link.
 */
export function keepReceipt(
  receipt: Receipt,
  { commonDirectory, sharing }: Pick<Source, "commonDirectory" | "sharing">,
  now: Date,
): string | undefined {
  if (receipt.contract_id === null || !isSafeComponent(receipt.contract_id)) return undefined;
  const folder = makeFolders(commonDirectory, ["satyrn", "receipts", receipt.contract_id], (path) =>
    share(path, sharing),
  );
  if (!folder.ok) return folder.message;
  const kept = publishNewFile(join(folder.value, `${datedName(now)}.json`), renderReceipt(receipt));
  return kept.ok ? undefined : kept.message;
}

/** Whether an id, valid as a ref or not, is exactly one name in a folder. */
function isSafeComponent(id: string): boolean {
  return (
    id !== "" &&
    id !== "." &&
    id !== ".." &&
    Buffer.byteLength(id) <= 200 &&
    !/[/\\:\u0000-\u001f\u007f]/.test(id)
  );
}
