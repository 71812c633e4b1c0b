/** Programs for the commands of these tests: none of them is there on a bare Windows, but the runtime is. */

/**
 * Runs `script` in the runtime of the tests; `words` follow as `process.argv[1]` and on. `here` names a file in the
 * working directory: under Wine the runtime writes to none that is named without it.
 */
export function running(script: string, ...words: readonly string[]): readonly string[] {
  const prelude = 'const fs = require("node:fs"); const here = (name) => process.cwd() + "\\\\" + name;';
  return [process.execPath, "-e", `${prelude} ${script}`, ...words];
}

/** A script that writes to `file` for a minute, and what starts another such process, detached. */
export function heartbeat(file: string): string {
  return `for (let n = 0; n < 600; n++) { fs.appendFileSync(${JSON.stringify(file)}, "."); Bun.sleepSync(100); }`;
}

export function startsInBackground(script: string): string {
  const argv = JSON.stringify(running(script));
  return `Bun.spawn(${argv}, { stdio: ["ignore", "ignore", "ignore"], detached: true, windowsHide: true }).unref();`;
}

/** Waits until `file` has grown, for ten seconds at most. */
export async function appears(file: string): Promise<void> {
  const end = performance.now() + 30_000;
  while (performance.now() < end) {
    if ((await Bun.file(file).exists()) && Bun.file(file).size > 0) return;
    await Bun.sleep(50);
  }
  throw new Error(`${file} never appeared`);
}

/** Whether nothing is added to `file` any more. */
export async function isStill(file: string): Promise<boolean> {
  const before = Bun.file(file).size;
  await Bun.sleep(600);
  return Bun.file(file).size === before;
}
