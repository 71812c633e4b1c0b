/** The create-once ref that names a candidate, and which contract ids can name one. */

/** The longest id, in UTF-8 bytes, that leaves room for lock files and logs in a file name. */
const longestId = 200;

/** The ref of the candidate of contract `id`, which must be valid. */
export function candidateRef(id: string): string {
  return `refs/satyrn/candidates/${id}/head`;
}

/**
 * Why `id` cannot be exactly one component of a ref, or undefined if it can. Ids are never escaped, folded or
 * normalised to make them fit.
 *
 * The rules are those of the git-check-ref-format manual page for a component that is neither first nor last. On
 * Windows a dot at the end is refused too: a folder's name loses it there, and the ref would be another's.
 */
export function candidateIdProblem(id: string, platform: string = process.platform): string | undefined {
  if (id === "") return "is empty";
  if (id.includes("/")) return "contains '/'";
  if (id.includes("\0")) return "contains a NUL";
  if (Buffer.byteLength(id) > longestId) return `is longer than ${longestId} UTF-8 bytes`;
  if (!id.isWellFormed()) return "holds a lone surrogate";
  if (id.startsWith(".")) return "begins with '.'";
  if (id.endsWith(".lock")) return "ends with '.lock'";
  if (platform === "win32" && id.endsWith(".")) return "ends with '.', which Windows drops";
  if (id.includes("..")) return "contains '..'";
  if (id.includes("@{")) return "contains '@{'";
  const forbidden = /[\u0000-\u0020\u007f~^:?*[\\]/.exec(id)?.[0];
  if (forbidden !== undefined) return `contains ${JSON.stringify(forbidden)}`;
  return undefined;
}
