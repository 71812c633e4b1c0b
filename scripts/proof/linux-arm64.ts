/** Linux on arm64: the executable, interpreted by QEMU, with Debian's libraries for that processor. */
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../build.ts";
import { runTests } from "../tests.ts";
import { interpreted } from "./interpreted.ts";
import { blackBox, type Proof, withProcesses } from "./proof.ts";

const sysroot = "/usr/aarch64-linux-gnu";
const system = "linux-arm64";

export const linuxArm64: Proof = {
  system,
  means: "QEMU, user mode",
  packages: [
    "qemu-user-static",
    "libc6-arm64-cross",
    "libstdc++6-arm64-cross",
    "libgcc-s1-arm64-cross",
    "gcc",
  ],
  obstacle: () => {
    if (process.platform !== "linux") return "only Linux interprets programs of another processor";
    const absent = ["qemu-aarch64-static", "gcc"].find((program) => Bun.which(program) === null);
    if (absent !== undefined) return `${absent} is not on PATH`;
    return existsSync(sysroot) ? undefined : `${sysroot} is not there`;
  },
  prove: async (folder, short) => {
    const executable = join(folder, "satyrn-engine-linux-arm64");
    await compile("src/main.ts", executable, { target: system });
    // Tests become other users, who must reach it.
    chmodSync(folder, 0o755);
    const started = interpreted(executable, folder, sysroot);
    return [
      await runTests(folder, {
        what: short ? "protocol test" : "the black-box tier",
        runtime: [process.execPath],
        tests: short ? ["test/binary/test-operation.test.ts"] : blackBox,
        options: withProcesses,
        environment: { SATYRN_TEST_EXECUTABLE: started, SATYRN_TEST_MEANS: "qemu" },
      }),
    ];
  },
  unproven: [
    "subreapers and memory: QEMU has no PR_SET_CHILD_SUBREAPER and needs memory of its own; linux-arm64-kernel has both",
  ],
};
