/** The library as whoever takes it from the repository has it: without one package beside it. */
import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/repository.ts";

const root = join(import.meta.dir, "../..");
const folder = temporaryFolder();
afterAll(() => folder.dispose());

test("it is imported and reads a contract where no package is installed", () => {
  const installed = join(folder.path, "node_modules/satyrn-engine");
  mkdirSync(installed, { recursive: true });
  for (const part of ["package.json", "src"])
    cpSync(join(root, part), join(installed, part), { recursive: true });
  writeFileSync(join(folder.path, "good.yaml"), "id: one\ntask: two\n");
  writeFileSync(join(folder.path, "bad.yaml"), "id: one\nid: two\n");
  const script = `import { check, deliver, accept, recover } from "satyrn-engine";
    const codes = ["good.yaml", "bad.yaml"].map((contract) => check({ repo: ".", contract }).code);
    console.log(codes.join(), [deliver, accept, recover].every((each) => typeof each === "function"));`;
  writeFileSync(join(folder.path, "user.ts"), script);
  const run = Bun.spawnSync([process.execPath, "--no-install", "user.ts"], { cwd: folder.path });
  expect([run.stdout.toString(), run.stderr.toString()]).toEqual(["OK,CONTRACT_INVALID_YAML true\n", ""]);
});
