/** Engines that fail: programs that stand in for a broken executable. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What each does with any request. All note their process id in `$0.pid`. */
const scripts = {
  crashes: "echo 'satyrn-engine: internal error: planted' >&2; exit 1",
  "prints garbage": "echo 'hello, world'; exit 0",
  "kills itself": "kill -SEGV $$",
  "hangs until it is told to end": "sleep 600 & child=$!; trap 'kill $child; exit 143' TERM; wait",
  "hangs and ignores TERM": "trap '' TERM; while :; do sleep 1; done",
};

export type Fault = keyof typeof scripts;

/** Writes a failing engine into `folder` and gives its path. */
export function faultyEngine(folder: string, fault: Fault): string {
  const path = join(folder, `engine-that-${fault.replaceAll(" ", "-")}`);
  writeFileSync(path, `#!/bin/sh\ncat >/dev/null\n${scripts[fault]}\n`);
  chmodSync(path, 0o755);
  return path;
}
