/** Programs that Bun compiles with its defaults, for the attacks to bite. */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const sources = {
  /** Says what was planted in its environment, and where it stands; told to, it starts a git. */
  stock: `import { spawnSync } from "bun";
if (process.argv[2] === "git") spawnSync(["git", "--version"]);
console.log(process.env.SATYRN_PLANTED ?? "nothing planted", process.cwd());
`,
  /** A git of an attacker's. */
  "evil-git": `import { join } from "node:path";
require("node:fs").writeFileSync(join(process.env.TEMP, "marker"), "ran");
`,
} as const;

/** Compiles them into `folder` for the target of that name, this machine if it is left out. */
export async function makeStockPrograms(folder: string, target?: Bun.Build.CompileTarget): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [name, source] of Object.entries(sources)) {
    const entry = join(folder, `${name}.ts`);
    writeFileSync(entry, source);
    const compile = { outfile: join(folder, name), ...(target === undefined ? {} : { target }) };
    await Bun.build({ entrypoints: [entry], compile });
  }
}

/** The program `name` at `path`: from the folder that SATYRN_TEST_PROGRAMS names, where none can be compiled. */
export async function stockProgram(name: keyof typeof sources, path: string): Promise<void> {
  const made = process.env["SATYRN_TEST_PROGRAMS"];
  const suffix = process.platform === "win32" ? ".exe" : "";
  if (made !== undefined) return copyFileSync(join(made, name + suffix), path);
  const entry = `${path}.ts`;
  writeFileSync(entry, sources[name]);
  await Bun.build({ entrypoints: [entry], compile: { outfile: path } });
}
