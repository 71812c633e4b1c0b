/** Which file is started when the engine itself starts a program. */
import { realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute } from "node:path";
import { type Folders, folderAround } from "../files/identity.ts";
import { oneLine } from "../outcome.ts";
import { findProgram, type Program } from "./program.ts";
import { findProgramOnWindows } from "./program.windows.ts";

/**
 * The absolute path of the program `name`: as it is, if it is absolute; else found in the absolute folders of
 * PATH, where neither the folder nor the file, links resolved, lies in one of `repository`. A repository must
 * not be able to offer a program for the engine to start.
 */
export function findOwnProgram(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  repository: Folders,
): Program {
  if (isAbsolute(name)) return find(name, "");
  const shown = oneLine(name);
  if (/[/\\]/.test(name)) {
    return { ok: false, reason: `program '${shown}' must be an absolute path or a name on PATH` };
  }
  for (const folder of (environment["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder) || !liesOutside(folder, repository)) continue;
    const found = find(name, folder);
    if (found.ok && liesOutside(dirname(realpathSync(found.path)), repository)) return found;
  }
  return { ok: false, reason: `program '${shown}' was not found on PATH outside of the repository` };
}

const find = (name: string, path: string): Program =>
  (process.platform === "win32" ? findProgramOnWindows : findProgram)([name], "/", { PATH: path });

/** A folder that is not there holds no program either. */
function liesOutside(folder: string, repository: Folders): boolean {
  try {
    return folderAround(folder, repository) === null;
  } catch {
    return false;
  }
}
