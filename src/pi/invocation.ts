/** How the Pi that runs this was started. */
import { existsSync } from "node:fs";

/**
 * The argv that starts the same Pi again. Pi compiled by Bun reports a script inside itself; its executable is
 * then Pi.
 */
export function piInvocation(executable: string, script: string | undefined): readonly string[] {
  if (script === undefined || isVirtual(script) || !existsSync(script)) return [executable];
  return [executable, script];
}

function isVirtual(script: string): boolean {
  return script.startsWith("/$bunfs/root/") || /^[A-Za-z]:[\\/]~BUN[\\/]root[\\/]/.test(script);
}
