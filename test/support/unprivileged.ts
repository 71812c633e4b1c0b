/** Deliveries by somebody whom permissions bind, as they do not bind root. */
import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import type { Receipt } from "../../src/delivery/receipt-schema.ts";
import type { Finding } from "../../src/recovery/recover.ts";
import { expectNothingLeft, type Scene } from "./delivery.ts";
import { engine } from "./engine.ts";
import { gitEnvironment, writeFiles } from "./repository.ts";

export const unprivilegedSkipped = "skipped: only root with setpriv can become someone whom permissions bind";

/**
 * Delivers a change of `a.txt`, followed by `script`, by the executable for somebody to whom the scene belongs
 * meanwhile. Undefined where that cannot be done. That nothing is left is proven, unless cleaning up failed.
 *
 * `$BEYOND` starts its arguments as a process that the engine may not end.
 */
export async function deliverUnprivileged(at: Scene, script: string): Promise<Receipt | undefined> {
  const setpriv = Bun.which("setpriv");
  if (process.getuid?.() !== 0 || setpriv === null) return undefined;
  chmodSync(at.folder, 0o755);
  Bun.spawnSync(["chown", "-R", "65534:65534", at.folder]);
  const elevate = join(at.folder, "elevate");
  copyFileSync(setpriv, elevate);
  chmodSync(elevate, 0o4755);
  writeFiles(at.folder, { beyond: `#!/bin/sh\nexec '${elevate}' --reuid=0 --clear-groups "$@"\n` });
  const beyond = join(at.folder, "beyond");
  chmodSync(beyond, 0o755);
  const command = ["sh", "-c", `echo changed > a.txt; ${script}`];
  const run = await engine(["deliver", "--repo", at.repo, at.contract, "--", ...command], {
    env: { ...gitEnvironment(), TMPDIR: at.temporary, HOME: at.folder, BEYOND: beyond },
    wrapper: [setpriv, ...nobody],
  });
  Bun.spawnSync(["chown", "-R", "0:0", at.folder]);
  const receipt = JSON.parse(run.stdout) as Receipt;
  if (receipt.code !== "CLEANUP_FAILED") expectNothingLeft(at);
  return receipt;
}

/** What recovery finds, for the one for whom was delivered. Only where that could be done. */
export async function recoverUnprivileged(at: Scene): Promise<readonly Finding[]> {
  Bun.spawnSync(["chown", "-R", "65534:65534", at.folder]);
  const run = await engine(["recover", "--repo", at.repo], {
    env: { ...gitEnvironment(), TMPDIR: at.temporary, HOME: at.folder },
    wrapper: ["setpriv", ...nobody],
  });
  Bun.spawnSync(["chown", "-R", "0:0", at.folder]);
  return run.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Finding);
}

const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
