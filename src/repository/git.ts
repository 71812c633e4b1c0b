/**
 * The one Git runner. Every process of the engine's own Git is started here, so that what a repository,
 * its configuration or the caller's environment plants cannot run in it, prompt, page, or change its answers.
 */
import { oneLine, type Refusal, type Result, refusal, success } from "../outcome.ts";
import { type MemoryFile, memoryFile } from "../process/memory-file.ts";
import { ownChildren } from "../process/own-children.ts";
import { isSystemError, systemReason } from "../system-error.ts";
import { watchForPipe } from "./stuck.ts";

/** Where and how one Git command runs. */
export interface GitContext {
  /** Absolute path of the Git program. */
  readonly program: string;
  readonly cwd: string;
  /** Complete; see `gitEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends running commands when the engine is told to stop; absent for the steps that clean up. */
  readonly interruption?: AbortSignal | undefined;
  /** `name=value` settings of every command run here. */
  readonly settings?: readonly string[];
}

export interface GitInput {
  /** Extra `-c name=value` settings. */
  readonly settings?: readonly string[];
  /** What the command reads; the null device if absent. */
  readonly stdin?: string | Uint8Array | Bun.BunFile;
  /** Takes stdout in place of memory: a path, or a descriptor that is open for writing. */
  readonly stdoutFile?: string | number;
}

export interface GitRun {
  readonly status: number;
  readonly stdout: Buffer;
  /** Git's own words, in the C locale. */
  readonly stderr: string;
}

export type GitRefusal = Refusal<"GIT_FAILED" | "INTERRUPTED">;

/** Runs Git and gives its stdout if it exits 0; else GIT_FAILED with Git's own words, or INTERRUPTED. */
export async function git(
  context: GitContext,
  args: readonly string[],
  input: GitInput = {},
): Promise<Result<Buffer, "GIT_FAILED" | "INTERRUPTED">> {
  const run = await runGit(context, args, input);
  if (!run.ok) return run;
  return run.value.status === 0 ? success(run.value.stdout) : gitFailed(args, run.value);
}

/** The refusal for a Git command that did not do what it was asked. */
export function gitFailed(args: readonly string[], run: GitRun): Refusal<"GIT_FAILED"> {
  const words = oneLine(run.stderr.trim().replace(/\s*\n\s*/g, "; ")) || `exit ${run.status}`;
  return refusal("GIT_FAILED", `git ${subcommand(args)}: ${words.slice(0, 2000)}`);
}

function subcommand(args: readonly string[]): string {
  return args.find((word) => !word.startsWith("-")) ?? "";
}

/** Runs Git whatever its status. Refuses only when it cannot start (GIT_FAILED) or was interrupted. */
export async function runGit(
  context: GitContext,
  args: readonly string[],
  input: GitInput = {},
): Promise<Result<GitRun, "GIT_FAILED" | "INTERRUPTED">> {
  if (context.interruption?.aborted) return interrupted;
  const stdout = input.stdoutFile === undefined ? memoryFile() : null;
  const stderr = memoryFile();
  try {
    return await runWith(context, args, input, { stdout, stderr });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return refusal("GIT_FAILED", `what git ${subcommand(args)} wrote cannot be read: ${systemReason(error)}`);
  } finally {
    stdout?.close();
    stderr?.close();
  }
}

/** Where Git writes to; null for a pipe. */
interface Kept {
  readonly stdout: MemoryFile | null;
  readonly stderr: MemoryFile | null;
}

async function runWith(
  context: GitContext,
  args: readonly string[],
  { stdin, stdoutFile, settings: more }: GitInput,
  kept: Kept,
): Promise<Result<GitRun, "GIT_FAILED" | "INTERRUPTED">> {
  const isPiped = (stdoutFile === undefined && kept.stdout === null) || kept.stderr === null;
  let child: Bun.Subprocess<
    "ignore" | Uint8Array | Bun.BunFile,
    "pipe" | number | Bun.BunFile,
    "pipe" | number
  >;
  try {
    child = Bun.spawn(
      [context.program, ...alwaysFirst, ...settings(context.settings), ...settings(more), ...args],
      {
        cwd: context.cwd,
        env: context.env,
        stdin: typeof stdin === "string" ? Buffer.from(stdin) : (stdin ?? "ignore"),
        stdout:
          typeof stdoutFile === "string"
            ? Bun.file(stdoutFile)
            : (stdoutFile ?? kept.stdout?.descriptor ?? "pipe"),
        stderr: kept.stderr?.descriptor ?? "pipe",
        // A session, or on Windows a console, of its own: the terminal's interrupt reaches the engine, which
        // decides when Git ends. A process that is detached has none there, and each of Git's own opens one.
        detached: process.platform !== "win32",
        windowsHide: true,
      },
    );
  } catch (error) {
    return refusal(
      "GIT_FAILED",
      `cannot start ${context.program} in ${context.cwd}: ${(error as Error).message}`,
    );
  }
  // The tear-down of a command that runs beside must not take Git for one of its processes.
  ownChildren.add(child.pid);
  const end = () => endGroup(child.pid);
  context.interruption?.addEventListener("abort", end);
  const watch = watchForPipe(child.pid, end);
  try {
    const piped = isPiped ? Promise.all([child.stdout, child.stderr].map(bytesOf)) : undefined;
    await child.exited;
    const [stdout = nothing, stderr = nothing] = piped === undefined ? [] : await unlessHeld(piped);
    if (context.interruption?.aborted && child.exitCode !== 0) return interrupted;
    const said = (kept.stderr?.read() ?? stderr).toString("utf8");
    const words = watch.isStuck() ? `${said}\n${waited}` : said;
    return success({
      status: child.exitCode ?? -1,
      stdout: kept.stdout?.read() ?? stdout,
      stderr: child.signalCode === null ? words : `${words}\nit was ended by ${child.signalCode}`,
    });
  } finally {
    watch.stop();
    context.interruption?.removeEventListener("abort", end);
    ownChildren.delete(child.pid);
  }
}

