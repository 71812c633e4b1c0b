import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { writePackages } from "../../scripts/build/npm.ts";
import { executableName, hostTarget, targetNames } from "../../scripts/build/targets.ts";
import { scene } from "../support/delivery.ts";
import { engine, executable } from "../support/engine.ts";
import { brokenLinks } from "../support/links.ts";
import { gitEnvironment, temporaryFolder } from "../support/repository.ts";

const root = join(import.meta.dir, "../..");
const { path: folder, dispose } = temporaryFolder("satyrn npm ");
afterAll(dispose);

describe("the packages", () => {
  const dist = join(folder, "every system");
  let made: readonly string[] = [];
  const read = (name: string) => JSON.parse(readFileSync(join(dist, "npm", name, "package.json"), "utf8"));

  beforeAll(async () => {
    mkdirSync(dist);
    for (const target of targetNames) writeFileSync(join(dist, executableName(target)), target);
    made = await writePackages(dist, root, manifest, targetNames);
  });

  test("are one for each system, and the one that chooses, each with its licence", () => {
    const names = [...targetNames.map((target) => `satyrn-engine-${target}`), "satyrn-engine"];
    expect(made).toEqual(names.map((name) => join(dist, "npm", name)));
    for (const name of names) {
      expect(read(name)).toMatchObject({
        name,
        version: manifest.version,
        license: manifest.license,
        publishConfig: { access: "public", provenance: true },
      });
      expect(readFileSync(join(dist, "npm", name, "LICENSE"))).toEqual(readFileSync(join(root, "LICENSE")));
      expect(brokenLinks(join(dist, "npm", name, "README.md"))).toEqual([]);
    }
  });

  test("name no registry, no script and no range", () => {
    for (const at of made) {
      const text = readFileSync(join(at, "package.json"), "utf8");
      expect(text).not.toMatch(/registry|https?:|"scripts"|[\^~]\d/);
    }
    const pins = Object.fromEntries(targetNames.map((name) => [`satyrn-engine-${name}`, manifest.version]));
    expect(read("satyrn-engine").optionalDependencies).toEqual(pins);
    expect(read("satyrn-engine").dependencies).toBeUndefined();
  });

  test.each([
    ["linux-x64", { os: ["linux"], cpu: ["x64"], libc: ["glibc"] }],
    ["linux-arm64", { os: ["linux"], cpu: ["arm64"], libc: ["glibc"] }],
    ["linux-x64-musl", { os: ["linux"], cpu: ["x64"], libc: ["musl"] }],
    ["linux-arm64-musl", { os: ["linux"], cpu: ["arm64"], libc: ["musl"] }],
    ["darwin-x64", { os: ["darwin"], cpu: ["x64"], libc: undefined }],
    ["darwin-arm64", { os: ["darwin"], cpu: ["arm64"], libc: undefined }],
    ["windows-x64", { os: ["win32"], cpu: ["x64"], libc: undefined }],
    ["windows-arm64", { os: ["win32"], cpu: ["arm64"], libc: undefined }],
  ] as const)("of %s is installed there alone, and holds its executable", (target, fields) => {
    const { os, cpu, libc } = read(`satyrn-engine-${target}`);
    expect({ os, cpu, libc }).toEqual({ ...fields, os: [...fields.os], cpu: [...fields.cpu] } as never);
    const name = target.startsWith("windows-") ? "satyrn-engine.exe" : "satyrn-engine";
    const program = join(dist, "npm", `satyrn-engine-${target}`, "bin", name);
    expect(readFileSync(program, "utf8")).toBe(target);
    expect(statSync(program).mode & 0o777).toBe(0o755);
  });

  test("bring the extension for Pi, as it stands in the source", () => {
    const at = join(dist, "npm/satyrn-engine");
    expect(read("satyrn-engine").pi).toEqual(manifest.pi);
    for (const name of readdirSync(join(root, "src/pi")))
      expect(readFileSync(join(at, "src/pi", name))).toEqual(readFileSync(join(root, "src/pi", name)));
  });

  test.each([
    ["linux", "x64", undefined, "satyrn-engine-linux-x64-musl"],
    ["linux", "arm64", "2.36", "satyrn-engine-linux-arm64,"],
    ["darwin", "arm64", undefined, "satyrn-engine-darwin-arm64,"],
    ["win32", "x64", undefined, "satyrn-engine-windows-x64,"],
    ["linux", "riscv64", "2.36", "no executable is made for linux on riscv64"],
    ["freebsd", "x64", undefined, "no executable is made for freebsd on x64"],
  ])("say on %s, %s, glibc %s what is not installed", (platform, arch, glibc, problem) => {
    const world = join(folder, "world.cjs");
    writeFileSync(
      world,
      `Object.defineProperty(process, "platform", { value: "${platform}" });
Object.defineProperty(process, "arch", { value: "${arch}" });
process.report.getReport = () => ({ header: { glibcVersionRuntime: ${JSON.stringify(glibc)} } });\n`,
    );
    const alone = join(folder, "alone.cjs");
    copyFileSync(join(dist, "npm/satyrn-engine/satyrn-engine.cjs"), alone);
    const run = Bun.spawnSync(["node", "--require", world, alone, "--version"], { stderr: "pipe" });
    expect([run.exitCode, run.stdout.toString()]).toEqual([1, ""]);
    expect(run.stderr.toString()).toStartWith("satyrn-engine: ");
    expect(run.stderr.toString()).toContain(problem);
    expect(run.stderr.toString().split("\n")).toHaveLength(2);
  });
});

