/**
 * Understanding what a model meant by the arguments of one `edit` call.
 *
 * Models bend the declared shape in a few known ways that leave no doubt about the meaning; those are read.
 * Everything else is refused by name, where the model can see it.
 */
import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { isObject, type JsonObject } from "./json.ts";

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

export interface EditCall {
  /** Relative to the worktree, with `/`, where that could be told. */
  readonly path: string;
  readonly edits: readonly Edit[];
}

/** Where the paths of a call are looked up. */
export interface Worktree {
  readonly repo: string;
  /** Its writable files. */
  readonly revisions: ReadonlyMap<string, string>;
}

/**
 * The one file and the edits that `given` asks for; `{problem}` if that is in doubt.
 *
 * Understood: `edits` as a JSON string or as a single object; `oldText` and `newText` beside `path`; a `path`
 * inside an edit that equals the outer one, or stands for it; a path with a leading `@` or `./`, or absolute
 * inside the worktree.
 */
export function understandEdit(given: unknown, worktree: Worktree): EditCall | { problem: string } {
  if (!isObject(given)) return { problem: "arguments must be an object with path and edits" };
  const items = itemsOf(given);
  if ("problem" in items) return items;
  const path = pathOf(given, items.list, worktree);
  if ("problem" in path) return path;
  const edits: Edit[] = [];
  for (const [at, { oldText, newText }] of items.list.entries()) {
    if (typeof oldText !== "string") return { problem: `edits[${at}].oldText must be a string` };
    if (typeof newText !== "string") return { problem: `edits[${at}].newText must be a string` };
    edits.push({ oldText, newText });
  }
  return { path: path.path, edits };
}

function itemsOf(given: JsonObject): { list: readonly JsonObject[] } | { problem: string } {
  const { edits, oldText, newText } = given;
  const single = oldText !== undefined || newText !== undefined;
  const absent = edits === undefined || edits === null || (Array.isArray(edits) && edits.length === 0);
  if (single && !absent) return { problem: "give either edits, or oldText and newText, not both" };
  if (single) return { list: [{ oldText, newText }] };
  if (absent) return { problem: "edits is missing: give a list of {oldText, newText}" };
  const read = typeof edits === "string" ? parsed(edits) : edits;
  const list: readonly unknown[] = Array.isArray(read) ? read : [read];
  if (!list.every(isObject)) return { problem: "edits must be a list of {oldText, newText}" };
  if (list.length === 0) return { problem: "edits is empty: give at least one {oldText, newText}" };
  return { list };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pathOf(
  given: JsonObject,
  items: readonly JsonObject[],
  worktree: Worktree,
): { path: string } | { problem: string } {
  const named = [given, ...items].map((holder) => holder["path"]).filter((path) => path !== undefined);
  const paths = new Set<string>();
  for (const path of named) {
    if (typeof path !== "string") return { problem: "path must be a string" };
    paths.add(relativePath(path, worktree));
  }
  const [path, ...others] = paths;
  if (path === undefined || path === "") return { problem: "path is missing: name the file to edit" };
  if (others.length > 0) {
    return {
      problem: `one call edits one file, not ${Array.from(paths, (one) => `'${one}'`).join(" and ")}`,
    };
  }
  return { path };
}

/** `path` relative to the worktree. One that lies outside, or is malformed, stays as it is for the engine to refuse. */
function relativePath(path: string, { repo, revisions }: Worktree): string {
  const bare = path.startsWith("@") && !revisions.has(path) ? path.slice(1) : path;
  const native = windowsPath(bare);
  if (!isAbsolute(native)) return bare.replace(/^(\.\/+)+/, "");
  for (const root of roots(repo)) {
    const inside = relative(root, native);
    if (inside !== "" && inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) {
      return inside.split(sep).join("/");
    }
  }
  return bare;
}

/** Git Bash and Cygwin spell `C:\x` as `/c/x` and `/cygdrive/c/x`. */
function windowsPath(path: string): string {
  if (process.platform !== "win32") return path;
  return path.replace(/^\/(?:cygdrive\/|mnt\/)?([A-Za-z])\//, "$1:\\");
}

function roots(repo: string): readonly string[] {
  try {
    return [repo, realpathSync(repo)];
  } catch {
    return [repo];
  }
}
