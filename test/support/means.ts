/** What the system, or the way the executable is started on it, does not have. */

import { test } from "bun:test";
import { existsSync } from "node:fs";

const onWindows = process.platform === "win32";
/** How the executable is started: by the system itself, or by what stands in for another one. */
const means = process.env["SATYRN_TEST_MEANS"] ?? "the system";
const noProc = existsSync("/proc/self/status") ? "" : "there is no /proc to ask";

const missing = {
  "a POSIX shell": onWindows ? "Windows has no POSIX shell, and no descriptors it hands down" : "",
  "names that are bytes": onWindows ? "on Windows a name is no row of bytes" : "",
  "file kinds of POSIX": onWindows ? "Windows has no FIFOs, and no sockets or modes in its folders" : "",
  links: means === "wine" ? "Wine makes no symbolic links" : "",
  "a subreaper":
    means === "qemu"
      ? "QEMU has no subreapers: a daemon escapes"
      : process.platform === "linux"
        ? ""
        : "only Linux has subreapers: elsewhere a daemon escapes",
  Perl: Bun.which("perl") === null ? "there is no Perl, which sets a flag of a stream" : "",
  "/proc": noProc,
  "/dev/full": existsSync("/dev/full") ? "" : "there is no device that is always full",
  "a runtime that reads its folder":
    means === "wine" ? "under Wine Bun reads no file that is named without its folder" : "",
  "a file that is the engine": means === "qemu" ? "what is started is a program that starts QEMU" : "",
  "time of its own": means === "qemu" ? "QEMU takes ten times as long" : "",
  "memory of its own": means === "qemu" ? "what QEMU takes is counted as the program's" : noProc,
} as const;

/** `test`, if what it needs is there; else a test that is skipped, after a line that says why. */
export function needing(...needs: readonly (keyof typeof missing)[]): typeof test {
  const reason = needs.map((need) => missing[need]).find((each) => each !== "");
  if (reason !== undefined) console.log(`skipped: ${reason}`);
  return test.skipIf(reason !== undefined) as typeof test;
}
