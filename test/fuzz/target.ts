/** What a target of the fuzzer is. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "../support/random.ts";

export interface Target {
  /** Makes the next case from numbers of chance alone. */
  make(random: Random): Case;
  close?(): void;
}

export interface Case {
  /** Enough to see the case, and to make a fixture of it. */
  readonly input: unknown;
  /** Throws, or rejects, if anything that must hold does not. */
  check(): void | Promise<void>;
}

/** Fails the case unless `holds`. */
export function claim(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

/** Fails the case unless `text` is one line that a terminal shows as it is, and no longer than 64 KiB. */
export function claimOneLine(text: string): void {
  claim(!/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text), `not one line: ${JSON.stringify(text)}`);
  claim(text.length < 65_536, `a message of ${text.length} characters`);
}

/** An empty folder for a target's files. */
export function workFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "satyrn-fuzz-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
