/** Runs Git in a worktree, with no hook or monitor of that repository executed. */
import { isAbsolute } from "node:path";
import { routesGit } from "../process/environment.ts";
import type { Git } from "./git.ts";

/** Git in `directory`; `found` names what was discovered there once, so that it is never discovered again. */
export function gitIn(directory: string, found: Readonly<Record<string, string>> = {}): Git {
  const base: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !routesGit(name)) base[name] = value;
  }
  Object.assign(base, settings, found);
  // A relative element of PATH would name programs of the repository.
  const folders = (process.env["PATH"] ?? "").split(":").filter((folder) => isAbsolute(folder));
  const path = Bun.which("git", { PATH: folders.join(":") }) ?? "git";
  return async (args, options = {}) => {
    const child = Bun.spawn([path, ...overrides, ...args], {
      cwd: directory,
      env: { ...base, ...options.environment },
      stdin: options.stdin ?? "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.bytes(), child.stderr.text()]);
    const status = await child.exited;
    return { status, stdout: Buffer.from(stdout), stderr };
  };
}

const settings = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null",
  LC_ALL: "C",
};

const overrides = ["--no-pager", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];
