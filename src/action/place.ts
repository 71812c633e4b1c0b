import { isAbsolute, relative, sep } from "node:path";
import type { CheckRequest, CheckResult } from "../check.ts";
import { absolutePath } from "../files/read.ts";
import type { Place } from "./report.ts";

/**
 * Where in its contract a request was refused, the path taken from the root of the repository, as GitHub takes it;
 * null if the contract is not what was refused.
 */
export function contractPlace(checked: CheckResult, { repo, contract }: CheckRequest): Place | null {
  return "line" in checked ? { file: inRepository(repo, contract), line: checked.line } : null;
}

/** `path` from the repository's root with slashes, or as it is if it lies elsewhere. */
export function inRepository(repo: string, path: string): string {
  const [root, file] = [absolutePath(repo), absolutePath(path)];
  if (!isAbsolute(root) || !isAbsolute(file)) return path;
  const inside = relative(root, file);
  const isOutside = inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return isOutside ? path : inside.split(sep).join("/");
}
