import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { writeArchive, writeSums } from "../../scripts/build/release.ts";
import { executableName, hostTarget } from "../../scripts/build/targets.ts";
import { loadAll } from "../../src/cli/commands.ts";
import { shells } from "../../src/cli/completion/shells.ts";
import { brokenLinks } from "../support/links.ts";

const root = join(import.meta.dir, "../..");
const name = executableName(hostTarget());
const onWindows = process.platform === "win32";
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "satyrn-release-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const files = "build.ts package.json tsconfig.json bunfig.toml README.md LICENSE";
const copied = [".git", "scripts", "src", ...files.split(" ")];

/** A copy of all that the build reads, in another folder. */
function copyOfSource(copy: string): string {
  for (const each of copied) cpSync(join(root, each), join(copy, each), { recursive: true });
  for (const each of ["yaml", "citty"])
    cpSync(join(root, "node_modules", each), join(copy, "node_modules", each), { recursive: true });
  return copy;
}

function run(cwd: string, ...argv: readonly string[]): string {
  const child = Bun.spawnSync([...argv], { cwd, stderr: "pipe" });
  if (child.exitCode !== 0) throw new Error(`${argv.join(" ")}: ${child.stderr}`);
  return child.stdout.toString();
}

async function sha256(path: string): Promise<string> {
  return new Bun.CryptoHasher("sha256").update(await Bun.file(path).bytes()).digest("hex");
}

describe("the build", () => {
  test("makes the same bytes in two folders: executable, archive and sums", async () => {
    const sums: string[] = [];
    for (const each of ["one", "another/deeper"]) {
      const copy = copyOfSource(join(folder, each));
      const printed = run(copy, process.execPath, "build.ts", "--target", hostTarget(), "--npm");
      const dist = join(copy, "dist");
      const archive = `satyrn-engine-${manifest.version}-${hostTarget()}.${onWindows ? "zip" : "tar.gz"}`;
      const packages = [`satyrn-engine-${hostTarget()}`, "satyrn-engine"].map((name) => join("npm", name));
      const made = [name, archive, "SHA256SUMS", ...packages].map((path) => join(dist, path));
      expect(printed.trim().split(/\r?\n/)).toEqual(made);
      expect(readdirSync(dist).sort()).toEqual(["SHA256SUMS", "npm", archive, name].sort());
      const text = await Bun.file(join(dist, "SHA256SUMS")).text();
      const lines = await Promise.all(
        [archive, name].sort().map(async (file) => `${await sha256(join(dist, file))}  ${file}\n`),
      );
      expect(text).toBe(lines.join(""));
      sums.push(text);
    }
    expect(sums[0]).toBe(sums[1]);
  });

  test.each([
    [["--bogus"]],
    [["--target"]],
    [["--target", "amiga"]],
    [["--all", "more"]],
    [["--npm", "more"]],
  ])("refuses %j and names every target", (words) => {
    const build = Bun.spawnSync([process.execPath, "build.ts", ...words], { cwd: root, stderr: "pipe" });
    expect(build.exitCode).toBe(2);
    expect(build.stderr.toString()).toContain("linux-x64, linux-arm64, linux-x64-musl");
  });
});

/** A small file in an executable's place: what is packed does not matter to an archive. */
async function distWith(target: "linux-x64" | "windows-x64", at: string): Promise<string> {
  const dist = join(folder, at);
  mkdirSync(dist);
  await Bun.write(join(dist, executableName(target)), "#!/bin/sh\necho started\n");
  return dist;
}

describe("a release's files", () => {
  test("the .tar.gz holds one folder with a program that can be started", async () => {
    const dist = await distWith("linux-x64", "tar");
    const archive = await writeArchive(dist, root, "1.2.3", "linux-x64");
    expect(archive).toBe(join(dist, "satyrn-engine-1.2.3-linux-x64.tar.gz"));
    run(dist, "tar", "xzf", archive);
    const unpacked = join(dist, "satyrn-engine-1.2.3-linux-x64");
    expect(run(unpacked, "./satyrn-engine")).toBe("started\n");
    expect(await sha256(join(unpacked, "LICENSE"))).toBe(await sha256(join(root, "LICENSE")));
    expect(brokenLinks(join(unpacked, "README.md"))).toEqual([]);
    const readme = await Bun.file(join(unpacked, "README.md")).text();
    expect(readme.split("\n").length).toBe(
      (await Bun.file(join(root, "README.md")).text()).split("\n").length,
    );
    expect(readme).toContain("docs/replace.md");
    const commands = await loadAll();
    const files = Object.values(shells).map(({ file }) => file);
    expect(readdirSync(join(unpacked, "completions")).sort()).toEqual([...files].sort());
    for (const { file, script } of Object.values(shells))
      expect(await Bun.file(join(unpacked, "completions", file)).text()).toBe(script(commands));
  });

  test.skipIf(Bun.which("unzip") === null)("the .zip is what unzip (if it is there) unpacks", async () => {
    const dist = await distWith("windows-x64", "zip");
    const archive = await writeArchive(dist, root, "1.2.3", "windows-x64");
    expect(archive).toBe(join(dist, "satyrn-engine-1.2.3-windows-x64.zip"));
    run(dist, "unzip", "-tq", archive);
    run(dist, "unzip", "-q", archive);
    const unpacked = join(dist, "satyrn-engine-1.2.3-windows-x64");
    expect(await sha256(join(unpacked, "satyrn-engine.exe"))).toBe(
      await sha256(join(dist, executableName("windows-x64"))),
    );
    expect(statSync(join(unpacked, "satyrn-engine.exe")).mode & 0o111).toBe(0o111);
  });

  test("archives of the same files are the same bytes", async () => {
    const digests = [];
    for (const at of ["same-1", "same-2"])
      digests.push(
        await sha256(await writeArchive(await distWith("linux-x64", at), root, "1.2.3", "linux-x64")),
      );
    expect(digests[0]).toBe(digests[1]);
  });

  test.skipIf(Bun.which("sha256sum") === null)(
    "SHA256SUMS is what sha256sum -c checks, and names no file of an earlier build",
    async () => {
      const dist = await distWith("linux-x64", "sums");
      const archive = await writeArchive(dist, root, "1.2.3", "linux-x64");
      await Bun.write(join(dist, "satyrn-engine-linux-arm64"), "of an earlier build");
      const sums = await writeSums(dist, [executableName("linux-x64"), basename(archive)]);
      expect(run(dist, "sha256sum", "--strict", "-c", sums).split("\n")).toEqual([
        "satyrn-engine-1.2.3-linux-x64.tar.gz: OK",
        "satyrn-engine-linux-x64: OK",
        "",
      ]);
      await Bun.write(join(dist, executableName("linux-x64")), "tampered");
      expect(() => run(dist, "sha256sum", "-c", "SHA256SUMS")).toThrow("1 computed checksum did NOT match");
    },
  );
});
