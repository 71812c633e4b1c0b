/** Outcomes of an earlier `verify` that still stand: for the same source and contract, with intact evidence. */
import { closeSync, constants, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Expected, VerificationCommand } from "../expected/shape.ts";
import { type Fields, isFields } from "../fields.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { declared } from "./command.ts";
import { loopFolder } from "./evidence.ts";
import { fileIn } from "./places.ts";
import { readJsonFile } from "./records.ts";
import { digestsOf } from "./result.ts";
import type { Packet } from "./schema.ts";
import type { StreamSeen } from "./stream.ts";
import { judge, watchFor } from "./verdict.ts";
import type { CommandRecord, StreamRecord } from "./verification-schema.ts";

export interface ReuseQuestion {
  /** Canonical path of the worktree. */
  readonly worktree: string;
  readonly packet: Packet;
  readonly source: string;
  readonly expected: Expected;
  /** Paths of result files as the submission lists them. */
  readonly listed: readonly string[];
}

/**
 * The outcomes that need not be derived again, by the command's index, from the first listed result that
 * belongs to this source and contract and is wholly clean. A record is taken only if the raw streams, read
 * once more, have the recorded digests and still pass.
 *
 * `FAILED` if a listed path is not a file under `.devlyn/loop`, is not strict JSON, or if the result used has
 * malformed command records.
 */
export function intactOutcomes(
  question: ReuseQuestion,
): Result<ReadonlyMap<number, CommandRecord>, "FAILED"> {
  let chosen: RunnerResult | undefined;
  for (const listed of question.listed) {
    const result = readRunnerResult(question, listed);
    if (!result.ok) return result;
    chosen ??= result.value;
  }
  const outcomes = new Map<number, CommandRecord>();
  for (const record of chosen?.records ?? []) {
    const command = question.expected.verification_commands?.[record.index];
    if (command === undefined || outcomes.has(record.index)) continue;
    const intact = reread(question.worktree, command, record);
    if (intact !== undefined) outcomes.set(record.index, { ...intact, reused_from: chosen?.place ?? "" });
  }
  return success(outcomes);
}

interface RunnerResult {
  /** Relative to the worktree. */
  readonly place: string;
  readonly records: readonly IndexedRecord[];
}

type IndexedRecord = Fields & { readonly index: number };

/** The result at `listed`; undefined if it is about something else. */
function readRunnerResult(
  question: ReuseQuestion,
  listed: string,
): Result<RunnerResult | undefined, "FAILED"> {
  const failed = (problem: string) => refusal("FAILED", `runner result ${listed} ${problem}`);
  const place = fileIn(question.worktree, loopFolder, listed);
  if (place === undefined) return failed(`is not a file under ${loopFolder}`);
  const json = readJsonFile(join(question.worktree, place));
  if (!json.ok) return failed(json.message);
  if (!isFields(json.value) || !belongs(json.value, question)) return success(undefined);
  const { commands } = json.value;
  if (!Array.isArray(commands) || !commands.every(hasIndex)) return failed("has malformed command records");
  return success({ place, records: commands });
}

/** Whether a result is a clean one about this task, source and contract. */
function belongs(result: Fields, { packet, source }: ReuseQuestion): boolean {
  const { contract, reasons } = result;
  return (
    result["kind"] === "loop-checks" &&
    result["task"] === packet.task &&
    result["source_sha"] === source &&
    Array.isArray(reasons) &&
    reasons.length === 0 &&
    isFields(contract) &&
    Object.entries(digestsOf(packet)).every(([name, digest]) => contract[name] === digest)
  );
}

function hasIndex(record: unknown): record is IndexedRecord {
  return isFields(record) && Number.isInteger(record["index"]);
}

/**
 * The record made anew from its raw streams, if they are intact, of this command, and pass, and if the record says
 * the same in each of its fields; else undefined.
 */
function reread(
  worktree: string,
  command: VerificationCommand,
  record: IndexedRecord,
): CommandRecord | undefined {
  const stdout = rereadStream(worktree, command, record["stdout"]);
  const stderr = rereadStream(worktree, command, record["stderr"]);
  if (stdout === undefined || stderr === undefined) return undefined;
  const outcome = { kind: "exit", exit_code: command.exit_code ?? 0 } as const;
  const verdict = judge(command, outcome, stdout.seen, stderr.seen);
  if (!verdict.passed) return undefined;
  const anew: CommandRecord = {
    index: record.index,
    outcome,
    stdout: stdout.record,
    stderr: stderr.record,
    ...verdict,
    ...declared(command),
  };
  const isSame = Object.entries(anew).every(([name, value]) => Bun.deepEquals(record[name], value, true));
  return isSame ? anew : undefined;
}

interface RereadStream {
  readonly seen: StreamSeen;
  readonly record: StreamRecord;
}

function rereadStream(
  worktree: string,
  command: VerificationCommand,
  stream: unknown,
): RereadStream | undefined {
  if (!isFields(stream) || typeof stream["path"] !== "string") return undefined;
  const place = fileIn(worktree, loopFolder, stream["path"]);
  const seen = place === undefined ? undefined : watchFile(join(worktree, place), command);
  if (place === undefined || seen === undefined) return undefined;
  return { seen, record: { path: place, sha256: seen.sha256, bytes: seen.bytes } };
}

const pieceBytes = 256 * 1024;

/** Reads a stream's file as the stream was read when it came; undefined if it cannot be read. */
function watchFile(path: string, command: VerificationCommand): StreamSeen | undefined {
  const watch = watchFor(command);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const piece = Buffer.allocUnsafe(pieceBytes);
    for (;;) {
      const count = readSync(descriptor, piece, 0, piece.length, null);
      if (count === 0) return watch.finish();
      watch.take(piece.subarray(0, count));
    }
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
