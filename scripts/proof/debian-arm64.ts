/** Packages of Debian for arm64, unpacked and not configured. */
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/** Lays `suite` out at `place`, the least of it with `packages` and what they need. Takes debootstrap, and root. */
export function layOutDebian(place: string, suite: string, packages: readonly string[]): void {
  const unfinished = `${place}-unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(dirname(place), { recursive: true });
  const options = ["--foreign", "--arch=arm64", "--variant=minbase", `--include=${packages.join(",")}`];
  run(["debootstrap", ...options, suite, unfinished]);
  const archives = join(unfinished, "var/cache/apt/archives");
  for (const name of readdirSync(archives).filter((each) => each.endsWith(".deb")))
    run(["dpkg-deb", "-x", join(archives, name), unfinished]);
  // Nothing asks for a module or reads a manual, and where this becomes a machine all of it is in memory.
  for (const path of ["var/cache/apt", "debootstrap", "usr/lib/modules", "usr/share/doc", "usr/share/locale"])
    rmSync(join(unfinished, path), { recursive: true, force: true });
  renameSync(unfinished, place);
}

/** Runs a program to its end; throws if it fails. */
export function run(argv: readonly string[]): void {
  const child = Bun.spawnSync([...argv], { stdout: "ignore", stderr: "inherit" });
  if (child.exitCode !== 0) throw new Error(`${argv.join(" ")} ended with ${child.exitCode}`);
}
