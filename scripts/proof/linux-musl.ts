/** Linux with musl: the executable on musl's own loader, in a mount namespace where it finds its libraries. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../build.ts";
import { runTests } from "../tests.ts";
import { blackBox, glibcForLibstdcxx, type Proof, withProcesses } from "./proof.ts";

const loader = "/lib/ld-musl-x86_64.so.1";
const searchPath = "/etc/ld-musl-x86_64.path";
const system = "linux-x64-musl";
const libraries = ["/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/lib/x86_64-linux-gnu/libgcc_s.so.1"];

export const linuxMusl: Proof = {
  system,
  means: "musl's loader",
  packages: ["musl", "gcc", "libstdc++6"],
  obstacle: () => {
    if (process.platform !== "linux" || process.arch !== "x64") return "this machine is no Linux on x64";
    const absent = [loader, searchPath, ...libraries].find((path) => !existsSync(path));
    if (absent !== undefined) return `${absent} is not there`;
    if (process.getuid?.() !== 0) return "only root makes a mount namespace in which musl finds libstdc++";
    return Bun.which("gcc") === null ? "gcc is not on PATH" : undefined;
  },
  prove: async (folder, short) => {
    const executable = join(folder, "satyrn-engine-linux-x64-musl");
    await compile("src/main.ts", executable, { target: system });
    const places = `${readFileSync(searchPath, "utf8").trimEnd()}\n${makeLibraries(folder)}\n`;
    writeFileSync(join(folder, "path"), places);
    // Programs of the host's are not musl's, so that no variable may name the libraries: only this file does.
    const inside = `mount --bind '${join(folder, "path")}' ${searchPath} && exec "$@"`;
    const namespace = ["unshare", "--mount", "--propagation", "private", "sh", "-c", inside, "sh"];
    return [
      await runTests(folder, {
        what: short ? "protocol, usage" : "the black-box tier",
        runtime: [...namespace, process.execPath],
        tests: short ? ["test/binary/protocol.test.ts", "test/binary/usage.test.ts"] : blackBox,
        options: withProcesses,
        environment: { SATYRN_TEST_EXECUTABLE: executable },
      }),
    ];
  },
  unproven: [
    "a libstdc++ that was made for musl (Alpine's): the host's is used, with what it misses of glibc put in its place",
  ],
};

/** The libraries the executable needs: the host's libstdc++, and what that expects of glibc and musl lacks. */
function makeLibraries(folder: string): string {
  const made = join(folder, "lib");
  mkdirSync(made);
  for (const path of libraries) copyFileSync(path, join(made, path.slice(path.lastIndexOf("/") + 1)));
  for (const name of ["libc.musl-x86_64.so.1", "libc.so.6", "libm.so.6"])
    symlinkSync(loader, join(made, name));
  const source = join(folder, "glibc.c");
  writeFileSync(source, glibcForLibstdcxx);
  const name = "ld-linux-x86-64.so.2";
  const flags = ["-shared", "-nostdlib", "-fPIC", `-Wl,-soname,${name}`];
  const compiled = Bun.spawnSync(["gcc", ...flags, "-o", join(made, name), source], { stderr: "inherit" });
  if (compiled.exitCode !== 0) throw new Error("gcc made no library of what libstdc++ expects of glibc");
  return made;
}
