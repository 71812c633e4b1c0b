/**
 * The Git state that decides what the engine's next Git command runs, sees or hides. Taken before the command and
 * after it: if it differs, no Git runs where the command was.
 */
import { lstatSync, type Stats, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { sha256 } from "../files/digest.ts";
import { mayBeThere } from "../files/identity.ts";
import { readRegularFile } from "../files/read.ts";
import { type Result, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";
import { readConfiguration } from "./configuration.ts";
import type { GitContext } from "./git.ts";
import type { Source } from "./preflight.ts";
import { listRefs, noneBelow, type RefLine } from "./refs.ts";
import type { Worktree } from "./worktree.ts";

/** Lines, one for each thing that matters: what it is, a newline, what it holds. */
export interface GitState {
  readonly files: readonly string[];
  readonly answers: Answers;
  readonly named: readonly string[];
  /** Where files alone decide the answers: which, and a line for what each holds. */
  readonly deciding: { readonly files: readonly string[]; readonly lines: readonly string[] } | undefined;
}

/** What Git has to be asked for. */
export interface Answers {
  /** As far as they matter. */
  readonly settings: readonly string[];
  readonly replaced: readonly string[];
}

/**
 * What Git answered already, and the files that decide it: while none differs, Git would answer the same. Undefined
 * where files are not the whole truth; then the settings may be others where the command runs.
 */
export interface Told extends Answers {
  readonly files: readonly string[] | undefined;
}

/** The state as it is now: from files alone where Git has told the rest, else by Git processes that read only. */
export async function gitState(
  source: Source,
  worktree: Worktree,
  told?: Told,
): Promise<Result<GitState, "GIT_FAILED" | "INTERRUPTED">> {
  const files = repositoryFiles(source, worktree);
  const asked = told?.files === undefined ? await ask(source, worktree, told) : success(told);
  if (!asked.ok) return asked;
  const answers = asked.value;
  const named = namedFiles(answers.settings, worktree.path, source.git.env).map(fingerprint);
  const deciding = told?.files && { files: told.files, lines: decidingLines(source, told.files) };
  return success({ files, answers, named, deciding });
}

async function ask(
  source: Source,
  worktree: Worktree,
  told: Told | undefined,
): Promise<Result<Answers, "GIT_FAILED" | "INTERRUPTED">> {
  const neutral = { ...worktree.git, cwd: worktree.adminDirectory };
  // Where the caller's working tree has a configuration of its own, the engine's Git there obeys that.
  const hasOwn = mayBeThere(join(source.gitDirectory, "config.worktree"));
  const callers = { ...source.git, cwd: source.gitDirectory, interruption: neutral.interruption };
  const [config, own, replaced] = await Promise.all([
    readConfiguration(neutral),
    hasOwn ? readConfiguration(callers) : undefined,
    told === undefined ? replacements(source, neutral) : success(told.replaced),
  ]);
  if (!config.ok) return config;
  if (own?.ok === false) return own;
  if (!replaced.ok) return replaced;
  const settings = [...config.value.settings, ...(own?.value.settings ?? [])];
  return success({ settings: settings.filter(matters), replaced: replaced.value });
}

async function replacements(source: Source, context: GitContext): ReturnType<typeof listRefs> {
  return source.isPlain && noneBelow(source, [replacedRefs])
    ? success([])
    : listRefs(context, [replacedRefs]);
}

/** Where the refs lie that put an object in the place of another. */
export const replacedRefs = "refs/replace/";

export function isReplaced(ref: RefLine): boolean {
  return ref.startsWith(replacedRefs);
}

/**
 * What decides the answers where refs are files: the configuration's bytes, and that no ref below `refs/replace`
 * can have come, which would lie there or be packed (gitrepository-layout manual page).
 */
function decidingLines(source: Source, configuration: readonly string[]): readonly string[] {
  const packed = join(source.commonDirectory, "packed-refs");
  const stat = lstatSync(packed, { bigint: true, throwIfNoEntry: false });
  const stamp = stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(" ");
  const loose = mayBeThere(join(source.commonDirectory, replacedRefs));
  return [...configuration.map(fingerprint), `${packed}\n${stamp}`, `${replacedRefs}\n${loose}`];
}

/** The part of the state that plain files tell; asked first, so that Git never runs over a redirected worktree. */
export function repositoryFiles(source: Source, worktree: Worktree): readonly string[] {
  const common = ["info/exclude", "info/attributes", "info/grafts", "info/sparse-checkout", "shallow"];
  const contents = [
    join(worktree.path, ".git"),
    join(worktree.adminDirectory, "gitdir"),
    join(worktree.adminDirectory, "commondir"),
    join(worktree.adminDirectory, "info/sparse-checkout"),
    join(source.commonDirectory, "objects/info/alternates"),
    ...common.map((name) => join(source.commonDirectory, name)),
  ];
  const others = [
    ...["HEAD", "config.worktree"].map((name) => join(worktree.adminDirectory, name)),
    ...["HEAD", "config.worktree", "index"].map((name) => join(source.gitDirectory, name)),
    ...["HEAD", "config", "packed-refs"].map((name) => join(source.commonDirectory, name)),
  ];
  return [
    ...contents.map(fingerprint),
    ...others.map(openness),
    presence(join(worktree.adminDirectory, "HEAD")),
  ];
}

/**
 * The names of what is not as it was `before`, or why that cannot be told; empty if nothing changed. Runs to its
 * end also when the engine was told to stop.
 */
export async function stateDrift(
  source: Source,
  worktree: Worktree,
  before: GitState,
): Promise<readonly string[]> {
  const redirected = stateDifferences(before.files, repositoryFiles(source, worktree));
  if (redirected.length > 0) return redirected;
  const after = await stateAfter(source, worktree, before);
  return after.ok ? stateDifferences(linesOf(before), linesOf(after.value)) : [after.message];
}

/** Asks Git only where the files that decided its answers are not what they were, or do not decide alone. */
function stateAfter(
  source: Source,
  worktree: Worktree,
  before: GitState,
): Promise<Result<GitState, "GIT_FAILED" | "INTERRUPTED">> {
  const calm = { ...worktree, git: { ...worktree.git, interruption: undefined } };
  const { answers, deciding } = before;
  if (deciding === undefined) return gitState(source, calm);
  const differ = stateDifferences(deciding.lines, decidingLines(source, deciding.files)).length > 0;
  return gitState(source, calm, differ ? undefined : { ...answers, files: deciding.files });
}

function linesOf({ files, answers, named }: GitState): readonly string[] {
  return [...files, ...answers.settings, ...answers.replaced, ...named];
}

/** The names of what differs between two states, each once; empty if nothing does. */
export function stateDifferences(before: readonly string[], after: readonly string[]): string[] {
  const [had, has] = [new Set(before), new Set(after)];
  const changed = [...before.filter((line) => !has.has(line)), ...after.filter((line) => !had.has(line))];
  // The same lines in another order or number: of a setting that is given twice, the last one counts.
  const moved = (one: readonly string[], other: readonly string[]) =>
    one.filter((line, at) => line !== other[at]);
  const differing = changed.length > 0 ? changed : [...moved(before, after), ...moved(after, before)];
  return [...new Set(differing.map((line) => line.slice(0, Math.max(0, line.indexOf("\n"))) || line))];
}

/**
 * Whether a setting (`key`, newline, value) can change what the engine's Git does. Everything can but what the
 * engine overrides, and sections that only a person's own commands read; those may change while a command runs.
 */
export function matters(setting: string): boolean {
  const newline = setting.indexOf("\n");
  return setting !== "" && !harmless.test(newline < 0 ? setting : setting.slice(0, newline));
}

const harmless = new RegExp(
  `^(?:${[
    "core\\.(?:hookspath|fsmonitor|usebuiltinfsmonitor|askpass|editor|pager|logallrefupdates)",
    "(?:alias|advice|author|blame|branch|color|column|committer|fetch|format|gc|gui|help|init|log)\\..*",
    "(?:maintenance|notes|pull|push|rebase|rerere|stash|tag|user|versionsort|worktree)\\..*",
    "remote\\..*\\.(?:url|pushurl|fetch|push|tagopt|mirror|prune|skip.*|gh-resolved)|remote\\.pushdefault",
    "submodule\\..*\\.(?:url|active|branch)",
    "lfs\\..*\\.access|lfs\\.(?:repositoryformatversion|locksverify)",
  ].join("|")})$`,
  "is",
);

/** The exclude and attribute files in force beside the repository's own (gitignore and gitattributes manual pages). */
function namedFiles(
  settings: readonly string[],
  worktree: string,
  env: Readonly<Record<string, string>>,
): string[] {
  const value = (key: string) => {
    const setting = settings.findLast((line) => line.startsWith(`${key}\n`))?.slice(key.length + 1);
    return setting && Buffer.from(setting, "latin1").toString("utf8");
  };
  const folder = configFolder(env);
  const files = [
    value("core.excludesfile") ?? join(folder, "ignore"),
    value("core.attributesfile") ?? join(folder, "attributes"),
    "/etc/gitattributes",
  ];
  // Git takes a relative one from where it runs, which is the worktree.
  return files.map((file) =>
    file.startsWith("~/") ? join(home(env), file.slice(2)) : resolve(worktree, file),
  );
}

/** Where the person's files for Git lie that no setting names (gitignore and gitattributes manual pages). */
export function configFolder(env: Readonly<Record<string, string>>): string {
  return join(env["XDG_CONFIG_HOME"] || join(home(env), ".config"), "git");
}

function home(env: Readonly<Record<string, string>>): string {
  return env["HOME"] ?? env["USERPROFILE"] ?? "";
}

/** What `path` is and holds: a link that replaces a file is a change, whatever it leads to. A pipe is not waited for. */
function fingerprint(path: string): string {
  const stat = look(path, lstatSync);
  if (stat === undefined) return `${path}\nabsent`;
  if (typeof stat === "string") return `${path}\n${stat}`;
  const read = readRegularFile(path, largestFile);
  if (!read.ok) return `${path}\n${read.message}`;
  return `${path}\n${stat.isSymbolicLink() ? "link" : "file"} ${sha256(read.value)}`;
}

const largestFile = 256 * 1024 * 1024;

/** Whether `path`, whose content may change, can be read by Git without waiting for anyone. */
function openness(path: string): string {
  const stat = look(path, statSync);
  if (typeof stat === "string") return `${path}\n${stat}`;
  return `${path}\n${stat === undefined || stat.isFile() ? "can be read" : "is not a file"}`;
}

/** Whether anything bears the name: without a HEAD a folder is no Git directory. */
function presence(path: string): string {
  const stat = look(path, lstatSync);
  return `${path}\n${typeof stat === "string" ? stat : stat === undefined ? "absent" : "there"}`;
}

/** What stands at `path`; undefined if nothing does, and in words why it cannot be seen: a home of somebody else's. */
function look(path: string, ask: typeof lstatSync | typeof statSync): Stats | string | undefined {
  try {
    return ask(path, { throwIfNoEntry: false });
  } catch (error) {
    return systemReason(error);
  }
}
