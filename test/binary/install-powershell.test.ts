import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeArchive, writeSums } from "../../scripts/build/release.ts";
import { executableName } from "../../scripts/build/targets.ts";

const powershell = Bun.which("pwsh") ?? (process.platform === "win32" ? Bun.which("powershell") : null);
if (powershell === null) console.log("skipped: install.ps1, for want of a PowerShell");

const root = join(import.meta.dir, "../..");
const target = process.env["PROCESSOR_ARCHITECTURE"] === "ARM64" ? "windows-arm64" : "windows-x64";
const archive = `satyrn-engine-1.2.3-${target}.zip`;
const folder = mkdtempSync(join(tmpdir(), "satyrn inställ "));
const dist = join(folder, "dist");
const temporary = join(folder, "tmp");
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const [, release = "", file = ""] = new URL(request.url).pathname.split("/");
    const bytes = Bun.file(join(dist, file));
    if (!(await bytes.exists())) return new Response("", { status: 404 });
    if (release === "tampered" && file === archive) return new Response(`${await bytes.text()}x`);
    if (release === "unnamed" && file === "SHA256SUMS") return new Response("");
    return new Response(bytes);
  },
});

beforeAll(async () => {
  mkdirSync(dist);
  mkdirSync(temporary);
  await Bun.write(join(dist, executableName(target)), "the executable");
  await writeArchive(dist, root, "1.2.3", target);
  await writeSums(dist, [archive]);
});
afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true });
});

function install(dir: string, release: string, more: readonly string[]) {
  const script = ["-NoProfile", "-ExecutionPolicy", "Bypass", "-File", join(root, "install.ps1")];
  const words = ["-BaseUrl", `${server.url}${release}`, "-Dir", dir, ...more];
  return Bun.spawn([powershell ?? "", ...script, ...words], {
    env: { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

test.skipIf(powershell === null).each([[["-Version", "1.2.3"]], [["-Version", "v1.2.3"]], [[]]])(
  "install.ps1 installs with %j",
  async (more) => {
    const dir = join(folder, `bin ${more.join(" ")}`);
    const child = install(dir, "release", more);
    expect([await child.stderr.text(), await child.exited]).toEqual(["", 0]);
    expect(await child.stdout.text()).toStartWith(`installed ${join(dir, "satyrn-engine.exe")}`);
    expect(readFileSync(join(dir, "satyrn-engine.exe"), "utf8")).toBe("the executable");
    expect(readdirSync(dir)).toEqual(["satyrn-engine.exe"]);
    expect(readdirSync(temporary).filter((name) => name.startsWith("satyrn-engine-"))).toEqual([]);
  },
);

test.skipIf(powershell === null).each([
  ["an archive that was tampered with", "tampered", ["-Version", "1.2.3"]],
  ["an archive the sums do not name", "unnamed", ["-Version", "1.2.3"]],
  ["the latest of none", "unnamed", []],
  ["a release that is not there", "release", ["-Version", "9.9.9"]],
  ["a version that is a path", "release", ["-Version", "../1"]],
])("install.ps1 refuses %s, and leaves nothing behind", async (_, release, more) => {
  const dir = join(folder, "refused");
  const child = install(dir, release, more);
  expect(await child.exited).not.toBe(0);
  expect(existsSync(dir)).toBe(false);
  expect(readdirSync(temporary).filter((name) => name.startsWith("satyrn-engine-"))).toEqual([]);
});
