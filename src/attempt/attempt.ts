/** `attempt`: one Pi run of one explicitly chosen model, in the current disposable worktree. */
import { check } from "../check.ts";
import { type CheckRefusalCode, oneLine } from "../outcome.ts";
import { runTree, type TreeResult } from "../process/tree.ts";
import { publishWhole } from "./artifacts.ts";
import { type Prepared, prepare } from "./prepare.ts";
import type { AttemptRequest } from "./request.ts";
import { type Story, transcriptReader } from "./transcript.ts";

export type { AttemptRequest } from "./request.ts";

/** `unnamed` counts the tracked files that were left out because their names are not UTF-8. */
export type AttemptResult =
  | { readonly code: "OK"; readonly message: ""; readonly summary: Summary; readonly unnamed: number }
  | { readonly code: "ATTEMPT_FAILED"; readonly message: string; readonly unnamed: number }
  | { readonly code: CheckRefusalCode; readonly message: string };

/** What a normal turn did. Not a claim that the task is solved. */
export interface Summary {
  readonly turns: number;
  readonly toolCalls: number;
  /** Calls of `edit`, refused ones included. */
  readonly edits: number;
  readonly refusedEdits: number;
  readonly durationMs: number;
}

/**
 * Runs Pi once, with `read` and the bounded `edit` (and `bash` for the contract's test command). Refuses as
 * `check` does, before Pi starts, and with `ATTEMPT_FAILED` if the preparation, the start, the deadline, the
 * model, the exit status, an artifact or the clean-up failed; the message says which. Writes the artifacts that
 * the environment asks for, and a private folder that is gone afterwards.
 */
export async function attempt(request: AttemptRequest): Promise<AttemptResult> {
  const started = performance.now();
  const checked = check({ repo: request.directory, contract: request.contract });
  if (checked.code !== "OK") return { code: checked.code, message: checked.message };
  const prepared = await prepare(request, checked.contract, checked.bytes);
  if (!prepared.ok) return { code: "ATTEMPT_FAILED", message: oneLine(prepared.message), unnamed: 0 };
  const { unnamed } = prepared.value;
  const { problems, story } = await run(request, prepared.value);
  if (problems.length > 0) return { code: "ATTEMPT_FAILED", message: oneLine(problems.join("; ")), unnamed };
  const { turns, toolCalls, edits, refusedEdits } = story;
  const durationMs = performance.now() - started;
  return { code: "OK", message: "", summary: { turns, toolCalls, edits, refusedEdits, durationMs }, unnamed };
}

/** Runs Pi, publishes what there is, cleans up. Every step is taken, whatever became of the ones before. */
async function run(
  request: AttemptRequest,
  prepared: Prepared,
): Promise<{ problems: string[]; story: Story }> {
  const { ground, bench, transcript, patch } = prepared;
  const reader = transcriptReader();
  const tree = await runTree({
    argv: prepared.argv,
    cwd: ground.root,
    environment: prepared.environment,
    deadline: request.timeout,
    interruption: { by: request.interruption, send: "the same" },
    grace,
    output: {
      kind: "apart",
      stdout: (chunk, cut) => {
        reader.hear(chunk);
        transcript?.append(chunk);
        return request.stdout(chunk, cut);
      },
      stderr: request.stderr,
    },
  });
  const story = reader.end();
  const incomplete = transcript?.close();
  const unpublished = patch && (await publishWhole(patch.place, bench.announce, patch.write));
  patch?.place.folder.close();
  // What still runs may still read it.
  const kept = tree.gone ? bench.remove() : `'${bench.folder}' is kept`;
  const survivors = tree.gone ? null : `processes could not be ended: ${tree.survivors.join(", ")}`;
  const steps = [failureOf(tree, story, request), incomplete, unpublished, survivors, kept];
  return { problems: steps.filter((problem) => typeof problem === "string"), story };
}

/** Less than a delivery gives the attempt itself, which has artifacts to publish and a folder to remove then. */
const grace = 3000;

/** Why the run was no normal turn, or null. */
function failureOf({ ending }: TreeResult, story: Story, request: AttemptRequest): string | null {
  switch (ending.kind) {
    case "spawn_error":
      return `Pi could not be started: ${ending.error}`;
    case "timeout":
      return `Pi did not end within ${(request.timeout ?? 0) / 1000} s`;
    case "interrupted":
      return `interrupted by ${request.interruption.name()}`;
    case "signal":
      return `Pi was ended by signal ${ending.signal}`;
    case "exit":
      return ending.status === 0 ? story.failure : `Pi exited with ${ending.status}`;
  }
}
