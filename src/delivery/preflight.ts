/** All that is asked before the command runs: weighed in order, whatever is answered first. */
import { realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { mayBeThere } from "../files/identity.ts";
import { type DeliveryCode, oneLine, type Refusal, type Result, refusal, success } from "../outcome.ts";
import { candidateIdProblem, candidateRef } from "../repository/candidate-ref.ts";
import { type Configuration, decidingFiles, isPlain } from "../repository/configuration.ts";
import { isReplaced, matters, replacedRefs } from "../repository/git-state.ts";
import type { Source } from "../repository/preflight.ts";
import { candidateExists, isSymbolicRef } from "../repository/publish.ts";
import { listRefs, nameOf, noneBelow } from "../repository/refs.ts";
import { type WorkingTreeStatus, workingTreeStatus } from "../repository/status.ts";
import type { Admission, Bounds, DeliverRequest } from "./job.ts";
import type { Question } from "./questions.ts";
import type { Findings } from "./receipt.ts";

export type Preflight =
  | { readonly source: Source; readonly admit: () => Promise<Admission>; readonly refused?: undefined }
  /** The source is there as soon as the root is resolved. */
  | { readonly source?: Source; readonly refused: Refusal<DeliveryCode> };

/**
 * Resolves the source and base: REPO_NOT_GIT, BASE_UNAVAILABLE, GIT_FAILED or INTERRUPTED. What need not be known before
 * the worktree is made is the admission: an acceptable contract, which `readBounds` reads, a clean working tree, a valid
 * id and a free ref, in this order.
 *
 * Starts Git processes that only read, of which no more run at a time than find a core: beside the engine, which
 * goes on with its own work, or beside the checkout. To start one more holds the engine up until one ends.
 */
export async function preflight(
  request: DeliverRequest,
  readBounds: () => Result<Bounds, DeliveryCode>,
  asked: Question,
  findings: Findings,
): Promise<Preflight> {
  const [resolved, configuration] = await Promise.all([asked.source, asked.configuration]);
  if (!resolved.ok) return { refused: resolved };
  findings.base_commit = resolved.value.base;
  if (!configuration.ok) return { source: resolved.value, refused: configuration };
  const { source, files } = configured(resolved.value, configuration.value);
  const admit = async (): Promise<Admission> => {
    const read = readBounds();
    if (!read.ok) return read;
    const { id } = read.value;
    const found = await workingTreeStatus(asked.git);
    if (!found.ok) return found;
    const unclean = dirty(source, found.value, request.contract);
    if (unclean !== undefined) return unclean;
    const idProblem = candidateIdProblem(id);
    if (idProblem !== undefined) return invalidId(id, idProblem);
    findings.candidate_ref = candidateRef(id);
    const asks = [candidateFolder(id), replacedRefs];
    const refs = source.isPlain && noneBelow(source, asks) ? success([]) : await listRefs(asked.git, asks);
    if (!refs.ok) return refs;
    const free = await refIsFree(source, id, refs.value.map(nameOf));
    if (!free.ok) return free;
    const settings = configuration.value.settings.filter(matters);
    const told = { settings, replaced: refs.value.filter(isReplaced), files };
    return success({ bounds: read.value, told });
  };
  return { source, admit };
}

/** The source with what its configuration says of it, and the files that decide what Git answers, if they do. */
function configured(
  resolved: Source,
  configuration: Configuration,
): { readonly source: Source; readonly files: readonly string[] | undefined } {
  const source = { ...resolved, sharing: configuration.sharing };
  const isSparse = mayBeThere(join(source.gitDirectory, "info/sparse-checkout"));
  if (isSparse || !isPlain(configuration)) return { source, files: undefined };
  const plain = { ...source, isPlain: true };
  const deciding = decidingFiles(configuration, source.commonDirectory, source.git.env);
  // Loose refs of the kind change without a trace elsewhere.
  if (deciding === undefined || mayBeThere(join(source.commonDirectory, replacedRefs)))
    return { source: plain, files: undefined };
  if (deciding.readsSystem) return { source: plain, files: deciding.files };
  const env = { ...source.git.env, GIT_CONFIG_NOSYSTEM: "1" };
  return { source: { ...plain, git: { ...source.git, env } }, files: deciding.files };
}

async function refIsFree(
  source: Source,
  id: string,
  names: readonly string[],
): Promise<Result<undefined, "CANDIDATE_EXISTS" | "GIT_FAILED" | "INTERRUPTED">> {
  const ref = candidateRef(id);
  if (names.includes(ref)) return candidateExists(ref);
  const symbolic = await isSymbolicRef(source, ref);
  if (!symbolic.ok) return symbolic;
  if (symbolic.value) return candidateExists(ref);
  const inTheWay = names.find((name) => name === candidateFolder(id) || name.startsWith(`${ref}/`));
  if (inTheWay === undefined) return success(undefined);
  return refusal("GIT_FAILED", `${inTheWay} exists, so ${ref} cannot be created beside it`);
}

/** What `candidateRef` lies in. */
function candidateFolder(id: string): string {
  return dirname(candidateRef(id));
}

function invalidId(id: string, problem: string): Refusal<"INVALID_CANDIDATE_ID"> {
  const shown = JSON.stringify(id.length > 200 ? `${id.slice(0, 200)}...` : id);
  const message = `id ${shown} ${problem}, so it cannot name ${candidateRef("<id>")}`;
  return refusal("INVALID_CANDIDATE_ID", message);
}

function dirty(
  source: Source,
  status: WorkingTreeStatus,
  contract: string,
): Refusal<"REPO_DIRTY" | "GIT_FAILED"> | undefined {
  // Whether the tree was clean at the commit that was pinned, nobody knows.
  if (status.head !== source.head)
    return refusal("GIT_FAILED", "HEAD moved while it was looked at, before the command ran: deliver again");
  const { paths } = status;
  if (paths.length === 0) return undefined;
  const shown = paths.slice(0, 5).map(oneLine).join(", ");
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : "";
  const own = paths.some((path) => join(source.root, path) === realpathSync.native(resolve(contract)));
  const hint = own ? "; the contract file itself is one of them: commit it, or keep it outside" : "";
  const count = paths.length === 1 ? "1 path" : `${paths.length} paths`;
  return refusal(
    "REPO_DIRTY",
    `the working tree has uncommitted changes in ${count}: ${shown}${more}${hint}`,
  );
}
