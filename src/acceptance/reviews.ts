/** Review records: who looked at this very source, for which requirements, and what is still open. */
import { join } from "node:path";
import { type Sha256, sha256 } from "../files/digest.ts";
import { readRegularFile } from "../files/read.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { fileIn } from "./places.ts";
import { readJsonBytes, shaped } from "./records.ts";
import type { Packet, ReviewRecord } from "./schema.ts";
import { isReviewRecord } from "./validate.generated.ts";

export interface Review {
  readonly path: string;
  readonly sha256: Sha256;
  readonly engine: string;
  readonly model: string;
  readonly requirements: readonly string[];
  readonly open_binding_findings: readonly string[];
}

export interface Reviews {
  readonly reviews: readonly Review[];
  /** Well-formed, and about something else. */
  readonly ignored_reviews: readonly { readonly path: string; readonly reason: string }[];
  readonly reasons: readonly string[];
}

export interface ReviewQuestion {
  /** Canonical path of the worktree. */
  readonly worktree: string;
  readonly packet: Packet;
  readonly source: string;
  /** Paths as the submission lists them. */
  readonly listed: readonly string[];
}

/**
 * Judges the listed reviews. A malformed one is the only reason given; otherwise every requirement without a
 * counted review, and every binding finding still open in a counted one.
 */
export function judgeReviews(question: ReviewQuestion): Reviews {
  const reviews: Review[] = [];
  const ignored: { path: string; reason: string }[] = [];
  for (const listed of question.listed) {
    const read = readReview(question, listed);
    if (!read.ok) {
      const reason = `failed: malformed review record ${listed}: ${read.message}`;
      return { reviews, ignored_reviews: ignored, reasons: [reason] };
    }
    if ("reason" in read.value) ignored.push(read.value);
    else reviews.push(read.value);
  }
  return { reviews, ignored_reviews: ignored, reasons: reasonsOf(question.packet, reviews) };
}

function reasonsOf(packet: Packet, reviews: readonly Review[]): readonly string[] {
  const covered = new Set(reviews.flatMap((review) => review.requirements));
  const missing = packet.review_requirements.filter((id) => !covered.has(id));
  const open = [...new Set(reviews.flatMap((review) => review.open_binding_findings))];
  const reasons: string[] = [];
  if (missing.length > 0) reasons.push(`failed: required review coverage missing for ${missing.join(", ")}`);
  if (open.length > 0) reasons.push(`failed: unresolved binding review findings ${open.join(", ")}`);
  return reasons;
}

type Read = Review | { readonly path: string; readonly reason: string };

function readReview({ worktree, packet, source }: ReviewQuestion, listed: string): Result<Read, "MALFORMED"> {
  const path = fileIn(worktree, ".devlyn", listed);
  if (path === undefined) return refusal("MALFORMED", "it is not a file under .devlyn in the worktree");
  const file = readRegularFile(join(worktree, path), maxBytes);
  if (!file.ok) return refusal("MALFORMED", `cannot be read: ${file.message}`);
  const json = readJsonBytes(file.value);
  if (!json.ok) return refusal("MALFORMED", json.message);
  const shape = shaped(json.value, isReviewRecord);
  if (!shape.ok) return shape;
  const record = shape.value;
  const rejected = record.findings.findIndex(
    (each) => each.disposition === "rejected" && !isReason(each.reason),
  );
  if (rejected >= 0) return refusal("MALFORMED", `findings[${rejected}].reason must say why it is rejected`);
  const reason = bindingProblem(record, packet, source);
  if (reason !== undefined) return success({ path, reason });
  const known = [...packet.requirements, ...packet.review_requirements];
  const stranger = record.requirements.find((id) => !known.includes(id));
  if (stranger !== undefined) {
    return refusal(
      "MALFORMED",
      `requirements: ${JSON.stringify(stranger)} is not a requirement of this task`,
    );
  }
  return success({
    path,
    sha256: sha256(file.value),
    engine: record.engine,
    model: record.model,
    requirements: record.requirements,
    open_binding_findings: record.findings
      .filter(({ binding, disposition }) => binding && disposition === "open")
      .map(({ id }) => id),
  });
}

const maxBytes = 64 * 1024 * 1024;

function isReason(reason: unknown): boolean {
  return typeof reason === "string" && /\S/.test(reason);
}

function bindingProblem(record: ReviewRecord, packet: Packet, source: string): string | undefined {
  if (record.task !== packet.task) return `review is for task '${record.task}', not ${packet.task}`;
  if (record.source_sha !== source) return `review is bound to source ${record.source_sha}, not ${source}`;
  const sameContract =
    record.contract_sha256 === packet.contract.sha256 && record.expected_sha256 === packet.expected.sha256;
  return sameContract ? undefined : "review is bound to a different contract";
}
