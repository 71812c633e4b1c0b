import { afterEach, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bounded, bounded, edit, namesIn, sha256Of } from "../../support/bounded.ts";

let at: Bounded;
afterEach(() => at.dispose());

const isRoot = process.getuid?.() === 0;

/** Runs a replacement in a process of its own, as `uid`, with `seams` as source text. */
function replaceInProcess(
  repo: string,
  edits: string,
  seams = "{}",
  uid?: number,
): { readonly signal: string | null; readonly answer: string } {
  const source = `
    const { replace } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/mutation/replace.ts"))});
    const { readFileSync } = require("node:fs");
    if (${uid ?? 0} !== 0) { process.setgid(${uid ?? 0}); process.setuid(${uid ?? 0}); }
    const expected_sha256 = ${JSON.stringify(sha256Of(readFileSync(join(repo, "file"))))};
    const request = { repo: ${JSON.stringify(repo)}, contract: ${JSON.stringify(at.contract)}, path: "file" };
    console.log(JSON.stringify(replace({ ...request, expected_sha256, edits: ${edits} }, ${seams})));`;
  const run = Bun.spawnSync([process.execPath, "-e", source], { stderr: "inherit" });
  return {
    signal: run.signalCode === undefined ? null : String(run.signalCode),
    answer: run.stdout.toString(),
  };
}

describe("killed between the steps of the write", () => {
  test.each([
    ["created", "old"],
    ["written", "old"],
    ["flushed", "old"],
    ["renamed", "new"],
  ])("after it was %s the file is whole: %s", (step, whole) => {
    const [old, fresh] = ["old ".repeat(50_000), "new ".repeat(50_000)];
    at = bounded({ file: `${old}.`, other: "other" });
    const edits = '[{ old_text: "old ".repeat(50_000), new_text: "new ".repeat(50_000) }]';
    const kill = `{ onStep: (step) => step === "${step}" && process.kill(process.pid, "SIGKILL") }`;
    expect(replaceInProcess(at.repo, edits, kill)).toMatchObject({ signal: "SIGKILL", answer: "" });
    expect(at.read("file")).toBe(whole === "old" ? `${old}.` : `${fresh}.`);
    // Whatever it left goes with the next replacement in the folder, of any file: the lock died with the process.
    expect(at.replace("other", [edit("other", "another")]).code).toBe("OK");
    expect(namesIn(at.repo)).toEqual([".keep", "file", "other"]);
  });
});

describe("a full disk", () => {
  const mounted = isRoot && process.platform === "linux";
  if (!mounted) console.log("skipped: mounting a small file system needs root on Linux");

  test.skipIf(!mounted)("is MUTATION_FAILED with the reason, the file unchanged and nothing left", () => {
    at = bounded({});
    const disk = join(at.outside, "disk");
    mkdirSync(disk);
    const mount = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], { stderr: "pipe" });
    if (mount.exitCode !== 0) {
      console.log(`skipped: no small file system can be mounted here: ${mount.stderr}`);
      return;
    }
    try {
      writeFileSync(join(disk, "file"), `here ${"x".repeat(600 * 1024)}`);
      const before = readFileSync(join(disk, "file"));
      const ask = (old: string, replacement: string) =>
        at.replace("file", [edit(old, replacement)], { repo: disk, expected_sha256: sha256Of(before) });
      expect(ask("here", "there")).toMatchObject({
        code: "MUTATION_FAILED",
        message: "cannot replace file: no space left on device (ENOSPC)",
      });
      expect(readFileSync(join(disk, "file")).equals(before)).toBe(true);
      expect(namesIn(disk)).toEqual(["file"]);
      expect(ask(`here ${"x".repeat(600 * 1024 - 1)}`, "there ").code).toBe("OK");
      expect(readFileSync(join(disk, "file"), "utf8")).toBe("there x");
    } finally {
      Bun.spawnSync(["umount", disk]);
    }
  });
});

describe("without permission", () => {
  const nobody = 65_534;
  if (!isRoot) console.log("skipped: becoming another user needs root");

  /** A folder that `nobody` may enter, with a contract that `nobody` may read. */
  function forNobody(files: Readonly<Record<string, string>>): void {
    at = bounded(files);
    chmodSync(join(at.repo, ".."), 0o755);
    chownSync(at.repo, nobody, nobody);
    for (const name of Object.keys(files)) chownSync(join(at.repo, name), nobody, nobody);
  }

  test.skipIf(!isRoot)("to write the folder: MUTATION_FAILED with the reason", () => {
    forNobody({ file: "old" });
    const edits = '[{ old_text: "old", new_text: "new" }]';
    chmodSync(at.repo, 0o555);
    const refused = JSON.parse(replaceInProcess(at.repo, edits, "{}", nobody).answer);
    expect(refused).toMatchObject({
      code: "MUTATION_FAILED",
      message: "cannot replace file: permission denied (EACCES)",
    });
    expect(at.read("file")).toBe("old");
    expect(namesIn(at.repo)).toEqual([".keep", "file"]);
    chmodSync(at.repo, 0o755);
    expect(JSON.parse(replaceInProcess(at.repo, edits, "{}", nobody).answer)).toMatchObject({ code: "OK" });
  });

  test.skipIf(!isRoot)("to read the file: MUTATION_FAILED; a read-only one is replaced and stays so", () => {
    forNobody({ file: "old" });
    const edits = '[{ old_text: "old", new_text: "new" }]';
    chmodSync(join(at.repo, "file"), 0o000);
    expect(JSON.parse(replaceInProcess(at.repo, edits, "{}", nobody).answer)).toMatchObject({
      code: "MUTATION_FAILED",
      message: "cannot replace file: permission denied (EACCES)",
    });
    chmodSync(join(at.repo, "file"), 0o444);
    expect(JSON.parse(replaceInProcess(at.repo, edits, "{}", nobody).answer)).toMatchObject({ code: "OK" });
    expect(lstatSync(join(at.repo, "file")).mode & 0o7777).toBe(0o444);
  });

  test.skipIf(!isRoot)("of another's file the owner stays, if the system allows", () => {
    forNobody({ file: "old" });
    expect(at.replace("file", [edit("old", "new")]).code).toBe("OK");
    expect(statSync(join(at.repo, "file"))).toMatchObject({ uid: nobody, gid: nobody });
  });
});
