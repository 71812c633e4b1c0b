/** Everything an attempt needs before Pi starts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contract } from "../contract/load.ts";
import { type Result, refusal, success } from "../outcome.ts";
import { systemFailure, systemReason } from "../system-error.ts";
import { type Destination, type Growing, growingFile, isSamePlace, pinDestination } from "./artifacts.ts";
import { type Bench, makeBench } from "./bench.ts";
import { type Ground, inspectWorktree, type PatchWriter } from "./ground.ts";
import { fittingArguments, promptOf } from "./prompt.ts";
import type { AttemptRequest } from "./request.ts";
import { captureRevisions } from "./revisions.ts";
import { piArguments, piEnvironment, piProgram } from "./session.ts";

export interface Prepared {
  readonly ground: Ground;
  readonly bench: Bench;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Where the transcript goes, created; null if nobody asked for it. */
  readonly transcript: Growing | null;
  /** Where the patch will go, pinned, and what writes it; null if nobody asked for it. */
  readonly patch: { readonly place: Destination; readonly write: PatchWriter } | null;
  /** Tracked files that were left out because their names are not UTF-8. */
  readonly unnamed: number;
}

/**
 * Inspects the worktree, captures the revisions, pins the artifacts' places, freezes the contract, writes the
 * extension files and creates the transcript. `ATTEMPT_FAILED` says what was not as it must be; nothing is left
 * behind then.
 */
export async function prepare(
  request: AttemptRequest,
  contract: Contract,
  bytes: Uint8Array,
): Promise<Result<Prepared, "ATTEMPT_FAILED">> {
  const held: Release[] = [];
  const prepared = await makeReady(request, contract, bytes, held).catch((error) =>
    refusal("ATTEMPT_FAILED", systemFailure(error)),
  );
  if (prepared.ok) return prepared;
  const left = held.map((release) => release()).filter((reason) => reason !== null);
  return refusal(prepared.code, [prepared.message, ...left].join("; "));
}

/** Gives why something is left, or null. */
type Release = () => string | null;

/** Adds to `held` what must be let go of if this fails. */
async function makeReady(
  request: AttemptRequest,
  contract: Contract,
  bytes: Uint8Array,
  held: Release[],
): Promise<Result<Prepared, "ATTEMPT_FAILED">> {
  const failed = (message: string) => refusal("ATTEMPT_FAILED", message);
  const inspected = await inspectWorktree(request);
  if (!inspected.ok) return failed(inspected.message);
  const ground = inspected.value;
  const writablePaths = contract.writable_paths ?? [];
  const revisions = captureRevisions(ground.root, ground.tracked, writablePaths);
  if (revisions.byPath.size === 0) return failed("contract matches no existing tracked writable file");
  const program = await piProgram(request.environment, ground.root, ground.outside);
  if (!program.ok) return failed(program.message);

  const places: (Destination | null)[] = [];
  for (const variable of ["SATYRN_ATTEMPT_TRANSCRIPT", "SATYRN_ATTEMPT_PATCH"]) {
    const path = request.environment[variable];
    const pinned = path ? pinDestination(variable, path, ground.outside) : success(null);
    if (!pinned.ok) return failed(pinned.message);
    held.push(() => {
      pinned.value?.folder.close();
      return null;
    });
    places.push(pinned.value);
  }
  const [transcriptPlace = null, place = null] = places;
  if (transcriptPlace !== null && place !== null && isSamePlace(transcriptPlace, place)) {
    return failed(`${place.variable} '${place.path}': it is also the transcript`);
  }

  const made = makeBench(bytes, request.environment, ground);
  if (!made.ok) return failed(made.message);
  const bench = made.value;
  held.push(() => bench.remove());
  const patch = place && { place, write: ground.patchWriter(bench.folder) };
  const testCommand = contract.test_command ?? null;
  const prompt = promptOf({
    task: contract.task,
    files: [...revisions.byPath.keys()],
    writablePaths,
    testCommand,
  });
  const argv = fittingArguments([
    ...program.value,
    ...piArguments(request.model, bench, testCommand !== null, prompt),
  ]);
  if (!argv.ok) return failed(`the prompt does not fit into an argument: ${argv.message}`);
  const context = contextValue(bench, {
    version: 1,
    repo: ground.root,
    contract: bench.contract,
    revisions: Object.fromEntries(revisions.byPath),
    writable_paths: writablePaths,
    test_command: testCommand,
  });
  if (!context.ok) return failed(context.message);
  const transcript = transcriptPlace ? growingFile(transcriptPlace) : success(null);
  if (!transcript.ok) return failed(transcript.message);
  return success({
    ground,
    bench,
    argv: argv.value,
    environment: piEnvironment(request.environment, ground.root, request.engine, context.value),
    transcript: transcript.value,
    patch,
    unnamed: revisions.unnamed,
  });
}

/** Bytes of a context that go into a variable: Windows takes 32,767 characters, Linux 131,072 bytes. */
const variableLimit = 32_000;

/** The value of `SATYRN_MUTATION_CONTEXT`: the context as JSON, or `@` and the file that holds it. */
function contextValue(bench: Bench, context: object): Result<string, "NOT_WRITTEN"> {
  const json = JSON.stringify(context);
  if (Buffer.byteLength(json) <= variableLimit) return success(json);
  const file = join(bench.folder, "context.json");
  try {
    writeFileSync(file, json, { flag: "wx", mode: 0o600 });
    return success(`@${file}`);
  } catch (error) {
    return refusal("NOT_WRITTEN", `the context could not be written: ${systemReason(error)}`);
  }
}
