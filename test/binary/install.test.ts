import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeArchive, writeSums } from "../../scripts/build/release.ts";
import { executableName, hostTarget } from "../../scripts/build/targets.ts";

const root = join(import.meta.dir, "../..");
const archive = `satyrn-engine-1.2.3-${hostTarget()}.tar.gz`;
const folder = mkdtempSync(join(tmpdir(), "satyrn-install-"));
const dist = join(folder, "dist");
const requested: string[] = [];
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    requested.push(pathname);
    const [, release = "", file = ""] = pathname.split("/");
    const bytes = Bun.file(join(dist, file));
    if (!(await bytes.exists())) return new Response("", { status: 404 });
    if (release === "tampered" && file === archive) return new Response(`${await bytes.text()}x`);
    if (release === "unnamed" && file === "SHA256SUMS") return new Response("");
    return new Response(bytes);
  },
});

beforeAll(async () => {
  mkdirSync(dist);
  await Bun.write(join(dist, executableName(hostTarget())), "#!/bin/sh\necho started\n");
  await writeArchive(dist, root, "1.2.3", hostTarget());
  await writeSums(dist, [archive]);
});
afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true });
});

async function install(dir: string, release: string, ...more: readonly string[]) {
  const words = ["--dir", dir, "--base-url", `${server.url}${release}`, ...more];
  const child = Bun.spawn(["sh", join(root, "install.sh"), ...words], {
    env: { ...process.env, TMPDIR: folder },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { status: await child.exited, stdout, stderr };
}

const temporary = () => readdirSync(folder).filter((name) => name.startsWith("tmp."));

describe("install.sh", () => {
  test.each(["1.2.3", "v1.2.3"])(
    "installs %s from a folder that holds the release's files",
    async (version) => {
      const dir = join(folder, `bin of ${version}`);
      const run = await install(dir, "release", "--version", version);
      expect(run).toMatchObject({ status: 0, stderr: "" });
      expect(run.stdout).toBe(
        `installed ${dir}/satyrn-engine\nto put it on PATH, add to your shell's profile: export PATH="${dir}:$PATH"\n`,
      );
      expect(Bun.spawnSync([join(dir, "satyrn-engine")]).stdout.toString()).toBe("started\n");
      expect(requested.slice(-2)).toEqual(["/release/SHA256SUMS", `/release/${archive}`]);
      expect(readdirSync(dir)).toEqual(["satyrn-engine"]);
      expect(temporary()).toEqual([]);
    },
  );

  test("replaces what was installed before", async () => {
    const dir = join(folder, "again");
    mkdirSync(dir);
    await Bun.write(join(dir, "satyrn-engine"), "old");
    expect(await install(dir, "release", "--version", "1.2.3")).toMatchObject({ status: 0 });
    expect(Bun.spawnSync([join(dir, "satyrn-engine")]).stdout.toString()).toBe("started\n");
  });

  test.each([
    ["an archive that was tampered with", "tampered", ["--version", "1.2.3"], ": nothing was installed"],
    ["an archive the sums do not name", "unnamed", ["--version", "1.2.3"], "SHA256SUMS does not name"],
    ["a release that is not there", "release", ["--version", "9.9.9"], "could not be fetched"],
    ["a version that is a path", "release", ["--version", "../1"], "must be a release such as 1.2.3"],
    ["no version", "release", [], "must be a release such as 1.2.3"],
    ["an unknown flag", "release", ["--bogus", "1"], "unknown flag --bogus"],
    ["a flag without its value", "release", ["--version"], "--version needs a value"],
  ])("refuses %s, and leaves nothing behind", async (_, release, more, problem) => {
    const dir = join(folder, "refused");
    const run = await install(dir, release, ...more);
    expect(run).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining(problem) });
    expect(existsSync(dir)).toBe(false);
    expect(temporary()).toEqual([]);
  });
});
