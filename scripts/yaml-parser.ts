#!/usr/bin/env bun
/**
 * Writes what the engine uses of the package `yaml` as one module, `src/contract/yaml-parser.generated.js`.
 *
 *     bun scripts/yaml-parser.ts           write
 *     bun scripts/yaml-parser.ts --check   exit 1 if the file is not what the pinned version gives
 *
 * Whoever takes the engine from its repository then installs nothing else; and one module of what is needed is
 * evaluated in a quarter of the time that the package's seventy take.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json";

const root = join(import.meta.dir, "..");
const target = join(root, "src/contract/yaml-parser.generated.js");

/** The module's text. Its types are written by hand, in the declarations beside it. */
export async function yamlParser(): Promise<string> {
  const entry = join(root, "yaml-parser.js");
  const used = "Composer, isAlias, isMap, isScalar, isSeq, Parser";
  // The build for browsers: modules that can be told apart, and none that reads the environment or prints.
  const built = await Bun.build({
    entrypoints: [entry],
    files: { [entry]: `export { ${used} } from "yaml";` },
    target: "browser",
    format: "esm",
    root,
  });
  const text = await built.outputs[0]?.text();
  const license = readFileSync(join(root, "node_modules/yaml/LICENSE"), "utf8");
  const quoted = license.trim().replaceAll(/^/gm, " * ").replaceAll(/ +$/gm, "");
  const version = manifest.devDependencies.yaml;
  return `// Made by \`bun run validators\` from yaml ${version}. Do not edit.\n/**\n${quoted}\n */\n${text}`;
}

if (import.meta.main) {
  const text = await yamlParser();
  if (!process.argv.includes("--check")) writeFileSync(target, text);
  else if (readFileSync(target, "utf8") !== text) {
    console.error(`${target} is out of date: run \`bun run validators\``);
    process.exitCode = 1;
  }
}
