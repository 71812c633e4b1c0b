/** Linux on arm64: the executable, interpreted by QEMU, with Debian's libraries for that processor. */
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../build.ts";
import { blackBox, type Proof, runTests, withProcesses } from "./proof.ts";

const sysroot = "/usr/aarch64-linux-gnu";
const system = "linux-arm64";

export const linuxArm64: Proof = {
  system,
  means: "QEMU, user mode",
  packages: ["qemu-user-static", "libc6-arm64-cross", "libstdc++6-arm64-cross", "libgcc-s1-arm64-cross"],
  obstacle: () => {
    if (process.platform !== "linux") return "only Linux interprets programs of another processor";
    if (Bun.which("qemu-aarch64-static") === null) return "qemu-aarch64-static is not on PATH";
    return existsSync(sysroot) ? undefined : `${sysroot} is not there`;
  },
  prove: async (folder, short) => {
    const executable = join(folder, "satyrn-engine-linux-arm64");
    await compile("src/main.ts", executable, { target: system });
    // A program of its own, so that whatever starts the executable starts it this way.
    const started = join(folder, "satyrn-engine");
    const qemu = Bun.which("qemu-aarch64-static");
    writeFileSync(started, `#!/bin/sh\nexec '${qemu}' -L '${sysroot}' '${executable}' "$@"\n`);
    chmodSync(started, 0o755);
    return [
      await runTests(folder, {
        what: short ? "replacement, usage" : "the black-box tier",
        runtime: [process.execPath],
        tests: short ? ["test/binary/replace.test.ts", "test/binary/usage.test.ts"] : blackBox,
        options: withProcesses,
        environment: { SATYRN_TEST_EXECUTABLE: started, SATYRN_TEST_MEANS: "qemu" },
      }),
    ];
  },
  unproven: [
    "subreapers and memory: QEMU has no PR_SET_CHILD_SUBREAPER and needs memory of its own; the code is that of x64",
  ],
};
