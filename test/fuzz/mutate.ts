/** Bytes near to given ones: what a careless, unlucky or hostile writer could have written. */
import { below, oneOf, type Random } from "../support/random.ts";

/** One of `seeds` after one to eight changes; `words` are what the format gives a meaning to. */
export function mutate(random: Random, seeds: readonly Uint8Array[], words: readonly string[]): Buffer {
  let bytes = Buffer.from(oneOf(random, seeds));
  for (let left = 1 + below(random, 3) * below(random, 4); left > 0; left--) {
    const at = below(random, bytes.length + 1);
    const end = Math.min(bytes.length, at + 1 + below(random, 1 + below(random, 40)));
    const change = oneOf(random, changes);
    const put = change({ random, cut: bytes.subarray(at, end), seeds, words });
    bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(end)]);
    if (bytes.length > longest) bytes = bytes.subarray(0, longest);
  }
  return bytes;
}

const longest = 200_000;

interface Place {
  readonly random: Random;
  readonly cut: Buffer;
  readonly seeds: readonly Uint8Array[];
  readonly words: readonly string[];
}

/** What is put in the place of the bytes that are cut. */
const changes: readonly ((place: Place) => Buffer)[] = [
  () => Buffer.alloc(0),
  ({ cut }) => Buffer.concat([cut, cut]),
  ({ cut, random }) => Buffer.concat(Array.from({ length: 2 + below(random, 400) }, () => cut)),
  ({ cut, random }) => Buffer.concat([Buffer.from(oneOf(random, odd)), cut]),
  ({ random }) => Buffer.from(oneOf(random, odd)),
  ({ cut, random, words }) => Buffer.concat([Buffer.from(oneOf(random, words)), cut]),
  ({ random, words }) => Buffer.from(oneOf(random, words)),
  ({ cut, random }) => Buffer.from(cut.map((byte) => byte ^ (1 << below(random, 8)))),
  ({ cut, random }) => Buffer.from(cut.map(() => below(random, 256))),
  ({ cut }) => Buffer.from(cut).reverse(),
  ({ random, seeds }) => {
    const other = oneOf(random, seeds);
    const at = below(random, other.length);
    return Buffer.from(other.subarray(at, at + below(random, 80)));
  },
];

const odd: readonly (string | readonly number[])[] = [
  ...[
    "\0",
    "\n",
    "\r",
    "\r\n",
    "\t",
    " ",
    "\u0085",
    "\u00a0",
    "\u2028",
    "\u200d",
    "\ufeff",
    "\ufffd",
    "é",
    "😀",
  ],
  ...["\u001b", "\u007f", "\\", '"', "'", "`", "%", "$", "/", "//", ".", "..", "-", "*", "[", "]", "{", "}"],
  ...["0", "-0", "1.0", "1e999", "9007199254740993", "true", "null", "NaN", "__proto__", "constructor"],
  ...[[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0xaf], [0xff, 0xfe], [0x80]],
];
