/** Where a program the engine starts itself lies: never where a repository could have planted it. */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, sep } from "node:path";

/**
 * The real absolute path of `name` on `searchPath`, or undefined.
 *
 * Only absolute entries count, and none that lies in one of `outside` (real paths), links resolved on both
 * sides: a relative entry, or a program inside the repository, would run what the repository says.
 */
export function trustedProgram(
  name: string,
  searchPath: string | undefined,
  outside: readonly string[],
): string | undefined {
  for (const entry of (searchPath ?? "").split(delimiter)) {
    if (!isAbsolute(entry)) continue;
    for (const suffix of suffixes) {
      const program = realProgram(join(entry, name + suffix));
      if (program !== undefined && !outside.some((folder) => contains(folder, program))) return program;
    }
  }
  return undefined;
}

/** Whether `path` is `folder` or lies below it. Both are real paths. */
export function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

const suffixes = process.platform === "win32" ? [".exe"] : [""];

function realProgram(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? realpathSync.native(path) : undefined;
  } catch {
    return undefined;
  }
}
