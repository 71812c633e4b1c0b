/** Where `/implement` works: the repository and the contract that the person means. */
import { readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Completion } from "./host.ts";

/** The root of the Git working tree that holds `folder`; undefined if none does. */
export function workingTreeRoot(folder: string): string | undefined {
  for (let at = resolve(folder), inside = ""; ; inside = at, at = dirname(at)) {
    if (at === inside) return undefined;
    if (inside.endsWith(`${sep}.git`)) continue;
    if (isRegular(join(at, ".git")) || isRegular(join(at, ".git", "HEAD"))) return at;
  }
}

/** What cannot be looked at, such as a link that leads in a circle, marks no working tree. */
function isRegular(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** `/implement`'s argument as a path: spaces around it and one pair of quotes do not count. "" if none is given. */
export function contractArgument(argument: string): string {
  const trimmed = argument.trim();
  const quoted = /^(["'])(.*)\1$/.exec(trimmed);
  return (quoted?.[2] ?? trimmed).trim();
}

/**
 * The contract as the attempt in the worktree names it: relative to the root if it lies inside, so that it is
 * read from the exact base, else absolute.
 */
export function contractInWorktree(root: string, contract: string): string {
  return inside(root, contract) ?? inside(real(root), real(contract)) ?? contract;
}

function inside(root: string, path: string): string | undefined {
  const way = relative(root, path);
  if (way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) return undefined;
  return way.split(sep).join("/");
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Completions offered at once. */
const offered = 100;

/** The folders and YAML files that `prefix` may go on to, relative to `folder`. */
export function completeContract(folder: string, prefix: string): Completion[] {
  const typed = prefix.trimStart();
  const cut = typed.lastIndexOf("/") + 1;
  const start = typed.slice(cut);
  try {
    return readdirSync(resolve(folder, typed.slice(0, cut)), { withFileTypes: true })
      .filter(({ name }) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")))
      .filter((entry) => entry.isDirectory() || /\.ya?ml$/.test(entry.name))
      .slice(0, offered)
      .map((entry) => entry.name + (entry.isDirectory() ? "/" : ""))
      .map((label) => ({ value: typed.slice(0, cut) + label, label }));
  } catch {
    return [];
  }
}
