/** Finds the engine's executable, and the environment it may see. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "./child.ts";

const hint =
  "install the satyrn-engine executable and put it on PATH, or set SATYRN_ENGINE to its absolute path";

/**
 * The absolute path of the engine: `SATYRN_ENGINE` if set, else the first `satyrn-engine` on `PATH`. A relative
 * element of `PATH` is skipped, because it would name a program of the working directory.
 */
export function findEngine(environment: Environment): { path: string } | { problem: string } {
  const chosen = environment["SATYRN_ENGINE"];
  if (chosen) {
    if (!isAbsolute(chosen)) return { problem: `SATYRN_ENGINE must be an absolute path, not '${chosen}'` };
    if (isProgram(chosen)) return { path: chosen };
    return { problem: `SATYRN_ENGINE names '${chosen}', which is not an executable file; ${hint}` };
  }
  const name = process.platform === "win32" ? "satyrn-engine.exe" : "satyrn-engine";
  for (const folder of (environment["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const candidate = join(folder, name);
    if (isProgram(candidate)) return { path: candidate };
  }
  return { problem: `${name} is not on PATH; ${hint}` };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * `environment` without the variables that change what the engine is or says (Bun's and what is built into it,
 * Node's options, the dynamic loader's) or route its Git to another repository.
 */
export function engineEnvironment(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isHostile(name.toUpperCase())));
}

function isHostile(name: string): boolean {
  return /^(BUN_|MIMALLOC_|SIMDUTF_|LD_|DYLD_|GIT_CONFIG_(KEY|VALUE)_)/.test(name) || hostile.has(name);
}

/** JavaScriptCore's, Node's, and those that `git rev-parse --local-env-vars` lists with the few that route Git besides them. */
const hostile: ReadonlySet<string> = new Set([
  "JSC_SIGNAL_FOR_GC",
  "NODE_CHANNEL_FD",
  "NODE_OPTIONS",
  "NODE_PATH",
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
]);
