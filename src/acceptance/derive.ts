/** The checks and guards of one commit, evaluated: the part that `verify`, `accept` and a delivery share. */
import type { Expected } from "../expected/shape.ts";
import type { Result } from "../outcome.ts";
import type { Environment } from "../process/environment.ts";
import type { Interruption } from "../process/interruption.ts";
import type { GitContext } from "../repository/git.ts";
import { type CheckTrouble, runCheck } from "./command.ts";
import type { EvidenceFolder } from "./evidence.ts";
import type { Change } from "./git.ts";
import { type Evaluated, evaluateGuards, type GuardTrouble } from "./guards.ts";
import type { CommandRecord, Guard } from "./verification-schema.ts";

export interface Derivation {
  readonly commands: readonly CommandRecord[];
  readonly guards: readonly Guard[];
  /** Empty if every check and every blocking guard passed, and the source stayed what it was. */
  readonly reasons: readonly string[];
  /** What stopped the derivation; nothing follows from it then. */
  readonly trouble: Trouble | null;
  /** The guards that did not pass, warnings included, with their places. */
  readonly broken: readonly Evaluated[];
}

/**
 * Is told what was derived, and of which change, before anything is made of it. It is waited for: `git` knows the
 * change now, and not later if it is discarded.
 */
export type Observer = (
  derivation: Derivation,
  of: Pick<DerivationRequest, "git" | "change" | "worktree">,
) => void | Promise<void>;

export interface Trouble {
  readonly code: CheckTrouble | GuardTrouble;
  readonly message: string;
}

export interface DerivationRequest {
  readonly git: GitContext;
  /** Absolute path of the directory that holds the commits' objects. */
  readonly objects: string;
  readonly expected: Expected;
  readonly change: Change;
  /** Directory the checks run in: a worktree that holds `change.commit`. */
  readonly worktree: string;
  /** What the checks find in their environment. */
  readonly environment: Environment;
  /** Intact outcomes by the command's index: these are not run again. */
  readonly reused: ReadonlyMap<number, CommandRecord>;
  /** The folder for raw output; asked for before the first command runs. */
  readonly evidence: () => Promise<Result<EvidenceFolder, "NO_EVIDENCE" | "GIT_FAILED">>;
  readonly interruption: Interruption | null;
  /** What is wrong with the source, asked after commands ran. */
  readonly sourceProblems: () => Promise<Result<readonly string[], "GIT_FAILED">>;
  readonly observer?: Observer | undefined;
}

/**
 * Runs every command, also after one that failed, then evaluates every guard. Reasons stand in this order:
 * commands, guards, what changed in the source meanwhile.
 */
export async function derive(request: DerivationRequest): Promise<Derivation> {
  const derivation = await workOut(request);
  await request.observer?.(derivation, request);
  return derivation;
}

async function workOut(request: DerivationRequest): Promise<Derivation> {
  const commands: CommandRecord[] = [];
  const stopped = ({ code, message }: Trouble): Derivation => {
    return { commands, guards: [], reasons: [], trouble: { code, message }, broken: [] };
  };
  const ran = await runCommands(request, commands);
  if (!ran.ok) return stopped(ran);
  const changed: Result<readonly string[], "GIT_FAILED"> = ran.value
    ? await request.sourceProblems()
    : { ok: true, value: [] };
  if (!changed.ok) return stopped(changed);
  const evaluated = await evaluateGuards(request);
  if (!evaluated.ok) return stopped(evaluated);
  const guards = evaluated.value.map(({ guard }) => guard);
  const reasons = [
    ...commands.flatMap(commandReasons),
    ...guards.flatMap(guardReasons),
    ...changed.value.map((problem) => `failed: source changed during checks: ${problem}`),
  ];
  const broken = evaluated.value.filter(({ guard }) => !guard.passed);
  return { commands, guards, reasons, trouble: null, broken };
}

/** Adds a record for each command; gives whether any of them was run. */
async function runCommands(
  request: DerivationRequest,
  records: CommandRecord[],
): Promise<Result<boolean, CheckTrouble | "GIT_FAILED">> {
  let folder: EvidenceFolder | undefined;
  for (const [index, command] of (request.expected.verification_commands ?? []).entries()) {
    const intact = request.reused.get(index);
    if (intact !== undefined) {
      records.push(intact);
      continue;
    }
    if (folder === undefined) {
      const made = await request.evidence();
      if (!made.ok) return made;
      folder = made.value;
    }
    const { worktree, environment, interruption } = request;
    const run = await runCheck({ command, index, worktree, environment, evidence: folder, interruption });
    if (!run.ok) return run;
    records.push(run.value);
  }
  return { ok: true, value: folder !== undefined };
}

function commandReasons({ index, passed, reason, contract_refs }: CommandRecord): readonly string[] {
  const refs = contract_refs.length === 0 ? "no refs" : contract_refs.join(", ");
  return passed ? [] : [`failed: command ${index} (${refs}) ${reason}`];
}

function guardReasons({ rule, subject, passed, blocking }: Guard): readonly string[] {
  return passed || !blocking ? [] : [`failed: guard ${rule} ${subject}`];
}
