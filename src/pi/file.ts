/** Reading a file that may have been replaced by something else. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** The bytes of the regular file at `path`, at most `limit` of them; throws otherwise, and never waits for a FIFO. */
export function readRegular(path: string, limit: number): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new Error(`'${path}' is not a regular file`);
    if (stat.size > limit) throw new Error(`'${path}' is larger than ${limit} bytes`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
