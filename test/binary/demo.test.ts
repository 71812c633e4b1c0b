import { afterEach, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gitEnvironment, temporaryFolder } from "../support/repository.ts";

const root = join(import.meta.dir, "../..");
const { path: folder, dispose } = temporaryFolder("satyrn dëmo ");
afterEach(dispose);

test("the demo shows a candidate and a refusal, in plain text, and leaves nothing behind", async () => {
  const demo = Bun.spawn([process.execPath, "scripts/demo.ts"], {
    cwd: root,
    env: { ...gitEnvironment(), TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([demo.stdout.text(), demo.stderr.text()]);
  expect({ status: await demo.exited, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain('"outcome": "candidate-created"');
  expect(stdout).toContain("+| 8 | `NO_CANDIDATE` |");
  expect(stdout).toContain("satyrn-engine: PATH_UNDECLARED: no writable_paths pattern matches LICENSE\n");
  expect(stdout).not.toContain("\u001b");
  // Named as something to read next, so it has to be there.
  for (const page of ["README.md", "docs/deliver.md"]) {
    expect(stdout).toContain(page);
    expect(existsSync(join(root, page))).toBe(true);
  }
  expect(readdirSync(folder)).toEqual([]);
});
