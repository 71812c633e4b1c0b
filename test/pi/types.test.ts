import { expect, test } from "bun:test";
import { join } from "node:path";
import { root } from "./pi.ts";

test("the adapter's view of Pi compiles against the types that Pi publishes", () => {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const run = Bun.spawnSync([process.execPath, compiler, "-p", join(root, "test/pi/types")], {
    stdout: "pipe",
  });
  expect(run.stdout.toString()).toBe("");
  expect(run.exitCode).toBe(0);
});
