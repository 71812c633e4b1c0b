/** The environment of a command the caller asked for. */

/**
 * The variables by which a caller's Git (a hook, an alias, `git rebase --exec`) routes its children to a
 * repository, an index or an object store of its own.
 *
 * What `git rev-parse --local-env-vars` prints, united over Git 2.36 and later (a test compares it with the
 * installed Git), and two that it leaves out: `GIT_NAMESPACE`, and `GIT_QUARANTINE_PATH`, which a receive
 * hook inherits.
 */
export const repositoryVariables: readonly string[] = [
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_CONFIG",
  "GIT_CONFIG_COUNT",
  "GIT_CONFIG_PARAMETERS",
  "GIT_DIR",
  "GIT_GRAFT_FILE",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_INTERNAL_SUPER_PREFIX",
  "GIT_NAMESPACE",
  "GIT_NO_REPLACE_OBJECTS",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_QUARANTINE_PATH",
  "GIT_REPLACE_REF_BASE",
  "GIT_SHALLOW_FILE",
  "GIT_WORK_TREE",
];

const routing: ReadonlySet<string> = new Set(repositoryVariables);
const configurationPair = /^GIT_CONFIG_(?:KEY|VALUE)_/;

/** Whether a variable of this name routes Git to another repository. Names ignore case on Windows. */
export function routesGit(name: string, platform: string = process.platform): boolean {
  const spelled = platform === "win32" ? name.toUpperCase() : name;
  return routing.has(spelled) || configurationPair.test(spelled);
}

/** What a child process is given: every variable has a value. */
export type Environment = Readonly<Record<string, string>>;

/**
 * The caller's environment for a command that runs in `directory`: without the variables that route Git,
 * with Git's terminal prompts off, and with `PWD` naming the directory.
 */
export function commandEnvironment(
  caller: Readonly<Record<string, string | undefined>>,
  directory: string,
  platform: string = process.platform,
): Environment {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(caller)) {
    if (value !== undefined && !routesGit(name, platform)) environment[name] = value;
  }
  environment["GIT_TERMINAL_PROMPT"] = "0";
  if (platform !== "win32") environment["PWD"] = directory;
  return environment;
}
