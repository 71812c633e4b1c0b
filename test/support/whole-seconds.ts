/** A file system that keeps times in whole seconds. */
import { mkdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "./repository.ts";

/** Mounts one in `folder`, with inodes of 128 bytes, which have no room for less. Undefined where that cannot be done. */
export function mountWithWholeSeconds(
  folder: string,
): { readonly path: string; unmount(): void } | undefined {
  const [image, path] = [join(folder, "image"), join(folder, "seconds")];
  writeFiles(folder, { image: "" });
  truncateSync(image, 32 << 20);
  mkdirSync(path);
  const made = [
    ["mkfs.ext3", "-q", "-F", "-I", "128", image],
    ["mount", "-o", "loop", image, path],
  ].every((argv) => Bun.which(argv[0] ?? "") !== null && Bun.spawnSync(argv).exitCode === 0);
  return made ? { path, unmount: () => void Bun.spawnSync(["umount", path]) } : undefined;
}
