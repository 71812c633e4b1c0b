#!/usr/bin/env bun
/**
 * Writes the bill of materials (CycloneDX) of the executables: `bun scripts/build/bill.ts FILE`.
 *
 * npm makes it, from a project that depends on what is compiled in and on nothing else. The repository's own lock
 * file would list the tools that build and test it, of which nothing is in an executable.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { bundled } from "../licenses.ts";
import { targets } from "./targets.ts";

/** The manifest of such a project: each system's executable is made from one of Bun's. */
export function billOfMaterials(): object {
  const { name, version, license, packageManager, devDependencies } = manifest;
  const pins: Readonly<Record<string, string>> = devDependencies;
  const bun = packageManager.replace("bun@", "");
  return {
    name,
    version,
    license,
    dependencies: Object.fromEntries(bundled.map((dependency) => [dependency, pins[dependency]])),
    optionalDependencies: Object.fromEntries(Object.values(targets).map(({ template }) => [template, bun])),
  };
}

if (import.meta.main) {
  const [file, ...rest] = process.argv.slice(2);
  if (file === undefined || rest.length > 0) {
    console.error("bill: exactly one argument is accepted, the file to write");
    process.exit(2);
  }
  const folder = mkdtempSync(join(tmpdir(), "satyrn-bill-"));
  try {
    // npm names what the bill is of by its folder.
    const cwd = join(folder, manifest.name);
    mkdirSync(cwd);
    writeFileSync(join(cwd, "package.json"), JSON.stringify(billOfMaterials()));
    const npm = (...words: readonly string[]) => {
      const run = Bun.spawnSync(["npm", ...words, "--package-lock-only"], { cwd, stderr: "pipe" });
      if (run.exitCode !== 0) throw new Error(`npm ${words.join(" ")}: ${run.stderr.toString().trim()}`);
      return run.stdout;
    };
    npm("install", "--ignore-scripts");
    writeFileSync(file, npm("sbom", "--sbom-format=cyclonedx", "--sbom-type=application"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
