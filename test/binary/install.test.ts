import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeArchive, writeSums } from "../../scripts/build/release.ts";
import { executableName, hostTarget } from "../../scripts/build/targets.ts";

const onWindows = process.platform === "win32";
if (onWindows) console.log("skipped: install.sh, which sends Windows to install.ps1");

const root = join(import.meta.dir, "../..");
const archive = `satyrn-engine-1.2.3-${hostTarget()}.tar.gz`;
const folder = mkdtempSync(join(tmpdir(), "satyrn inställ "));
const dist = join(folder, "dist");
const temporary = join(folder, "tmp");
const requested: string[] = [];

/** The release's files, each release with what is wrong with it. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 60,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    requested.push(pathname);
    const [, release = "", file = ""] = pathname.split("/");
    const bytes = Bun.file(join(dist, file));
    if (!(await bytes.exists())) return new Response("", { status: 404 });
    if (release === "tampered" && file === archive) return new Response(`${await bytes.text()}x`);
    if (release === "unnamed" && file === "SHA256SUMS") return new Response("");
    if (release === "two" && file === "SHA256SUMS")
      return new Response(`${await bytes.text()}${(await bytes.text()).replace("1.2.3", "1.2.4")}`);
    if (release === "endless" && file === archive) return new Response(new ReadableStream());
    return new Response(bytes);
  },
});
/** Ends each connection in the middle of what it promised. */
const cut = Bun.listen({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    data(socket) {
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nthe beginning");
    },
  },
});

beforeAll(async () => {
  if (onWindows) return;
  mkdirSync(dist);
  mkdirSync(temporary);
  await Bun.write(join(dist, executableName(hostTarget())), "#!/bin/sh\necho started\n");
  await writeArchive(dist, root, "1.2.3", hostTarget());
  await writeSums(dist, [archive]);
});
afterAll(async () => {
  cut.stop(true);
  await server.stop(true);
  rmSync(folder, { recursive: true });
});

interface Way {
  /** What reads the script. */
  readonly shell?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly base?: string;
}

