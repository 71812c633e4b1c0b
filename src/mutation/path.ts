/** The shape of a path that a replacement may name; the same on every system. */

/**
 * What is wrong with `path` as the `path` of a request, in words that follow it; undefined if nothing is.
 *
 * A name that only one system reads differently (a stream, a device, a dropped dot) is refused on all.
 */
export function pathProblem(path: string): string | undefined {
  if (path === "") return "is empty";
  if (path.length > longest) return `has ${path.length} characters, more than ${longest}`;
  if (!path.isWellFormed()) return "holds a lone surrogate";
  if (path.includes("\0")) return "holds a NUL";
  if (path.includes("\\")) return "holds a backslash; separate folders with `/`";
  if (path.startsWith("/")) return "is absolute; give it relative to the repository's root";
  if (path.includes(":")) return "holds a `:` (a drive, or a stream of a file)";
  for (const segment of path.split("/")) {
    const problem = segmentProblem(segment);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The longest path that Windows takes. */
const longest = 32_767;

function segmentProblem(segment: string): string | undefined {
  if (segment === "") return "has an empty segment";
  if (segment === "." || segment === "..") return `has a \`${segment}\` segment`;
  if (/[. ]$/.test(segment)) return `has a segment that ends in a dot or a space: ${segment}`;
  if (deviceName.test(segment)) return `has a segment that is a device on Windows: ${segment}`;
  return undefined;
}

/**
 * Windows opens a device whatever the extension, and also with spaces before it. Superscript digits count.
 * https://learn.microsoft.com/windows/win32/fileio/naming-a-file#naming-conventions
 */
const deviceName = /^(?:con|prn|aux|nul|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$) *(?:\.|$)/i;

/** Whether a segment of `path` is Git's own folder, in any of the spellings that Git itself refuses in a tree. */
export function leadsIntoGit(path: string): boolean {
  return path.split("/").some((segment) => {
    const plain = segment.replace(ignoredByHfs, "").toLowerCase();
    return plain === ".git" || segment.toLowerCase() === "git~1";
  });
}

/** The code points HFS+ leaves out when it compares names (`is_hfs_dotgit` in Git's utf8.c). */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
