/** A step's page: what was asked, what came out, and how to get at it. */
import type { Derivation } from "../acceptance/derive.ts";
import type { CommandRecord, Guard } from "../acceptance/verification-schema.ts";
import type { Asked } from "./asked.ts";
import type { ChangedPath } from "./diffstat.ts";
import { code, list, quoted, shell, table } from "./html.ts";
import type { Candidate, Place, Report } from "./report.ts";

/**
 * The page in GitHub's Markdown. Below 900 KiB whatever happened: GitHub drops a page of more than 1 MiB. `asked`
 * is null where the inputs could not be read.
 */
export function summaryOf(asked: Asked | null, report: Report): string {
  const blocks = [
    `### ${report.code === "OK" ? "✅" : "❌"} ${headline(asked, report)}`,
    why(report),
    asked === null ? "" : askedTable(asked, report.task),
    cameOut(report),
    report.changes === null ? "" : changesTable(report.changes),
    report.derivation === null ? "" : checksTable(report.derivation),
    report.candidate === null ? "" : howToFetch(report.candidate, report.code === "PUSH_FAILED"),
  ];
  return `${blocks.filter(Boolean).join("\n\n")}\n`;
}

function headline(asked: Asked | null, { code, outcome, verdict }: Report): string {
  if (asked === null || code === "USAGE") return "The inputs are refused";
  switch (asked.operation) {
    case "check":
      return outcome === "accepted" ? "The contract is accepted" : `The contract is refused: ${code}`;
    case "deliver":
      if (code === "PUSH_FAILED") return "A candidate was created, and not pushed";
      if (outcome === "candidate-created") return "A candidate was created";
      return `${outcome === "discarded" ? "The change is discarded" : "The delivery is refused"}: ${code}`;
    case "verify":
      if (verdict === "BLOCKED") return "The checks are BLOCKED";
      return outcome === "accepted" ? "The checks passed" : "The checks did not pass";
    case "accept":
      return `The task is ${verdict}`;
  }
}

function why({ code: name, message, reasons, notes }: Report): string {
  const told = reasons.length > 1 ? reasons : name === "OK" ? [] : [message];
  const lines = [...notes, ...told];
  if (lines.length === 0) return "";
  if (lines.length === 1) return `<p>${code(lines[0] ?? "", 2000)}</p>`;
  return list(
    { items: lines, budget: 100_000, rest: (count) => `and ${plural(count, "more reason")}` },
    (line) => code(line, 2000),
  );
}

function askedTable(asked: Asked, task: Report["task"]): string {
  const rows: [string, string][] = [["Operation", code(asked.operation)]];
  if (task !== null) {
    const words = task.words === null ? [] : [code(task.words, 1000)];
    rows.push(["Task", [code(task.id), ...words].join(" ")]);
  }
  if ("contract" in asked) rows.push(["Contract", code(asked.contract)], ["Repository", code(asked.repo)]);
  if ("packet" in asked) rows.push(["Packet", code(asked.packet)]);
  if ("submission" in asked) rows.push(["Submission", code(asked.submission)]);
  if (asked.operation === "deliver") {
    const words = asked.command.slice(0, 50).map((word) => code(word, 1000));
    const more = asked.command.length > 50 ? ` and ${asked.command.length - 50} more arguments` : "";
    rows.push(["Command", words.join(" ") + more], ["Timeout", `${asked.timeoutMs / 1000} s`]);
    if (asked.base !== undefined) rows.push(["Base", code(asked.base)]);
    if (asked.push !== null) rows.push(["Push to", code(asked.push)]);
  }
  return table(
    "Asked",
    { items: rows, budget: 400_000, rest: () => "and more than can be shown" },
    (row) => row,
  );
}

function cameOut({ code: name, outcome, status, verdict, base, candidate }: Report): string {
  const rows: [string, string][] = [
    ["Outcome", code(outcome)],
    ["Code", code(name)],
    ["Exit status", String(status)],
  ];
  if (verdict !== null) rows.push(["Verdict", code(verdict)]);
  if (base !== null) rows.push(["Base", code(base)]);
  if (candidate !== null) rows.push(["Candidate", code(candidate.commit)], ["Ref", code(candidate.ref)]);
  return table("Result", { items: rows, budget: 20_000, rest: () => "" }, (row) => row);
}

function changesTable(changes: readonly ChangedPath[]): string {
  const sum = (side: "added" | "removed") =>
    changes.reduce((all, { lines }) => all + (lines?.[side] ?? 0), 0);
  const counted = changes.some(({ lines }) => lines !== null);
  const total = counted ? `, +${sum("added")} −${sum("removed")}` : "";
  const heading = `${plural(changes.length, "changed path")}${total}`;
  if (changes.length === 0) return `<p>${heading}</p>`;
  const rest = (count: number) => `and ${plural(count, "more path")}`;
  return table(heading, { items: changes, budget: 120_000, rest }, ({ path, lines }) => {
    const counts = lines === null ? ["binary", ""] : [`+${lines.added}`, `−${lines.removed}`];
    return [code(path), ...(counted ? counts : [])];
  });
}

function checksTable({ commands, guards, broken }: Derivation): string {
  const places = new Map(broken.map(({ guard, place }) => [guard, place]));
  const items = [...commands, ...guards];
  if (items.length === 0) return "";
  const failing = commands.filter(({ passed }) => !passed).length;
  const blocking = guards.filter((guard) => !guard.passed && guard.blocking).length;
  const warnings = guards.filter((guard) => !guard.passed && !guard.blocking).length;
  const counts = [
    ...[plural(commands.length, "check"), plural(guards.length, "guard"), `${failing + blocking} failed`],
    ...(warnings > 0 ? [plural(warnings, "warning")] : []),
  ];
  const rest = (count: number) => `and ${count} more`;
  return table(counts.join(", "), { items, budget: 120_000, rest }, (item) =>
    "rule" in item ? guardCells(item, places.get(item) ?? null) : checkCells(item),
  );
}

function checkCells(record: CommandRecord): readonly string[] {
  const { index, passed, reason, contract_refs } = record;
  const refs = contract_refs.slice(0, 20).map((ref) => code(ref, 100));
  return [
    mark(passed, true),
    [`check ${index}`, ...refs].join(" "),
    commandOf(record),
    reason === null ? "" : code(reason),
  ];
}

function guardCells({ rule, subject, passed, blocking }: Guard, place: Place | null): readonly string[] {
  return [mark(passed, blocking), code(rule), code(subject), placeOf(place)];
}

function commandOf({ command }: CommandRecord): string {
  return "cmd" in command
    ? code(command.cmd)
    : command.argv
        .slice(0, 50)
        .map((word) => code(word, 200))
        .join(" ");
}

function mark(passed: boolean, blocking: boolean): string {
  if (passed) return "✅";
  return blocking ? "❌" : "⚠️";
}

function placeOf(place: Place | null): string {
  if (place === null) return "";
  return place.line === null ? code(place.file) : `${code(place.file)} line ${place.line}`;
}

function howToFetch({ ref, commit, pushedTo }: Candidate, declined: boolean): string {
  if (pushedTo === null) {
    const words = "The candidate is in this job's repository only, and goes with it.";
    const advice = declined ? "" : " The input <code>push</code> keeps it.";
    return `<p>${words}${advice} Until then:</p>\n${shell([`git show ${commit}`])}`;
  }
  const lines = [
    `git fetch ${quoted(pushedTo)} ${quoted(ref)}`,
    `git show ${commit}`,
    `git merge --ff-only ${commit}    # or git cherry-pick`,
  ];
  return `<p>To look at the candidate, and to take it:</p>\n${shell(lines)}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
