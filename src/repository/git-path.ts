/** Paths between Git, which writes slashes on every system, and the system. */
import { normalize, sep } from "node:path";

/** An absolute path that Git printed or keeps, as the system spells it. */
export function pathFromGit(path: string): string {
  return normalize(path);
}

/** An absolute path of the system's, as Git prints it. */
export function pathToGit(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}
