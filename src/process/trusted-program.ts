/** Where a program the engine starts itself lies: never where a repository could have planted it. */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, sep } from "node:path";

/**
 * The absolute path of `name` on `searchPath`, or undefined. A link is not replaced by what it leads to: a
 * program that serves several names goes by the one it is started with.
 *
 * Only absolute entries count, and neither the entry nor the program may lie in one of `outside` (real paths),
 * links resolved on both sides: a relative entry, or a program inside the repository, would run what the
 * repository says.
 */
export function trustedProgram(
  name: string,
  searchPath: string | undefined,
  outside: readonly string[],
): string | undefined {
  for (const entry of (searchPath ?? "").split(delimiter)) {
    if (!isAbsolute(entry)) continue;
    for (const suffix of suffixes) {
      const program = join(entry, name + suffix);
      const real = realPaths(entry, program);
      const planted = real.some((path) => outside.some((folder) => contains(folder, path)));
      if (real.length > 0 && !planted) return program;
    }
  }
  return undefined;
}

/** Whether `path` is `folder` or lies below it. Both are real paths. */
export function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

const suffixes = process.platform === "win32" ? [".exe"] : [""];

/** Of the folder and the program in it; none if it is no program, or that cannot be seen. */
function realPaths(entry: string, program: string): readonly string[] {
  try {
    if (!statSync(program, { throwIfNoEntry: false })?.isFile()) return [];
    accessSync(program, constants.X_OK);
    return [realpathSync.native(entry), realpathSync.native(program)];
  } catch {
    return [];
  }
}
