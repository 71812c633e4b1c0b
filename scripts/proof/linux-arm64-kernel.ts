/** Linux on arm64, on a kernel of its own: the tests and the executable in a machine that QEMU emulates. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { compile } from "../../build.ts";
import manifest from "../../package.json" with { type: "json" };
import { stockExecutable } from "../build/template.ts";
import { runTests } from "../tests.ts";
import { layOutDebian, run } from "./debian-arm64.ts";
import { blackBox, type Proof, root, withProcesses } from "./proof.ts";

const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
const place = join(cache, "satyrn-engine-proof", "linux-arm64-kernel");
const emulator = "qemu-system-aarch64";

export const linuxArm64Kernel: Proof = {
  system: "linux-arm64-kernel",
  means: "QEMU, kernel",
  packages: ["qemu-system-arm", "debootstrap", "cpio"],
  prepare: async () => {
    if (process.platform !== "linux" || existsSync(place)) return;
    layOutDebian(place, "trixie", ["git", "procps", "busybox-static", "libstdc++6", "linux-image-arm64"]);
  },
  obstacle: () => {
    if (process.platform !== "linux") return "only Linux unpacks the packages of another processor";
    const absent = [emulator, "cpio"].find((program) => Bun.which(program) === null);
    if (absent !== undefined) return `${absent} is not on PATH`;
    return existsSync(place) ? undefined : `${place} is not there: --prepare lays it out, on Debian, as root`;
  },
  prove: async (folder, short) => [
    await runTests(folder, {
      what: short ? "protocol test" : "the black-box tier",
      runtime: ["sh", "-c", boot(await packImage(folder)), "boot"],
      tests: short ? ["test/binary/test-operation.test.ts"] : blackBox,
      options: withProcesses,
      // Said by the kernel, of its end.
      noise: /^\[ *\d+\.\d+\] /,
    }),
  ],
  unproven: [],
};

/** Packs the system with the runtime, the project and the executable; gives the archive. */
async function packImage(folder: string): Promise<string> {
  const image = join(folder, "image");
  run(["cp", "-a", place, image]);
  await compile("src/main.ts", join(image, "usr/bin/satyrn-engine"), { target: "linux-arm64" });
  const bun = await stockExecutable("linux-arm64", folder, manifest.packageManager.replace("bun@", ""));
  run(["cp", bun, join(image, "usr/bin/bun")]);
  // Nothing in there was configured, so nobody is known.
  writeFileSync(join(image, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  writeFileSync(join(image, "etc/group"), "root:x:0:\n");
  mkdirSync(join(image, "project"));
  // The tools for this machine's processor are of no use there.
  const left = [
    ".git",
    "dist",
    "node_modules/@biomejs",
    "node_modules/typescript",
    "node_modules/@typescript",
  ]
    .map((path) => `--exclude=./${path}`)
    .join(" ");
  const copy = `tar -C '${root}' -c ${left} . | tar -C '${join(image, "project")}' -x`;
  run(["sh", "-c", copy]);
  writeFileSync(join(image, "init"), init, { mode: 0o755 });
  const archive = join(folder, "image.cpio");
  run(["sh", "-c", `cd '${image}' && find . | cpio -o -H newc --quiet > '${archive}'`]);
  rmSync(image, { recursive: true });
  return archive;
}

/** The first process there. What it is to start stands in a file; the report goes out through a port. */
const init = `#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 SATYRN_TEST_EXECUTABLE=/usr/bin/satyrn-engine
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts pts /dev/pts
ln -s /proc/self/fd /dev/fd
for each in 0:stdin 1:stdout 2:stderr; do ln -s /proc/self/fd/\${each%:*} /dev/\${each#*:}; done
busybox ifconfig lo 127.0.0.1 up
cd /project
bun $(cat /arguments) --reporter-outfile=/report.xml </dev/null >/dev/ttyAMA0 2>&1
cat /report.xml > /dev/vport0p1
echo o > /proc/sysrq-trigger
sleep 60
`;

/** A script that starts the machine, which starts Bun with the script's arguments and ends. */
function boot(archive: string): string {
  const kernel = readdirSync(join(place, "boot")).find((name) => name.startsWith("vmlinuz-")) ?? "";
  const machine = "-M virt -cpu max,pauth-impdef=on -smp 2 -m 6G -nographic -nodefaults -no-reboot";
  const streams =
    '-serial stdio -device virtio-serial-pci -chardev "file,id=report,path=$report" -device virtserialport,chardev=report';
  return `cd '${dirname(archive)}'
for word; do case $word in --reporter-outfile=*) report=\${word#*=};; *) echo "$word";; esac; done > arguments
echo arguments | cpio -o -H newc --quiet | cat image.cpio - > whole.cpio
exec timeout 3600 nice -n 10 ${emulator} ${machine} ${streams} \\
  -kernel '${join(place, "boot", kernel)}' -initrd whole.cpio -append 'console=ttyAMA0 quiet mitigations=off'`;
}
