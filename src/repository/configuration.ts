/** Git's configuration of a repository, and the files it comes from. */
import { join } from "node:path";
import { type Result, success } from "../outcome.ts";
import { type GitContext, type GitRefusal, git } from "./git.ts";
import { readSharing, type Sharing } from "./sharing.ts";

export interface Configuration {
  /** `key`, newline, `value` (bytes as latin1), in the order Git reads them. The engine's own are left out. */
  readonly settings: readonly string[];
  /** Where they stand: each scope with each origin, once. */
  readonly origins: readonly Origin[];
  /** What the repository's own file asks for those who share it. */
  readonly sharing: Sharing | null;
}

interface Origin {
  readonly scope: string;
  readonly origin: string;
}

/** Asks Git, in one process, what is set for a repository: system, person, repository, includes followed. */
export async function readConfiguration(
  context: GitContext,
): Promise<Result<Configuration, GitRefusal["code"]>> {
  const listed = await git(context, [
    "config",
    "--list",
    "-z",
    "--includes",
    "--show-scope",
    "--show-origin",
  ]);
  return listed.ok ? success(parseConfiguration(listed.value)) : listed;
}

/** Reads `git config --list -z --show-scope --show-origin`: scope, origin, and the setting, a NUL after each. */
export function parseConfiguration(output: Buffer): Configuration {
  const fields = output.toString("latin1").split("\0");
  const settings: string[] = [];
  const origins = new Map<string, Origin>();
  let own: string | undefined;
  let sharing: Sharing | null = null;
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = "", origin = "", setting = ""] = fields.slice(at, at + 3);
    if (scope === "command") continue;
    settings.push(setting);
    origins.set(`${scope} ${origin}`, { scope, origin });
    // Git knows how a repository is shared before it reads another file, or one that this includes.
    if (scope === "local") own ??= origin;
    const shared = origin === own ? /^core\.sharedrepository(?:\n(.*))?$/s.exec(setting) : null;
    if (shared !== null) sharing = readSharing(shared[1] ?? "true");
  }
  return { settings, origins: [...origins.values()], sharing };
}

/**
 * Every file whose content decides what the configuration is: while none differs, Git would answer the same.
 * Undefined where that is not certain: with includes, configuration of a worktree's own, refs that are not files,
 * origins that are not known, and on systems whose installed configuration may lie in several places.
 *
 * The system's own file has no known name while it is absent: a Git that is to obey the answer must then be told
 * to read none (`GIT_CONFIG_NOSYSTEM`), which `readsSystem` says.
 */
export function decidingFiles(
  { settings, origins }: Configuration,
  commonDirectory: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: string = process.platform,
): { readonly files: readonly string[]; readonly readsSystem: boolean } | undefined {
  if (platform !== "linux" || settings.some((setting) => leadsElsewhere.test(setting))) return undefined;
  const named = (scope: string) => origins.filter((each) => each.scope === scope).map(({ origin }) => origin);
  const system = named("system");
  const personal = personalFiles(env);
  const known = ["system", "global", "local"];
  if (origins.some(({ scope, origin }) => !known.includes(scope) || !origin.startsWith("file:")))
    return undefined;
  if (named("global").some((origin) => !personal.includes(pathOf(origin)))) return undefined;
  if (named("local").length > 1 || system.length > 1) return undefined;
  const files = [...system.map(pathOf), ...personal, join(commonDirectory, "config")];
  return { files, readsSystem: system.length > 0 };
}

/** Settings that bring in other files, or other settings for each worktree or branch. */
const leadsElsewhere = /^(?:include\.|includeif\.|extensions\.(?:worktreeconfig|refstorage)\n)/i;

/**
 * Whether Git keeps the repository as it always has: refs are files, a worktree has no configuration of its own, and
 * files get the caller's usual permissions. So its registration of a worktree is three files (gitrepository-layout
 * manual page), and a symbolic ref is a file of its name.
 */
export function isPlain({ settings }: Configuration, platform: string = process.platform): boolean {
  return platform !== "win32" && !settings.some((setting) => unusual.test(setting));
}

const unusual =
  /^(?:extensions\.(?!(?:objectformat|partialclone|preciousobjects|noop)\n)|core\.sharedrepository\n)/i;

function pathOf(origin: string): string {
  return Buffer.from(origin.slice("file:".length), "latin1").toString("utf8");
}

/** The person's own files, there or not (git-config manual page, FILES). */
function personalFiles(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const named = env["GIT_CONFIG_GLOBAL"];
  if (named !== undefined) return [named];
  const home = env["HOME"];
  const folder = env["XDG_CONFIG_HOME"] || (home && join(home, ".config"));
  return [...(folder ? [join(folder, "git/config")] : []), ...(home ? [join(home, ".gitconfig")] : [])];
}