function start(dir: string | undefined, release: string, more: readonly string[], way: Way) {
  const place = dir === undefined ? [] : ["--dir", dir];
  const words = [...place, "--base-url", `${way.base ?? server.url}${release}`, ...more];
  return Bun.spawn([...(way.shell ?? ["sh"]), join(root, "install.sh"), ...words], {
    cwd: folder,
    env: { ...process.env, TMPDIR: temporary, ...way.env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
}

async function install(
  dir: string | undefined,
  release: string,
  more: readonly string[] = [],
  way: Way = {},
) {
  const child = start(dir, release, more, way);
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { status: await child.exited, stdout, stderr };
}

function expectInstalled(dir: string): void {
  expect(Bun.spawnSync([join(dir, "satyrn-engine")]).stdout.toString()).toBe("started\n");
  expect(readdirSync(dir)).toEqual(["satyrn-engine"]);
  expect(readdirSync(temporary)).toEqual([]);
}

describe.skipIf(onWindows)("install.sh", () => {
  test.each(["1.2.3", "v1.2.3", "latest"])(
    "installs %s from a folder that holds the release's files",
    async (version) => {
      const dir = join(folder, `bin of ${version}`);
      const run = await install(dir, "release", ["--version", version]);
      expect(run).toMatchObject({ status: 0, stderr: "" });
      expect(run.stdout).toBe(
        `installed ${dir}/satyrn-engine\nto put it on PATH, add to your shell's profile: export PATH="${dir}:$PATH"\n`,
      );
      expect(requested.slice(-2)).toEqual(["/release/SHA256SUMS", `/release/${archive}`]);
      expectInstalled(dir);
    },
  );

  test("installs what the folder holds if no version is given, into ~/.local/bin if no folder is", async () => {
    const home = join(folder, "höme");
    const env = { HOME: home, PATH: `${process.env["PATH"]}:${home}/.local/bin` };
    const run = await install(undefined, "release", [], { env });
    expect(run).toEqual({ status: 0, stdout: `installed ${home}/.local/bin/satyrn-engine\n`, stderr: "" });
    expectInstalled(join(home, ".local/bin"));
  });

  test("takes a folder relative to where it is started, and tells where that is", async () => {
    const run = await install("-relative//", "release", ["--version", "1.2.3"]);
    expect(run.stdout).toStartWith(`installed ${folder}/-relative/satyrn-engine\n`);
    expectInstalled(join(folder, "-relative"));
  });

  test.each(["--help", "-h"])("%s says how it is used, and does nothing", async (flag) => {
    const run = Bun.spawnSync(["sh", join(root, "install.sh"), "--version", "1.2.3", flag], { env: {} });
    expect([run.exitCode, run.stderr.toString()]).toEqual([0, ""]);
    expect(run.stdout.toString()).toStartWith(
      "Usage: install.sh --base-url URL [--version VERSION] [--dir DIR]\n",
    );
  });

  test("needs no HOME if it is told where to", async () => {
    const dir = join(folder, "without home");
    expect(await install(dir, "release", [], { env: { HOME: undefined } })).toMatchObject({ status: 0 });
    expectInstalled(dir);
  });

  test("replaces what was installed before, also while it runs", async () => {
    const dir = join(folder, "again");
    mkdirSync(dir);
    await Bun.write(join(dir, "satyrn-engine"), "#!/bin/sh\nread line\n");
    chmodSync(join(dir, "satyrn-engine"), 0o755);
    const running = Bun.spawn([join(dir, "satyrn-engine")], { stdin: "pipe" });
    expect(await install(dir, "release", ["--version", "1.2.3"])).toMatchObject({ status: 0 });
    expectInstalled(dir);
    running.stdin.write("\n");
    await running.stdin.end();
    expect(await running.exited).toBe(0);
  });

  test.each([
    ["an archive that was tampered with", "tampered", ["--version", "1.2.3"], ": nothing was installed"],
    ["an archive the sums do not name", "unnamed", ["--version", "1.2.3"], "SHA256SUMS does not name"],
    ["the latest of two", "two", [], "SHA256SUMS does not name exactly one archive"],
    [
      "the latest of none",
      "unnamed",
      ["--version", "latest"],
      "SHA256SUMS does not name exactly one archive",
    ],
    ["a release that is not there", "release", ["--version", "9.9.9"], "could not be fetched"],
    ["a version that is a path", "release", ["--version", "../1"], "must be a release such as 1.2.3"],
    ["an empty version", "release", ["--version", ""], "must be a release such as 1.2.3"],
    ["an unknown flag", "release", ["--bogus", "1"], "unknown flag --bogus"],
    ["a flag without its value", "release", ["--version"], "--version needs a value"],
  ])("refuses %s, and leaves nothing behind", async (_, release, more, problem) => {
    const dir = join(folder, "refused");
    const run = await install(dir, release, more);
    expect([run.status, run.stdout, run.stderr]).toEqual([1, "", expect.stringContaining(problem)]);
    expect(existsSync(dir)).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test.each([
    ["no base URL", [], {}, "--base-url is required"],
    ["no HOME and no folder", ["--base-url", "http://127.0.0.1:1"], {}, "HOME is not set"],
  ])("refuses %s", (_, words, __, problem) => {
    const { HOME: ___, ...env } = process.env;
    const run = Bun.spawnSync(["sh", join(root, "install.sh"), ...words], { env, stderr: "pipe" });
    expect([run.exitCode, run.stderr.toString()]).toEqual([1, expect.stringContaining(problem)]);
  });

  test("refuses a folder that cannot be made, because a file is in the way", async () => {
    await Bun.write(join(folder, "file"), "");
    const run = await install(join(folder, "file/bin"), "release");
    expect(run).toMatchObject({ status: 1, stdout: "" });
    expect(run.stderr).toEndWith(`install: ${folder}/file/bin cannot be made: nothing was installed\n`);
    expect(readdirSync(temporary)).toEqual([]);
  });

  const asNobody = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--clear-groups"] : [];
  const unprivileged = process.getuid?.() !== 0 || Bun.which("setpriv") !== null;
  if (!unprivileged) console.log("skipped: a read-only folder, since root writes everywhere without setpriv");
  test.skipIf(!unprivileged)("refuses a folder that is read-only, and leaves what is in it", async () => {
    const dir = join(folder, "read-only");
    mkdirSync(dir);
    await Bun.write(join(dir, "satyrn-engine"), "old");
    for (const path of [folder, temporary]) chmodSync(path, 0o777);
    chmodSync(dir, 0o555);
    const run = await install(dir, "release", [], { shell: [...asNobody, "sh"] });
    expect(run).toMatchObject({ status: 1, stdout: "" });
    expect(run.stderr).toEndWith(`install: ${dir} cannot be written: nothing was installed\n`);
    expect([readdirSync(dir), readFileSync(join(dir, "satyrn-engine"), "utf8")]).toEqual([
      ["satyrn-engine"],
      "old",
    ]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("leaves nothing when it is interrupted in the middle of the download", async () => {
    const dir = join(folder, "interrupted");
    requested.length = 0;
    const child = start(dir, "endless", ["--version", "1.2.3"], {});
    while (!requested.includes(`/endless/${archive}`)) await Bun.sleep(5);
    expect(readdirSync(temporary)).toHaveLength(1);
    process.kill(-child.pid, "SIGINT");
    expect(await child.exited).not.toBe(0);
    expect([existsSync(dir), readdirSync(temporary)]).toEqual([false, []]);
  });
});

/** What the script calls beside a fetcher. */
const tools = "uname mktemp rm awk tar gzip grep ldd sha256sum cp chmod mv mkdir cat".split(" ");

/** A folder with these programs alone, to be all of PATH. */
function pathOf(name: string, programs: Readonly<Record<string, string>>): string {
  const bin = join(folder, name);
  mkdirSync(bin);
  for (const [program, path] of Object.entries(programs)) symlinkSync(path, join(bin, program));
  return bin;
}

function found(names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, Bun.which(name) ?? `/absent/${name}`]));
}

/** All that BusyBox can do under its own names, as on Alpine; gzip and ldd it need not have. */
const busyBox = Bun.which("busybox");
const ofBusyBox = Object.fromEntries(
  [...tools, "wget"].filter((name) => name !== "ldd").map((name) => [name, busyBox ?? ""]),
);

const worlds: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>])[] = [
  ...["dash", "bash"].flatMap((shell) =>
    ["curl", "wget"].map((fetcher) => [`${shell}, ${fetcher}`, [shell], found([...tools, fetcher])] as const),
  ),
  ["BusyBox's sh, curl", ["busybox", "sh"], found([...tools, "curl"])],
  ["BusyBox's sh, wget and every other program", ["busybox", "sh"], ofBusyBox],
];

describe.skipIf(onWindows).each([...worlds])(
  "with %s, install.sh",
  (name, [program = "", ...words], programs) => {
    const absent = [program, ...Object.values(programs)].find((each) => Bun.which(each) === null);
    if (absent !== undefined) {
      console.log(`skipped: install.sh with ${name}: there is no ${absent || "busybox"}`);
      test.skip(`there is no ${absent || "busybox"}`, () => {});
      return;
    }
    const way: Way = {
      shell: [Bun.which(program) ?? program, ...words],
      env: { PATH: pathOf(name, programs) },
    };

    test("installs into a folder with a space and an umlaut", async () => {
      const dir = join(folder, `${name} bîn`);
      expect(await install(dir, "release", [], way)).toMatchObject({ status: 0, stderr: "" });
      expectInstalled(dir);
    });

    test.each([
      ["an archive that was tampered with", "tampered", undefined, "nothing was installed"],
      ["a release that is not there", "release/more", undefined, "could not be fetched"],
      [
        "a download that is cut off",
        "",
        () => `http://127.0.0.1:${cut.port}/`,
        "SHA256SUMS could not be fetched",
      ],
    ])("refuses %s, and leaves nothing behind", async (_, release, base, problem) => {
      const dir = join(folder, "refused");
      const run = await install(dir, release, [], {
        ...way,
        ...(base === undefined ? {} : { base: base() }),
      });
      expect([run.status, run.stdout, run.stderr]).toEqual([1, "", expect.stringContaining(problem)]);
      expect([existsSync(dir), readdirSync(temporary)]).toEqual([false, []]);
    });
  },
);

describe.skipIf(onWindows)("install.sh without", () => {
  test.each([
    ["a program to fetch with", tools, "neither curl nor wget is there to fetch with"],
    [
      "one to verify with",
      [...tools.filter((name) => name !== "sha256sum"), "curl"],
      "neither sha256sum nor shasum",
    ],
  ])("%s refuses", async (_, names, problem) => {
    const way: Way = { shell: [Bun.which("sh") ?? "sh"], env: { PATH: pathOf(problem, found(names)) } };
    const run = await install(join(folder, "refused"), "release", [], way);
    expect([run.status, run.stdout, run.stderr]).toEqual([1, "", expect.stringContaining(problem)]);
    expect([existsSync(join(folder, "refused")), readdirSync(temporary)]).toEqual([false, []]);
  });
});
