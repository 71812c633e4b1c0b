/** The candidate's commit: an object of a few known lines, for which no process needs to be started. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";
import type { Source } from "./preflight.ts";
import type { Stage } from "./stage.ts";

/**
 * Makes the candidate's commit of `tree` in the stage's object directory and gives its id, as `git commit-tree`
 * would in UTC. No editor, hook or signer. Refuses GIT_FAILED where the object cannot be written.
 */
export function commitCandidate(
  source: Pick<Source, "base">,
  stage: Pick<Stage, "objects">,
  tree: string,
  id: string,
  now = new Date(),
): Result<string, "GIT_FAILED"> {
  // In UTC: to learn the offset of the caller's zone takes the runtime 3 ms.
  const person = `satyrn-engine <satyrn-engine@localhost> ${Math.floor(now.getTime() / 1000)} +0000`;
  const lines = [`tree ${tree}`, `parent ${source.base}`, `author ${person}`, `committer ${person}`];
  const text = `${lines.join("\n")}\n\ncandidate: ${id}\n\nbase: ${source.base}\n`;
  const content = Buffer.from(`commit ${Buffer.byteLength(text)}\0${text}`);
  const algorithm = tree.length === 40 ? "sha1" : "sha256";
  const commit = new Bun.CryptoHasher(algorithm).update(content).digest("hex");
  try {
    const path = join(stage.objects, commit.slice(0, 2), commit.slice(2));
    mkdirSync(dirname(path), { recursive: true });
    // The same commit a second time, made within the second.
    if (!existsSync(path)) writeFileSync(path, zlibStored(content), { mode: 0o444 });
    return success(commit);
  } catch (error) {
    return refusal("GIT_FAILED", `cannot write the commit: ${systemReason(error)}`);
  }
}

/** A zlib stream (RFC 1950) of one block that is stored, not compressed (RFC 1951, 3.2.4); at most 65,535 bytes. */
function zlibStored(content: Buffer): Buffer {
  const stream = Buffer.alloc(content.length + 11);
  stream.set([0x78, 0x01, 0x01]);
  stream.writeUInt16LE(content.length, 3);
  stream.writeUInt16LE(content.length ^ 0xffff, 5);
  stream.set(content, 7);
  stream.writeUInt32BE(Bun.hash.adler32(content), content.length + 7);
  return stream;
}
