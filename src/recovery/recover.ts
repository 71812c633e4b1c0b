/** `recover`: removes what an engine that was killed left, and nothing that is or might be in use. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { mayBeThere } from "../files/identity.ts";
import { readJson } from "../files/json.ts";
import { readPackName, readUnfinishedPath } from "../files/owner.ts";
import { oneLine, type RecoverRefusalCode, type Result, refusal, success } from "../outcome.ts";
import { lifeOf, ownIdentity, parseIdentity } from "../process/identity.ts";
import type { Interruption } from "../process/interruption.ts";
import { lintRepository } from "../repository/directory.ts";
import { locateGit, resolveSource } from "../repository/preflight.ts";
import { keepMark } from "../repository/publish.ts";
import { systemFailure, systemReason } from "../system-error.ts";
import { type Finding, recoverFolder } from "./folder.ts";
import { findLeftovers, type Leftover } from "./leftovers.ts";
import { recoverUnfinished } from "./unfinished.ts";

export type { Finding } from "./folder.ts";

export interface RecoverRequest {
  readonly repo: string;
  /** Only say what would be done. */
  readonly dryRun: boolean;
  /** The caller's environment: its PATH has Git, its TMPDIR may have folders. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly interruption: Interruption;
}

/**
 * Looks at every private folder that was made for `repo` (or for no repository), at the packs an engine asked Git
 * to keep and at files it did not finish, and removes those whose engine is proven gone, with the worktrees in them, Git's registrations and
 * the processes their commands left. Gives one finding for each; nothing found is success.
 *
 * Refuses REPO_UNAVAILABLE, REPO_NOT_GIT and GIT_FAILED. Runs one Git command, which reads; writes nothing but
 * the removals, and with `dryRun` nothing at all.
 */
export function recover(request: RecoverRequest): Promise<Result<readonly Finding[], RecoverRefusalCode>> {
  return lookAndRemove(request).catch((error) => refusal("GIT_FAILED", oneLine(systemFailure(error))));
}

async function lookAndRemove(
  request: RecoverRequest,
): Promise<Result<readonly Finding[], RecoverRefusalCode>> {
  const directory = lintRepository(request.repo);
  if (!directory.ok) return directory;
  const located = locateGit(request.repo, request.env, request.interruption.signal);
  if (!located.ok) return located;
  const source = await resolveSource(located.value, undefined);
  if (!source.ok) {
    return refusal(source.code === "BASE_UNAVAILABLE" ? "REPO_NOT_GIT" : source.code, source.message);
  }
  const { commonDirectory } = source.value;
  const leftovers = findLeftovers(commonDirectory, request.env);
  // First: a folder's record says which pack its engine was about to keep, and which file to finish.
  const dead = foldersOfTheDead(leftovers);
  const findings = [
    ...recoverPacks(commonDirectory, new Set(namedBy(dead, readPackName)), request.dryRun),
    ...recoverUnfinished(commonDirectory, namedBy(dead, readUnfinishedPath), request.dryRun),
  ];
  for (const leftover of leftovers) {
    if (request.interruption.signal.aborted) break;
    const finding = await recoverFolder(leftover, commonDirectory, request.dryRun).catch(
      keptBySystem(leftover),
    );
    if (finding !== undefined) findings.push(finding);
  }
  return success(findings);
}

function foldersOfTheDead(leftovers: readonly Leftover[]): readonly string[] {
  const here = ownIdentity();
  return leftovers.flatMap((leftover) =>
    leftover.kind === "owned" && lifeOf(leftover.owner.engine, here) === "gone" ? [leftover.path] : [],
  );
}

/** What the system does not let it look at or remove is kept, and the next is looked at. */
function keptBySystem({ path }: Leftover): (error: unknown) => Finding {
  return (error) => ({ result: "kept", path, reason: oneLine(systemFailure(error)) });
}

function namedBy(folders: readonly string[], read: (folder: string) => string | null): readonly string[] {
  return folders.map(read).filter((name) => name !== null);
}

/** Lets collections have the packs that an engine keeps and did not come to release; what is no whole pack goes. */
function recoverPacks(
  commonDirectory: string,
  ofTheDead: ReadonlySet<string>,
  dryRun: boolean,
): readonly Finding[] {
  const folder = join(commonDirectory, "objects/pack");
  return keepFiles(folder).flatMap((path): Finding[] => {
    const text = textOf(path);
    const isClaimed = ofTheDead.has(basename(path, ".keep"));
    if (!isClaimed && !text.startsWith(keepMark)) return [];
    const identity = readJson(Buffer.from(text.slice(keepMark.length)), { maxBytes: 65_536 });
    const life = isClaimed
      ? "gone"
      : lifeOf(identity.ok ? parseIdentity(identity.value) : null, ownIdentity());
    if (life === "alive") return [{ result: "in_use", path, reason: "its engine is running" }];
    if (life !== "gone") return [{ result: "kept", path, reason: oneLine(life.unknown) }];
    // An engine that has ended by itself since the file was read took it along.
    if (!mayBeThere(path)) return [];
    const reason = "its engine is gone, and collections may have the pack";
    if (dryRun) return [{ result: "recoverable", path, reason }];
    try {
      releaseLeftPack(path.slice(0, -".keep".length));
      return [{ result: "recovered", path, reason }];
    } catch (error) {
      return [{ result: "kept", path, reason: systemReason(error) }];
    }
  });
}

/** Without its index a pack is none to Git, which would never collect it. The keep file goes last: it names the rest. */
function releaseLeftPack(pack: string): void {
  rmSync(`${pack}.idx-whole`, { force: true });
  if (!mayBeThere(`${pack}.idx`)) rmSync(`${pack}.pack`, { force: true });
  rmSync(`${pack}.keep`, { force: true });
}

function keepFiles(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^pack-[0-9a-f]+\.keep$/.test(name));
    return names.map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
