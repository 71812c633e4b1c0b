/** A Git in whose way something stands. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scene } from "./delivery.ts";

/**
 * An environment in which the engine's Git is a shell script of these lines, which have its arguments in `$words`,
 * a blank around each, and Git itself in `$REAL`. Git follows unless they end the script.
 */
export function wrappedGit(at: Scene, lines: string): Record<string, string> {
  const programs = join(at.folder, "wrapped");
  mkdirSync(programs, { recursive: true });
  const script = `#!/bin/sh\nwords=" $* "\n${lines}\nexec "$REAL" "$@"\n`;
  writeFileSync(join(programs, "git"), script, { mode: 0o755 });
  return { PATH: `${programs}:${process.env["PATH"]}`, REAL: Bun.which("git") ?? "" };
}
