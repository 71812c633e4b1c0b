import { readSync } from "node:fs";
import { readUpTo } from "../files/read.ts";
import { patiently } from "./streams.ts";

/** All of stdin, but no more than `maxBytes`. A stdin that cannot be read, a directory say, holds nothing. */
export function readInput(maxBytes: number): Uint8Array {
  const read = (buffer: Buffer, offset: number) =>
    patiently(() => readSync(0, buffer, offset, buffer.length - offset, null)) ?? 0;
  return readUpTo(read, maxBytes);
}
