/**
 * Writes the files that are made from others, `*.generated.*`: `bun run generate`. With `--check` it writes none, and
 * ends with 1 if one is not what would be written.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { texts } from "./texts.ts";
import { validators } from "./validators.ts";
import { yamlParser } from "./yaml-parser.ts";

const root = join(import.meta.dir, "..");
const words = process.argv.slice(2);
const check = words.includes("--check");
if (words.some((word) => word !== "--check")) {
  console.error("generate: accepted is --check");
  process.exit(2);
}

for (const [path, text] of Object.entries({ ...(await validators()), ...texts(), ...(await yamlParser()) })) {
  if (!check) writeFileSync(join(root, path), text);
  else if (readIfThere(path) !== text) {
    console.error(`${path} is out of date: run \`bun run generate\``);
    process.exitCode = 1;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
}
