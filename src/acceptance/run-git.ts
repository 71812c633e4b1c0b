/** Runs Git in a worktree, with nothing of that repository executed. */
import { repositoryVariables } from "../process/environment.ts";
import type { Git } from "./git.ts";

export function gitIn(directory: string): Git {
  const base: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !repositoryVariables.includes(name)) base[name] = value;
  }
  Object.assign(base, {
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    LC_ALL: "C",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_PAGER: "cat",
  });
  const path = Bun.which("git") ?? "git";
  return async (args, options = {}) => {
    const child = Bun.spawn([path, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", ...args], {
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
