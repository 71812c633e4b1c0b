/** `deliver`: one command, one isolated worktree, one receipt, at most one candidate. */
import type { DeliverRequest, Delivery } from "./job.ts";
import { askRepository } from "./questions.ts";

export type { DeliverRequest, Delivery } from "./job.ts";

/**
 * Runs the command in a worktree of `repo` at its HEAD (or base) and publishes what it changed as a candidate ref.
 *
 * Never throws for what the caller, the repository or the command did: the receipt's code says it. Writes to the
 * repository's common directory (objects, the ref, the kept receipt, a registration that is gone again at the
 * end), to a private temporary folder, and, unless the request has a sink for it, the command's output to stderr;
 * never to the caller's working tree, index, HEAD or configuration.
 */
export async function deliver(request: DeliverRequest): Promise<Delivery> {
  const started = performance.now();
  // Git answers while the rest of the engine is loaded and the contract is read: 3 ms.
  const asked = askRepository(request);
  const { carryOut } = await import("./carry-out.ts");
  return carryOut(request, asked, started);
}
