/** Refs as Git lists them. */
import { join } from "node:path";
import { mayBeThere } from "../files/identity.ts";
import { readRegularFile } from "../files/read.ts";
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

/**
 * Whether no ref is named as one of `prefixes` or lies below it, where refs are files: no loose one, which would lie
 * there or on the way, and no packed one (gitrepository-layout manual page). What is there only Git can read.
 */
export function noneBelow(
  { commonDirectory }: { readonly commonDirectory: string },
  prefixes: readonly string[],
): boolean {
  const names = prefixes.map((prefix) => prefix.replace(/\/$/, ""));
  if (names.some((name) => mayBeThere(join(commonDirectory, name)))) return false;
  const packed = readRegularFile(join(commonDirectory, "packed-refs"), mostRead);
  if (!packed.ok) return !mayBeThere(join(commonDirectory, "packed-refs"));
  return names.every((name) => !packed.value.includes(` ${name}/`) && !packed.value.includes(` ${name}\n`));
}

/** Whether HEAD is at `commit` now, as far as files tell; false also where only Git can tell. */
export function isAtHead(
  { gitDirectory, commonDirectory }: { readonly gitDirectory: string; readonly commonDirectory: string },
  commit: string,
): boolean {
  const textOf = (path: string) => {
    const read = readRegularFile(path, mostRead);
    return read.ok ? read.value.toString("latin1") : undefined;
  };
  const head = textOf(join(gitDirectory, "HEAD"));
  const branch = /^ref: (refs\/heads\/.+)\n$/s.exec(head ?? "")?.[1];
  if (branch === undefined) return head === `${commit}\n`;
  const name = Buffer.from(branch, "latin1").toString("utf8");
  const loose = textOf(join(commonDirectory, name));
  if (loose !== undefined) return loose === `${commit}\n`;
  return textOf(join(commonDirectory, "packed-refs"))?.includes(`\n${commit} ${branch}\n`) ?? false;
}

/** Git finds a ref among more by halving, without reading them all. */
const mostRead = 4 * 1024 * 1024;
