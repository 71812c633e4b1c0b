/** macOS: what can be told from the executables without starting them. */
import { join } from "node:path";
import { compile } from "../../build.ts";
import { runTests } from "../tests.ts";
import { type Proof, withProcesses } from "./proof.ts";

const targets = ["darwin-x64", "darwin-arm64"] as const;

export const darwin: Proof = {
  system: "darwin",
  means: "structure",
  packages: [],
  obstacle: () => undefined,
  prove: async (folder) => {
    for (const target of targets) {
      await compile("src/main.ts", join(folder, target), { target });
      await compile("src/main.ts", join(folder, `${target}-again`), { target });
    }
    return [
      await runTests(folder, {
        what: "executables and signatures",
        runtime: [process.execPath],
        tests: ["test/proof/darwin.test.ts"],
        options: withProcesses,
        environment: { SATYRN_TEST_EXECUTABLES: folder },
      }),
    ];
  },
  unproven: [
    "everything that runs: no macOS is at hand. What its code asks of the system is told in docs/platforms.md",
  ],
};
