/** The packages of this tier: Pi, old and new, and the Node it needs. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dir;
const lock = readFileSync(join(here, "bun.lock"), "utf8");
/** The lock file as it was when all that it names had been installed. */
const installed = join(here, "node_modules/.installed.lock");

/** Installs them, unless they are there. Not for two processes at once. */
export function installPackages(): void {
  if (readIfThere(installed) === lock) return;
  const argv = [process.execPath, "install", "--frozen-lockfile", "--ignore-scripts", "--silent"];
  const run = Bun.spawnSync(argv, { cwd: here, stderr: "inherit" });
  if (run.exitCode !== 0) throw new Error("the packages of test/pi could not be installed");
  writeFileSync(installed, lock);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
