/**
 * The packages for npm: one with the command and the extension for Pi, and one for each system with its
 * executable, of which npm installs the one that fits.
 */
import { chmodSync, cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packedReadme } from "./readme.ts";
import { executableName, suffix, type TargetName, targetNames } from "./targets.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly pi: object;
}

/** Writes the packages of `targets`, whose executables lie in `dist`, to `dist/npm`; gives their folders. */
export async function writePackages(
  dist: string,
  root: string,
  manifest: Manifest,
  targets: readonly TargetName[],
): Promise<readonly string[]> {
  const folder = join(dist, "npm");
  rmSync(folder, { recursive: true, force: true });
  const common = {
    version: manifest.version,
    description: manifest.description,
    license: manifest.license,
    publishConfig: { access: "public", provenance: true },
  };
  const folders: string[] = [];
  for (const target of targets) {
    const name = packageName(target);
    const at = await writePackage(
      join(folder, name),
      root,
      {
        name,
        ...common,
        description: `The executable of satyrn-engine for ${target}`,
        ...system(target),
        preferUnplugged: true,
      },
      `The executable of satyrn-engine for ${target}. Install \`satyrn-engine\`, which brings it.\n`,
    );
    mkdirSync(join(at, "bin"));
    const program = join(at, "bin", `satyrn-engine${suffix(target)}`);
    cpSync(join(dist, executableName(target)), program);
    chmodSync(program, 0o755);
    folders.push(at);
  }
  const wrapper = await writePackage(
    join(folder, manifest.name),
    root,
    {
      name: manifest.name,
      ...common,
      // As in the source: what Pi loads is modules.
      type: "module",
      bin: { "satyrn-engine": "satyrn-engine.cjs" },
      engines: { node: ">=18" },
      keywords: ["pi-package"],
      pi: manifest.pi,
      optionalDependencies: Object.fromEntries(
        targetNames.map((target) => [packageName(target), manifest.version]),
      ),
    },
    await packedReadme(root),
  );
  const script = await Bun.file(join(import.meta.dir, "npm/satyrn-engine.cjs")).text();
  const program = join(wrapper, "satyrn-engine.cjs");
  await Bun.write(program, script.replace("PACKAGES", JSON.stringify(targetNames.map(packageName))));
  chmodSync(program, 0o755);
  cpSync(join(root, "src/pi"), join(wrapper, "src/pi"), { recursive: true });
  return [...folders, wrapper];
}

function packageName(target: TargetName): string {
  return `satyrn-engine-${target}`;
}

/** What npm compares with the machine before it installs an optional dependency. */
function system(target: TargetName): object {
  const [os = "", cpu, musl] = target.split("-");
  return {
    os: [os === "windows" ? "win32" : os],
    cpu: [cpu],
    ...(os === "linux" ? { libc: [musl ?? "glibc"] } : {}),
  };
}

async function writePackage(at: string, root: string, manifest: object, readme: string): Promise<string> {
  mkdirSync(at, { recursive: true });
  await Bun.write(join(at, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await Bun.write(join(at, "README.md"), readme);
  cpSync(join(root, "LICENSE"), join(at, "LICENSE"));
  return at;
}
