/** Whether Git is new enough, told by a command that runs anyway. */
import { type Result, refusal, success } from "../outcome.ts";
import { type GitContext, type GitRun, git } from "./git.ts";

/** The environment in which Git writes its trace to stderr, one line of JSON an event (Git's trace2 API). */
export const tracing = { GIT_TRACE2_EVENT: "1", GIT_TRACE2_EVENT_BRIEF: "1" } as const;

/** Takes apart what a command in that environment wrote: which Git it is, if it said so, and its words for people. */
export function readTrace(run: GitRun): { readonly version: string | undefined; readonly run: GitRun } {
  const lines = run.stderr.split("\n");
  // The first event, before Git has read a configuration or an argument: nothing else can be taken for it.
  const version = /^\{"event":"version",.*"exe":"([^"]+)"/.exec(lines[0] ?? "")?.[1];
  const words = lines.filter((line) => !line.startsWith('{"event":"')).join("\n");
  return { version, run: { ...run, stderr: words } };
}

/** Refuses GIT_FAILED, with the version it found, if Git is older than 2.36. One that has no trace (before 2.22) is asked. */
export async function requireVersion(
  context: GitContext,
  traced: string | undefined,
): Promise<Result<undefined, "GIT_FAILED" | "INTERRUPTED">> {
  const asked = traced === undefined ? await git(context, ["version"]) : success(`git version ${traced}`);
  if (!asked.ok) return asked;
  const found = asked.value.toString().trim();
  const [, major = "", minor = ""] = /(\d+)\.(\d+)/.exec(found) ?? [];
  const isOld = Number(major) < 2 || (major === "2" && Number(minor) < 36);
  return isOld ? refusal("GIT_FAILED", `git 2.36 or newer is needed, found ${found}`) : success(undefined);
}
