/** Which file a command word names on Windows. */
import { statSync } from "node:fs";
import { win32 } from "node:path";
import { oneLine } from "../outcome.ts";
import type { Environment } from "./environment.ts";
import { type Program, unstartable } from "./program.ts";

/**
 * The executable that `argv[0]` names. A name with a slash or a backslash is relative to `cwd`; any other is
 * looked up in the absolute folders of PATH, and nowhere else: Windows itself would look in the working
 * directory first. An extension that is not written is `.com` or `.exe`. Batch files are refused: their
 * arguments cannot be passed on unaltered.
 */
export function findProgramOnWindows(
  argv: readonly string[],
  cwd: string,
  environment: Environment,
  isFile: (path: string) => boolean = isFileHere,
): Program {
  const reason = unstartable(argv, cwd);
  if (reason !== null) return { ok: false, reason };
  const name = argv[0] ?? "";
  const isPath = /[\\/]/.test(name);
  const folders = isPath ? [cwd] : pathOf(environment).filter(win32.isAbsolute);
  const candidates = folders.flatMap((folder) =>
    spellings(name).map((spelling) => win32.resolve(folder, spelling)),
  );
  const path = candidates.find(isFile);
  const shown = oneLine(name);
  if (path === undefined)
    return { ok: false, reason: `program '${shown}' ${isPath ? "does not exist" : "was not found on PATH"}` };
  if (batch.test(path))
    return {
      ok: false,
      reason: `program '${shown}' is a batch file: name its interpreter and script instead`,
    };
  return { ok: true, path };
}

const batch = /\.(?:cmd|bat)$/i;

function spellings(name: string): readonly string[] {
  return /\.(?:com|exe|cmd|bat)$/i.test(name)
    ? [name]
    : ["com", "exe", "cmd", "bat"].map((each) => `${name}.${each}`);
}

function pathOf(environment: Environment): readonly string[] {
  const name = Object.keys(environment).find((each) => each.toUpperCase() === "PATH");
  const value = name === undefined ? "" : (environment[name] ?? "");
  return value.split(";").map((folder) => folder.replace(/^"(.*)"$/, "$1"));
}

function isFileHere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