const nothing = Buffer.alloc(0);
const waited = "it waited for the other end of a pipe that stands where it reads a file";

/** What comes out of a pipe; nothing where there is none. */
async function bytesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | number | undefined,
): Promise<Buffer> {
  return stream instanceof ReadableStream ? Buffer.from(await stream.bytes()) : nothing;
}

/**
 * Runs a command about worktrees, again while it fails over a neighbour's half-made or half-removed one, which
 * Git does not forgive.
 */
export async function retryGit(
  context: GitContext,
  args: readonly string[],
  input: GitInput = {},
): Promise<Result<GitRun, "GIT_FAILED" | "INTERRUPTED">> {
  const end = performance.now() + patience;
  for (;;) {
    const run = await runGit(context, args, input);
    const hurt = run.ok && run.value.status !== 0 && /worktrees\/|commondir/.test(run.value.stderr);
    if (!hurt || performance.now() > end) return run;
    await Bun.sleep(5 + Math.random() * 20);
  }
}

/** In ms, for neighbours that change the list of worktrees. A prune that runs in a loop took the folder of worktrees away under eight adds in a row. */
export const patience = 5000;

/**
 * The environment of the engine's own Git: the caller's, with every `GIT_` variable dropped but those that say
 * where configuration, programs and credentials of the person lie, and with what could prompt, lock, page,
 * localise or substitute switched off.
 */
export function gitEnvironment(caller: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(caller)) {
    if (
      value !== undefined &&
      (!/^(GIT_|SSH_ASKPASS|LANGUAGE$|LC_)/i.test(name) || keptVariables.has(name))
    ) {
      env[name] = value;
    }
  }
  return Object.assign(env, {
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_GRAFT_FILE: nullDevice,
    GCM_INTERACTIVE: "never",
    LC_ALL: "C",
  });
}

const keptVariables = new Set([
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_ATTR_NOSYSTEM",
  "GIT_EXEC_PATH",
  "GIT_CEILING_DIRECTORIES",
  "GIT_DISCOVERY_ACROSS_FILESYSTEM",
  "GIT_ALLOW_PROTOCOL",
  "GIT_PROTOCOL_FROM_USER",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GIT_SSH_VARIANT",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
  "GIT_SSL_NO_VERIFY",
]);

const nullDevice = process.platform === "win32" ? "NUL" : "/dev/null";
/** Else Git for Windows fails at a path of more than 260 characters, and the private folder's alone has 80. */
const longPaths = process.platform === "win32" ? ["core.longPaths=true"] : [];

/** Before every subcommand. `core.hooksPath` names a place where no hook can be. */
const alwaysFirst = [
  "--no-pager",
  "--literal-pathspecs",
  ...settings([
    `core.hooksPath=${nullDevice}`,
    "core.fsmonitor=false",
    // Naming a graft file, even none, makes Git advise against graft files.
    "advice.graftFileDeprecated=false",
    "core.askPass=",
    "core.splitIndex=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "credential.interactive=false",
    "i18n.commitEncoding=UTF-8",
    ...longPaths,
  ]),
];

function settings(list: readonly string[] = []): string[] {
  return list.flatMap((setting) => ["-c", setting]);
}

const interrupted = refusal("INTERRUPTED", "the engine was told to stop");

/** Git has exited; a process it left behind may hold its pipes for ever, and is not waited for. */
async function unlessHeld(output: Promise<readonly Buffer[]>): Promise<readonly Buffer[]> {
  let timer: Timer | undefined;
  const held = new Promise<readonly Buffer[]>((resolve) => {
    const words = Buffer.from("a process that Git started holds its output");
    timer = setTimeout(() => resolve([nothing, words]), 2000);
  });
  try {
    return await Promise.race([output, held]);
  } finally {
    clearTimeout(timer);
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGTERM");
  } catch {
    // Already gone.
  }
}
