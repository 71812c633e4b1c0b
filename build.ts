/**
 * Makes executables into `dist/`: this machine's by `bun run build`, another's by `--target NAME`, every one by
 * `--all`. The last two also make the archives and `SHA256SUMS`. `--npm` makes the packages for npm, of every system
 * unless one is named.
 *
 * The executable is started in folders nobody has vetted, so the build closes what a stock Bun executable
 * leaves open: it reads no configuration from the working directory, evaluates no code from strings, and the
 * environment variables that would turn it into Bun itself are made inert.
 */
import { chmodSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { BunPlugin } from "bun";
import manifest from "./package.json" with { type: "json" };
import { readSignature, signAdHoc } from "./scripts/build/mach-o.ts";
import { writePackages } from "./scripts/build/npm.ts";
import { writeArchive, writeSums } from "./scripts/build/release.ts";
import {
  executableName,
  hostTarget,
  isTarget,
  suffix,
  type TargetName,
  targetNames,
} from "./scripts/build/targets.ts";
import { inertTemplate } from "./scripts/build/template.ts";

const root = import.meta.dir;
const dist = join(root, "dist");
const pinned = manifest.packageManager.replace("bun@", "");

/** Path of the executable that `build` makes for this machine. */
export const executable = join(dist, executableName(hostTarget()));

export interface CompileOptions {
  /** This machine, if it is left out. */
  readonly target?: TargetName;
  readonly plugins?: readonly BunPlugin[];
}

/** Compiles `entry` as `outfile`, with every rule of a safe start. */
export async function compile(entry: string, outfile: string, options: CompileOptions = {}): Promise<void> {
  const { target = hostTarget(), plugins = [] } = options;
  const work = `${outfile}.build`;
  mkdirSync(work, { recursive: true });
  try {
    const template = join(work, "template");
    await Bun.write(template, await inertTemplate(target, work, pinned));
    chmodSync(template, 0o755);
    const built = join(work, "satyrn-engine");
    await Bun.build({
      entrypoints: [join(root, entry)],
      target: "bun",
      format: "esm",
      minify: true,
      bytecode: true,
      // Else every function of the whole program is made when it starts: a check takes a tenth longer.
      splitting: true,
      sourcemap: "none",
      env: "disable",
      allowUnresolved: [],
      plugins: [schemasAreCompiledAhead, ...plugins],
      define: {
        "process.env.NODE_ENV": '"production"',
        VERSION: JSON.stringify(manifest.version),
        COMMIT: JSON.stringify(commit()),
      },
      compile: {
        target: `bun-${target}`,
        outfile: built,
        executablePath: template,
        execArgv: [
          "--disallow-code-generation-from-strings=strict",
          "--no-addons",
          // On Windows a job that ends all that the engine started, however the engine ends. Elsewhere the flag
          // does less than the engine does by itself, and would end it with the thread that started it.
          ...(target.startsWith("windows-") ? ["--no-orphans"] : []),
        ],
        // A process lives for milliseconds: a late JIT takes a check from 1.9 to 1.6 bare starts, one of a
        // 4 KB contract from 3.1 to 2.4, and costs work of a second or more nothing that can be measured.
        jitPolicy: 32,
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
      },
    });
    if (target.startsWith("darwin-")) await sign(built);
    renameSync(`${built}${suffix(target)}`, outfile);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Signs a macOS executable ad hoc: macOS starts none whose pages do not have the hashes in its signature. What Bun
 * makes for x64 bears the signature of the Bun it is made from.
 */
async function sign(path: string): Promise<void> {
  const signed = signAdHoc(Buffer.from(await Bun.file(path).bytes()), "satyrn-engine");
  const { badPages } = readSignature(signed);
  if (badPages.length > 0) throw new Error(`${path}: ${badPages.length} pages do not have their hash`);
  await Bun.write(path, signed);
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
  const wanted = asked(process.argv.slice(2));
  if (wanted === undefined) {
    console.error(
      `build: accepted are --all or --target NAME, and --npm, with NAME one of ${targetNames.join(", ")}`,
    );
    process.exit(2);
  }
  // What an earlier build left must not be taken for this one's.
  if (wanted.targets === targetNames) rmSync(dist, { recursive: true, force: true });
  const made: string[] = [];
  for (const target of wanted.targets) {
    const outfile = join(dist, executableName(target));
    await compile("src/main.ts", outfile, { target });
    console.log(outfile);
    made.push(basename(outfile));
    if (!wanted.archives) continue;
    const archive = await writeArchive(dist, root, manifest.version, target);
    console.log(archive);
    made.push(basename(archive));
  }
  if (wanted.archives) console.log(await writeSums(dist, made));
  if (wanted.npm) console.log((await writePackages(dist, root, manifest, wanted.targets)).join("\n"));
}

interface Wanted {
  readonly targets: readonly TargetName[];
  readonly archives: boolean;
  readonly npm: boolean;
}

function asked(words: readonly string[]): Wanted | undefined {
  const npm = words.includes("--npm");
  const [flag, name = "", ...rest] = words.filter((word) => word !== "--npm");
  if (flag === undefined) return { targets: npm ? targetNames : [hostTarget()], archives: false, npm };
  if (flag === "--all" && words.length === (npm ? 2 : 1))
    return { targets: targetNames, archives: true, npm };
  if (flag === "--target" && isTarget(name) && rest.length === 0)
    return { targets: [name], archives: true, npm };
  return undefined;
}