const onWindows = process.platform === "win32";
if (onWindows) console.log("skipped: what npm installs, since Windows has neither its links nor its signals");

describe.skipIf(onWindows)(
  "what npm installs from the packed files, with no network and an empty cache,",
  () => {
    const project = join(folder, "project");
    const command = join(project, "node_modules/.bin/satyrn-engine");
    const host = `satyrn-engine-${hostTarget()}`;
    const environment = {
      ...gitEnvironment(),
      npm_config_offline: "true",
      npm_config_cache: join(folder, "cache"),
      npm_config_userconfig: join(folder, "npmrc"),
    };

    function npm(cwd: string, ...words: readonly string[]): string {
      const run = Bun.spawnSync(["npm", ...words], { cwd, env: environment, stderr: "pipe" });
      if (run.exitCode !== 0) throw new Error(`npm ${words.join(" ")}: ${run.stderr}`);
      return run.stdout.toString();
    }

    beforeAll(async () => {
      const dist = join(folder, "dist");
      mkdirSync(dist);
      copyFileSync(executable, join(dist, executableName(hostTarget())));
      const packages = await writePackages(dist, root, manifest, [hostTarget()]);
      const files = npm(folder, "pack", "--silent", ...packages)
        .trim()
        .split("\n");
      mkdirSync(project);
      writeFileSync(join(project, "package.json"), "{}");
      npm(project, "install", ...files.map((file) => join(folder, file)));
    });

    test("is the command and the executable of this system, and nothing else", () => {
      const names = readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."));
      expect(names.sort()).toEqual(["satyrn-engine", host]);
      expect(npm(project, "exec", "--", "satyrn-engine", "--version", "--json")).toContain(manifest.version);
    });

    test.each([
      [["--version"]],
      [["check", "--repo", ".", "no\nwhere.yaml"]],
      [["bogus"]],
      [["schema", "receipt"]],
    ])("prints and ends with %j as the executable does", async (words) => {
      const direct = await engine(words, { cwd: project });
      const child = Bun.spawnSync([command, ...words], { cwd: project, stderr: "pipe" });
      expect([child.exitCode, child.stdout.toString(), child.stderr.toString()]).toEqual([
        direct.status,
        direct.stdout,
        direct.stderr,
      ] as never);
    });

    test("hands stdin on", () => {
      const child = Bun.spawnSync([command, "protocol"], { stdin: Buffer.from("{}"), stderr: "pipe" });
      expect(child.exitCode).toBe(7);
      expect(JSON.parse(child.stdout.toString())).toMatchObject({ code: "INVALID_REQUEST" });
    });

    test.each([
      ["SIGINT", "the command alone"],
      ["SIGTERM", "the command alone"],
      ["SIGHUP", "the command alone"],
      // As the terminal does it.
      ["SIGINT", "all of the foreground"],
    ] as const)("lets the executable end in order at a %s to %s", async (signal, whom) => {
      const at = scene();
      const started = join(at.folder, "started");
      const words = [
        "deliver",
        "--repo",
        at.repo,
        at.contract,
        "--",
        "sh",
        "-c",
        'touch "$1"; sleep 300',
        "sh",
        started,
      ];
      const child = Bun.spawn([command, ...words], {
        env: { ...environment, TMPDIR: at.temporary },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      while (!existsSync(started)) await Bun.sleep(5);
      process.kill(whom === "the command alone" ? child.pid : -child.pid, signal);
      const receipt = JSON.parse(await child.stdout.text());
      expect([await child.exited, child.signalCode, receipt.code]).toEqual([8, null, "INTERRUPTED"]);
      expect(readdirSync(at.temporary)).toEqual([]);
      at.dispose();
    });

    test.skipIf(process.platform !== "linux")(
      "ends by the signal that ended the executable (on Linux, for /proc)",
      async () => {
        const child = Bun.spawn([command, "protocol"], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
        const children = `/proc/${child.pid}/task/${child.pid}/children`;
        while (readFileSync(children, "utf8") === "") await Bun.sleep(5);
        process.kill(Number.parseInt(readFileSync(children, "utf8"), 10), "SIGKILL");
        await child.exited;
        expect([child.signalCode, await child.stdout.text(), await child.stderr.text()]).toEqual([
          "SIGKILL",
          "",
          "",
        ]);
      },
    );

    test("looks for the executable beside itself, before NODE_PATH, and not in the working directory", () => {
      const hostile = join(folder, "hostile");
      const planted = join(hostile, "node_modules", host, "bin");
      mkdirSync(planted, { recursive: true });
      writeFileSync(join(planted, "satyrn-engine"), "#!/bin/sh\necho planted\n", { mode: 0o755 });
      writeFileSync(join(hostile, "package.json"), '{"type":"module"}');
      const child = Bun.spawnSync([command, "--version"], {
        cwd: hostile,
        env: { ...environment, NODE_PATH: join(hostile, "node_modules") },
      });
      expect(child.stdout.toString()).toStartWith(`satyrn-engine ${manifest.version} (`);
      const shown = Bun.spawnSync([join(planted, "satyrn-engine")]);
      expect(shown.stdout.toString()).toBe("planted\n");
    });

    test("names the package of this system if that is not there", () => {
      const at = join(project, "node_modules", host);
      renameSync(at, `${at}.away`);
      const child = Bun.spawnSync([command, "--version"], { stderr: "pipe" });
      renameSync(`${at}.away`, at);
      expect([child.exitCode, child.stdout.toString()]).toEqual([1, ""]);
      expect(child.stderr.toString()).toStartWith(
        `satyrn-engine: the package ${host}, which holds the executable for this system, is not installed. `,
      );
    });
  },
);
