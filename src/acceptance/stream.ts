/** One stream of a command's output while it passes: its digest, its size, and what occurs in it. */
import type { Sha256 } from "../files/digest.ts";

export interface StreamWatch {
  /** Takes the next bytes. Memory stays flat: of what has passed only its last few bytes are kept. */
  take(chunk: Uint8Array): void;
  finish(): StreamSeen;
}

export interface StreamSeen {
  readonly sha256: Sha256;
  readonly bytes: number;
  /** Positions, in the list of texts that was given, of those that occurred. */
  readonly found: ReadonlySet<number>;
  /** The first and the last bytes, one fewer than the longest text has: what a match over a seam needs. */
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/** Watches a stream for `texts`, none of them empty. */
export function watchStream(texts: readonly Uint8Array[]): StreamWatch {
  const hasher = new Bun.CryptoHasher("sha256");
  const reach = Math.max(0, ...texts.map((text) => text.length - 1));
  const found = new Set<number>();
  let bytes = 0;
  let head: Uint8Array = new Uint8Array(0);
  let tail: Uint8Array = new Uint8Array(0);
  return {
    take(chunk) {
      hasher.update(chunk);
      bytes += chunk.length;
      if (texts.length === 0) return;
      if (head.length < reach) head = join(head, chunk.subarray(0, reach - head.length));
      search(join(tail, chunk.subarray(0, reach)), texts, found);
      search(chunk, texts, found);
      tail = chunk.length >= reach ? chunk.slice(chunk.length - reach) : lastOf(join(tail, chunk), reach);
    },
    finish: () => ({ sha256: hasher.digest("hex") as Sha256, bytes, found, head, tail }),
  };
}

/** Positions in `texts` of those that occur in one stream followed by another. */
export function occurring(
  texts: readonly Uint8Array[],
  first: StreamSeen,
  second: StreamSeen,
): ReadonlySet<number> {
  const found = new Set([...first.found, ...second.found]);
  search(join(first.tail, second.head), texts, found);
  return found;
}

function search(bytes: Uint8Array, texts: readonly Uint8Array[], found: Set<number>): void {
  const haystack = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const [index, text] of texts.entries()) {
    if (!found.has(index) && haystack.includes(text)) found.add(index);
  }
}

function join(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(left.length + right.length);
  joined.set(left);
  joined.set(right, left.length);
  return joined;
}

function lastOf(bytes: Uint8Array, count: number): Uint8Array {
  return bytes.slice(Math.max(0, bytes.length - count));
}
