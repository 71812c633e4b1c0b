/**
 * Makes the host's executable: `bun run build`, into `dist/`.
 *
 * The executable is started in folders nobody has vetted, so the build closes what a stock Bun executable
 * leaves open: it reads no configuration from the working directory, evaluates no code from strings, and the
 * environment variables that would turn it into Bun itself are made inert.
 */
import { chmodSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import manifest from "./package.json" with { type: "json" };

const root = import.meta.dir;
const pinned = manifest.packageManager.replace("bun@", "");

/** Path of the executable that `build` makes for this machine. */
export const executable = join(
  root,
  "dist",
  `satyrn-engine-${host()}${process.platform === "win32" ? ".exe" : ""}`,
);

/** Compiles `entry` for this machine with every rule of a safe start, as `outfile`. */
export async function compile(entry: string, outfile: string): Promise<void> {
  const work = `${outfile}.build`;
  mkdirSync(work, { recursive: true });
  try {
    const template = join(work, "template");
    await Bun.write(template, inertTemplate(await Bun.file(process.execPath).bytes()));
    chmodSync(template, 0o755);
    const built = join(work, "satyrn-engine");
    await Bun.build({
      entrypoints: [join(root, entry)],
      target: "bun",
      format: "esm",
      minify: true,
      bytecode: true,
      sourcemap: "none",
      env: "disable",
      allowUnresolved: [],
      plugins: [schemasAreCompiledAhead],
      define: {
        "process.env.NODE_ENV": '"production"',
        VERSION: JSON.stringify(manifest.version),
        COMMIT: JSON.stringify(commit()),
      },
      compile: {
        outfile: built,
        executablePath: template,
        execArgv: ["--disallow-code-generation-from-strings=strict", "--no-addons"],
        // A process lives for milliseconds: a late JIT takes a check from 1.9 to 1.6 bare starts, one of a
        // 4 KB contract from 3.1 to 2.4, and costs work of a second or more nothing that can be measured.
        jitPolicy: 32,
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
      },
    });
    renameSync(process.platform === "win32" ? `${built}.exe` : built, outfile);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** ArkType costs twenty times a bare start: its schemas are compiled ahead of time, and it must not slip in. */
const schemasAreCompiledAhead: BunPlugin = {
  name: "schemas-are-compiled-ahead",
  setup(build) {
    build.onResolve({ filter: /^(arktype|@ark\/)/ }, ({ importer }) => {
      throw new Error(`${importer} would bring ArkType into the executable`);
    });
  },
};

/**
 * Bun's own executable with the names of the variables that change what a compiled program is made unmatchable.
 * Bun offers no switch for this, so the number of occurrences is asserted: another Bun must be looked at first.
 */
function inertTemplate(template: Uint8Array): Uint8Array {
  const bytes = Buffer.from(template);
  for (const [name, expected] of Object.entries(hostileVariables)) {
    let found = 0;
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
      bytes.write("\x01\x01=", at, "latin1");
      found++;
    }
    if (found !== expected)
      throw new Error(`${name} occurs ${found} times in Bun's executable, not ${expected}`);
  }
  return bytes;
}

/** Names and common beginnings of names, with how often each occurs. */
const hostileVariables = {
  BUN_BE_BUN: 1,
  BUN_OPTIONS: 2,
  BUN_INSPECT: 11,
  BUN_BYTECODE_: 4,
};

function host(): string {
  const system = { linux: "linux", darwin: "darwin", win32: "windows" }[process.platform as string];
  if (system === undefined) throw new Error(`no executable is made for ${process.platform}`);
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  const musl = system === "linux" && report?.header?.glibcVersionRuntime === undefined;
  return `${system}-${process.arch}${musl ? "-musl" : ""}`;
}

function commit(): string {
  const git = Bun.spawnSync(["git", "-C", root, "rev-parse", "--short=12", "HEAD"], { stderr: "ignore" });
  return git.exitCode === 0 ? git.stdout.toString().trim() : "unknown";
}

if (import.meta.main) {
  if (Bun.version !== pinned) {
    console.error(
      `build: this is Bun ${Bun.version}; the build is pinned to ${pinned} (npx -y bun@${pinned} run build)`,
    );
    process.exit(1);
  }
  await compile("src/main.ts", executable);
  console.log(executable);
}
