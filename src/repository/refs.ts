/** Refs as Git lists them. */
import { type Result, success } from "../outcome.ts";
import { type GitContext, git } from "./git.ts";

/** A ref: its name, a newline, the object it names; bytes as latin1. */
export type RefLine = string;

/** The refs at or below each of `prefixes`, in one process. One that leads nowhere is not listed. */
export async function listRefs(
  context: GitContext,
  prefixes: readonly string[],
): Promise<Result<readonly RefLine[], "GIT_FAILED" | "INTERRUPTED">> {
  const refs = await git(context, ["for-each-ref", "--format=%(refname)%0a%(objectname)%00", ...prefixes]);
  return refs.ok ? success(refs.value.toString("latin1").split("\0\n").filter(Boolean)) : refs;
}

export function nameOf(ref: RefLine): string {
  return Buffer.from(ref.slice(0, ref.indexOf("\n")), "latin1").toString("utf8");
}
