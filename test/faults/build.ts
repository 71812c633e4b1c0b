/** The executable with the seam in it: the same program, compiled in the same way, that tests can make fail. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { compile } from "../../build.ts";

const seam = join(import.meta.dir, "seam");

/**
 * What `src` imports of the system leads to the seam; what the seam imports leads to the system. By its text, since
 * the bundler asks no plug-in about modules that are built in. What Pi loads is embedded as text and stays as it is.
 */
const throughTheSeam: BunPlugin = {
  name: "through-the-seam",
  setup(build) {
    build.onLoad({ filter: /\/src\/(?!pi\/).*\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8")
        .replaceAll('from "node:fs"', `from ${JSON.stringify(join(seam, "fs.ts"))}`)
        .replaceAll('require("bun:ffi")', `require(${JSON.stringify(join(seam, "ffi.ts"))})`);
      if (/["'](node:)?fs["'/]/.test(contents)) throw new Error(`${path} imports files past the seam`);
      return { contents, loader: "ts" };
    });
  },
};

/** Compiles it as `outfile`. */
export function compileFaulty(outfile: string): Promise<void> {
  return compile("test/faults/seam/main.ts", outfile, { plugins: [throughTheSeam] });
}
