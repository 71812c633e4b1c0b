/** The floor of a replacement: reads, hashes, replaces, hashes, writes, syncs, renames. Takes path, old and new text. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";

const [path = "", oldText = "", newText = ""] = process.argv.slice(2);
const bytes = readFileSync(path);
const before = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
const at = bytes.indexOf(oldText);
const replaced = Buffer.concat([
  bytes.subarray(0, at),
  Buffer.from(newText),
  bytes.subarray(at + Buffer.byteLength(oldText)),
]);
const after = new Bun.CryptoHasher("sha256").update(replaced).digest("hex");
const descriptor = openSync(`${path}.new`, "wx");
for (let written = 0; written < replaced.length; ) written += writeSync(descriptor, replaced, written);
fsyncSync(descriptor);
closeSync(descriptor);
renameSync(`${path}.new`, path);
writeSync(1, `${before} ${after}\n`);
process.exit(0);
