/** The operation of a step, run by the library's own functions. */
import { type Accepted, accept } from "../acceptance/accept.ts";
import type { Observer } from "../acceptance/derive.ts";
import { readPacket } from "../acceptance/packet.ts";
import { lineText } from "../acceptance/result.ts";
import { type Blocked, type Checked, verify } from "../acceptance/verify.ts";
import { type CheckResult, check } from "../check.ts";
import { deliver } from "../delivery/deliver.ts";
import { receiptStatus, renderReceipt } from "../delivery/receipt.ts";
import type { Receipt } from "../delivery/receipt-schema.ts";
import { exitStatus, oneLine } from "../outcome.ts";
import type { Interruption } from "../process/interruption.ts";
import type { Sink } from "../process/sinks.ts";
import { lintRepository } from "../repository/directory.ts";
import { locateGit } from "../repository/preflight.ts";
import type { AcceptAsked, Asked, CheckAsked, DeliverAsked, VerifyAsked } from "./asked.ts";
import { diffstat } from "./diffstat.ts";
import { contractPlace } from "./place.ts";
import { type FoundRemote, findRemote, pushCandidate } from "./push.ts";
import { type Candidate, type Report, reportOf } from "./report.ts";

export interface World {
  /** The environment of the operation, and of the command it runs. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly interruption: Interruption;
  /** Takes the output of a delivery's command. */
  readonly output: Sink;
}

/**
 * Does what was asked, and says what came of it. Beyond what the operation itself does it writes nothing, but a
 * created candidate to the remote it is to be pushed to.
 */
export async function perform(asked: Asked, world: World): Promise<Report> {
  switch (asked.operation) {
    case "check":
      return checkContract(asked);
    case "deliver":
      return deliverCandidate(asked, world);
    case "verify":
    case "accept":
      return deriveVerdict(asked, world);
  }
}

function checkContract(asked: CheckAsked): Report {
  const checked = check(asked);
  const { code, message } = checked;
  const outcome = code === "OK" ? "accepted" : "refused";
  const place = contractPlace(checked, asked);
  return reportOf({ outcome, code, status: exitStatus[code], message, task: taskOf(checked), place });
}

function taskOf(checked: CheckResult): Report["task"] {
  return "contract" in checked ? { id: checked.contract.id, words: checked.contract.task } : null;
}

async function deliverCandidate(asked: DeliverAsked, world: World): Promise<Report> {
  const { env, interruption } = world;
  // A remote that is not there is found out before the command runs, not when its work is done.
  const remote = await remoteOf(asked, world);
  if (remote?.ok === false && remote.code === "UNKNOWN") {
    return usageReport(`input 'push' must be false or the name of a remote, not ${remote.message}`);
  }
  // As it is before the command runs; a delivery checks it by itself.
  const checked = check(asked);
  const { observer, seen } = observe();
  const { receipt, notes } = await deliver({ ...asked, env, interruption, output: world.output, observer });
  const { derivation, changes } = seen();
  const paths = receipt.changed_paths?.map((path) => ({ path, lines: null })) ?? null;
  const report = reportOf({
    outcome: receipt.outcome,
    code: receipt.code,
    status: receiptStatus(receipt),
    message: receipt.message,
    receipt: renderReceipt(receipt),
    notes,
    task: taskOf(checked),
    place: checked.code === receipt.code ? contractPlace(checked, asked) : null,
    base: receipt.base_commit,
    changes: changes ?? paths,
    derivation,
    reasons: receipt.code === "VERIFICATION_FAILED" ? (derivation?.reasons ?? []) : [],
  });
  return receipt.code === "OK" ? publishReport(asked, world, report, receipt, remote) : report;
}

/** Null if nothing is to be pushed, or there is no repository, which the delivery says with its own code. */
async function remoteOf({ push, repo }: DeliverAsked, world: World): Promise<FoundRemote | null> {
  if (push === null || !lintRepository(repo).ok) return null;
  return findRemote(repo, push, world.env, world.interruption.signal);
}

/** The report of inputs that cannot be acted upon. */
export function usageReport(message: string): Report {
  return reportOf({ outcome: "refused", code: "USAGE", status: exitStatus.USAGE, message });
}

/** Keeps what is seen while checks and guards are derived: a change that is discarded afterwards can still be counted. */
function observe(): { readonly observer: Observer; readonly seen: () => Seen } {
  let seen: Seen = { derivation: null, base: null, changes: null };
  return {
    observer: async (derivation, { git, change: { base, commit } }) => {
      // After a trouble nothing is known of the repository's state, so Git is not asked.
      const changes = derivation.trouble === null ? await diffstat(git, base, commit) : null;
      seen = { derivation, base, changes };
    },
    seen: () => seen,
  };
}

type Seen = Pick<Report, "derivation" | "base" | "changes">;

/** Adds to the report of a published candidate how much it changes, and pushes it if that was asked for. */
async function publishReport(
  { repo, push }: DeliverAsked,
  { env }: World,
  report: Report,
  { candidate_ref, candidate_commit, base_commit }: Receipt,
  remote: FoundRemote | null,
): Promise<Report> {
  if (candidate_ref === null || candidate_commit === null || base_commit === null) return report;
  const git = report.derivation === null ? locateGit(repo, env) : null;
  const counted = git?.ok ? await diffstat(git.value, base_commit, candidate_commit) : null;
  const changes = counted ?? report.changes;
  const candidate: Candidate = { ref: candidate_ref, commit: candidate_commit, pushedTo: null };
  const created = { ...report, changes, candidate };
  if (remote === null) return created;
  const pushed = remote.ok ? await pushCandidate(remote.value, candidate_ref) : remote;
  if (pushed.ok) return { ...created, candidate: { ...candidate, pushedTo: push } };
  return { ...created, code: "PUSH_FAILED", message: pushed.message, status: exitStatus.NO_CANDIDATE };
}

async function deriveVerdict(asked: VerifyAsked | AcceptAsked, world: World): Promise<Report> {
  const { observer, seen } = observe();
  const { interruption } = world;
  const line =
    asked.operation === "verify"
      ? await verify({ packet: asked.packet, interruption, observer })
      : await accept({ packet: asked.packet, submission: asked.submission, interruption, observer });
  const packet = readPacket(asked.packet);
  const task = packet.ok ? { id: packet.value.task, words: null } : null;
  return { ...verdictReport(line), receipt: lineText(line), task, ...seen() };
}

function verdictReport(line: Checked | Accepted | Blocked): Report {
  if (line.status === "BLOCKED") {
    const { ACCEPTANCE_BLOCKED: status } = exitStatus;
    const message = oneLine(line.reason);
    return reportOf({ outcome: "refused", code: "ACCEPTANCE_BLOCKED", status, message, verdict: "BLOCKED" });
  }
  const { status: verdict, reasons } = line;
  if (reasons.length === 0) {
    return reportOf({ outcome: "accepted", code: "OK", status: exitStatus.OK, message: "", verdict });
  }
  const message = oneLine(reasons.join("; "));
  const { ACCEPTANCE_FAILED: status } = exitStatus;
  return reportOf({ outcome: "refused", code: "ACCEPTANCE_FAILED", status, message, reasons, verdict });
}
