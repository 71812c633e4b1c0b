/** Runs Git in a worktree, with no hook or monitor of that repository executed. */
import type { Folders } from "../files/identity.ts";
import { routesGit } from "../process/environment.ts";
import { findOwnProgram } from "../process/own-program.ts";

export interface GitRun {
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Gives what Git printed; with `into` that went to this descriptor instead. */
export type Git = (args: readonly string[], into?: number) => Promise<GitRun>;

/** Git in `directory`; `found` names what was discovered there once, so that it is never discovered again. */
export function gitIn(
  directory: string,
  caller: Readonly<Record<string, string | undefined>>,
  repository: Folders,
  found: Readonly<Record<string, string>> = {},
): Git {
  const program = findOwnProgram("git", caller, repository);
  const base = Object.entries(caller).filter(([name, value]) => value !== undefined && !routesGit(name));
  const env = { ...Object.fromEntries(base), ...settings, ...found };
  return async (args, into) => {
    if (!program.ok) return { status: -1, stdout: Buffer.alloc(0), stderr: program.reason };
    const child = Bun.spawn([program.path, ...overrides, ...args], {
      cwd: directory,
      env,
      stdin: "ignore",
      stdout: into ?? "pipe",
      stderr: "pipe",
    });
    const printed = typeof child.stdout === "object" ? child.stdout.bytes() : new Uint8Array();
    const [stdout, stderr] = await Promise.all([printed, child.stderr.text()]);
    return { status: await child.exited, stdout: Buffer.from(stdout), stderr };
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
