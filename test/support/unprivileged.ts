/** Deliveries by somebody whom permissions bind, as they do not bind root. */
import { chmodSync } from "node:fs";
import type { Receipt } from "../../src/delivery/receipt-schema.ts";
import { expectNothingLeft, type Scene } from "./delivery.ts";
import { engine } from "./engine.ts";
import { gitEnvironment } from "./repository.ts";

export const unprivilegedSkipped = "skipped: only root with setpriv can become someone whom permissions bind";

/**
 * Delivers a change of `a.txt`, followed by `script`, by the executable for somebody to whom the scene belongs
 * meanwhile. Undefined where that cannot be done.
 */
export async function deliverUnprivileged(at: Scene, script: string): Promise<Receipt | undefined> {
  if (process.getuid?.() !== 0 || Bun.which("setpriv") === null) return undefined;
  chmodSync(at.folder, 0o755);
  Bun.spawnSync(["chown", "-R", "65534:65534", at.folder]);
  const command = ["sh", "-c", `echo changed > a.txt; ${script}`];
  const run = await engine(["deliver", "--repo", at.repo, at.contract, "--", ...command], {
    env: { ...gitEnvironment(), TMPDIR: at.temporary, HOME: at.folder },
    wrapper: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
  });
  Bun.spawnSync(["chown", "-R", "0:0", at.folder]);
  expectNothingLeft(at);
  return JSON.parse(run.stdout) as Receipt;
}
