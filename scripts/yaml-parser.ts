/**
 * What the engine uses of the package `yaml`, as one module.
 *
 * Whoever takes the engine from its repository then installs nothing else; and one module of what is needed is
 * evaluated in a quarter of the time that the package's seventy take.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json";

const root = join(import.meta.dir, "..");

/** The generated file, by its path. Its types are written by hand, in the declarations beside it. */
export async function yamlParser(): Promise<Readonly<Record<string, string>>> {
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
  const module = `// Made by \`bun run generate\` from yaml ${version}. Do not edit.\n/**\n${quoted}\n */\n${text}`;
  return { "src/contract/yaml-parser.generated.js": module };
}
