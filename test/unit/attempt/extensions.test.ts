import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { extensionFiles } from "../../../src/attempt/extensions.ts";

const folder = join(import.meta.dir, "../../../src/pi");
const entries = ["loop-breaker.ts", "edit.ts", "bash.ts"];

/** What `files` import of their siblings, directly or not, themselves included. */
function closure(files: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const queue = [...files];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const source = readFileSync(join(folder, name), "utf8");
    for (const [, sibling] of source.matchAll(/from "\.\/([\w-]+\.ts)"/g)) if (sibling) queue.push(sibling);
  }
  return seen;
}

test("the files that an attempt carries are those its extensions import, byte for byte", () => {
  expect(extensionFiles.map(([name]) => name)).toEqual([...closure(entries)].sort());
  for (const [name, source] of extensionFiles) expect(source).toBe(readFileSync(join(folder, name), "utf8"));
});

test("what Pi loads imports Node's built-ins and its siblings only", () => {
  for (const name of closure(["index.ts"])) {
    const imports = Array.from(
      readFileSync(join(folder, name), "utf8").matchAll(/^(?:import|export)[^;]*? from "([^"]+)";/gms),
      ([, from]) => from,
    );
    for (const from of imports) expect(from).toMatch(/^(node:[a-z_]+|\.\/[\w-]+\.ts)$/);
  }
});
