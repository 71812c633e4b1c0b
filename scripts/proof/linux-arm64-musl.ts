/** Linux on arm64 with musl: the executable under QEMU, on musl's own loader. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { compile } from "../../build.ts";
import { runTests } from "../tests.ts";
import { layOutDebian, run } from "./debian-arm64.ts";
import { interpreted } from "./interpreted.ts";
import { glibcForLibstdcxx, type Proof, withProcesses } from "./proof.ts";

const system = "linux-arm64-musl";
const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
const place = join(cache, "satyrn-engine-proof", system);
const compiler = "aarch64-linux-gnu-gcc";

export const linuxArm64Musl: Proof = {
  system,
  means: "QEMU, musl",
  packages: ["qemu-user-static", "gcc", "gcc-aarch64-linux-gnu", "patchelf", "debootstrap"],
  prepare: async () => {
    if (process.platform !== "linux" || existsSync(place)) return;
    layOutDebian(place, "bookworm", ["musl", "libstdc++6", "libgcc-s1"]);
  },
  obstacle: () => {
    if (process.platform !== "linux") return "only Linux interprets programs of another processor";
    const programs = ["qemu-aarch64-static", "gcc", compiler, "patchelf"];
    const absent = programs.find((program) => Bun.which(program) === null);
    if (absent !== undefined) return `${absent} is not on PATH`;
    return existsSync(place) ? undefined : `${place} is not there: --prepare lays it out, on Debian`;
  },
  prove: async (folder, short) => {
    chmodSync(folder, 0o755);
    const executable = join(folder, "satyrn-engine-linux-arm64-musl");
    await compile("src/main.ts", executable, { target: system });
    const libraries = join(folder, "root");
    run(["cp", "-a", place, libraries]);
    completeLibraries(libraries, folder);
    const smoke = ["usage", "replace", "protocol", "test-operation", "hostile-folder"].map(
      (name) => `test/binary/${name}.test.ts`,
    );
    return [
      await runTests(folder, {
        what: short ? "usage" : "protocol, replacement, usage, attacks",
        runtime: [process.execPath],
        tests: short ? smoke.slice(0, 1) : smoke,
        options: withProcesses,
        environment: {
          SATYRN_TEST_EXECUTABLE: interpreted(executable, folder, libraries),
          SATYRN_TEST_MEANS: "qemu",
        },
      }),
    ];
  },
  unproven: ["deliveries on linux-arm64-musl: its code is that of the other three"],
};

/** Puts what libstdc++ expects of glibc, and musl lacks, where libgcc is looked for; that goes by another name. */
function completeLibraries(libraries: string, folder: string): void {
  const [from, to] = [join(libraries, "usr/lib/aarch64-linux-gnu"), join(libraries, "completed")];
  mkdirSync(to);
  const libgcc = [join(libraries, "lib/aarch64-linux-gnu"), from]
    .map((each) => join(each, "libgcc_s.so.1"))
    .find(existsSync);
  copyFileSync(join(from, "libstdc++.so.6"), join(to, "libstdc++.so.6"));
  copyFileSync(libgcc ?? "", join(to, "libgcc_real.so.1"));
  run(["patchelf", "--set-soname", "libgcc_real.so.1", join(to, "libgcc_real.so.1")]);
  for (const name of ["libc.musl-aarch64.so.1", "libc.so.6", "libm.so.6"])
    symlinkSync("/lib/ld-musl-aarch64.so.1", join(to, name));
  const source = join(folder, "glibc.c");
  writeFileSync(source, glibcForLibstdcxx);
  const link = ["-Wl,-soname,libgcc_s.so.1", "-Wl,--no-as-needed", `-L${to}`, "-l:libgcc_real.so.1"];
  const flags = ["-shared", "-nostdlib", "-fPIC", "-Wl,--allow-shlib-undefined", ...link];
  run([compiler, ...flags, "-o", join(to, "libgcc_s.so.1"), source]);
  const places = ["/lib/aarch64-linux-musl", "/usr/lib/aarch64-linux-musl", "/completed"];
  writeFileSync(join(libraries, "etc/ld-musl-aarch64.path"), `${places.join("\n")}\n`);
}
