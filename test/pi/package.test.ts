/** What npm's package brings together: its command as the engine, and its extension in a real Pi. */
import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { writePackages } from "../../scripts/build/npm.ts";
import { executableName, hostTarget } from "../../scripts/build/targets.ts";
import { executable } from "../support/engine.ts";
import { git, makeRepository } from "../support/repository.ts";
import { scriptedModel } from "./model.ts";
import { bare, pi, place, root } from "./pi.ts";

test("a candidate is delivered by the extension and the command of the package", async () => {
  const edits = [{ oldText: "two", newText: "2" }];
  const model = scriptedModel([
    { toolCalls: [{ name: "edit", args: { path: "app.py", edits } }] },
    { text: "Done." },
  ]);
  const at = place(model.url);
  const modules = join(at.folder, "node_modules");
  const dist = join(at.folder, "dist");
  mkdirSync(dist);
  mkdirSync(modules);
  copyFileSync(executable, join(dist, executableName(hostTarget())));
  for (const path of await writePackages(dist, root, manifest, [hostTarget()]))
    symlinkSync(path, join(modules, path.slice(path.lastIndexOf("/") + 1)));
  const installed = join(modules, "satyrn-engine");
  const repo = join(at.folder, "repo");
  makeRepository(repo, {
    "fix.yaml": "id: fix-1\ntask: Count.\nwritable_paths: [app.py]\n",
    "app.py": "one\ntwo\n",
  });
  const world = { ...at, env: { ...at.env, SATYRN_ENGINE: join(installed, "satyrn-engine.cjs") } };
  try {
    const args = ["-p", "--model", "scripted/scripted", ...bare(installed), "/implement fix.yaml"];
    expect(await pi(world, args, { cwd: repo })).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^satyrn-engine: OK: candidate [0-9a-f]{12} at .*, 1 paths changed\n$/),
      stderr: "",
    });
    expect(git(repo, "show", "refs/satyrn/candidates/fix-1/head:app.py")).toBe("one\n2");
    expect(at.leftovers()).toEqual([]);
  } finally {
    await model.stop();
    at.dispose();
  }
});
