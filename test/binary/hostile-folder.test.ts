/**
 * The executable, started where everything around it is hostile: the working directory, the environment, `PATH`.
 *
 * Each attack is first shown to bite Bun itself, or a program that Bun compiles with its defaults; without that,
 * a test would also pass because the attack is no attack.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, parse } from "node:path";
import { executable } from "../support/engine.ts";
import { needing } from "../support/means.ts";
import {
  folderWithoutSpace,
  git,
  gitEnvironment,
  makeRepository,
  writeFiles,
} from "../support/repository.ts";
import { stockProgram } from "../support/stock-programs.ts";

// Bun splits BUN_OPTIONS at spaces, so the name has none.
const { path: folder, dispose } = folderWithoutSpace("satyrn-hostile-");
const repo = join(folder, "repo");
/** Written by whatever code of the attacker runs. */
const marker = join(folder, "marker");
const written = join(folder, "written");
const windows = process.platform === "win32";
const underWine = process.env["SATYRN_TEST_MEANS"] === "wine";
const suffix = windows ? ".exe" : "";
/** A program compiled with Bun's defaults. */
const stock = join(folder, `stock${suffix}`);
const contract = join(folder, "contract.yaml");

const evil = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "ran")\n`;
/** A program called git that leaves the marker; made once, since on Windows it must be an executable. */
const evilGit = join(folder, `evil-git${suffix}`);
/** A command that writes its environment, and is nobody's but the system's. */
const printEnvironment = windows
  ? ["cmd.exe", "/d", "/c", "set>environment.txt"]
  : ["/bin/sh", "-c", "env > environment.txt"];

function plantGit(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (windows) linkSync(evilGit, path);
  else {
    copyFileSync(evilGit, path);
    chmodSync(path, 0o755);
  }
}

beforeAll(async () => {
  makeRepository(repo, {
    ".env": "SATYRN_PLANTED=yes\n",
    "bunfig.toml": 'preload = ["./evil.cjs"]\n',
    "evil.cjs": evil,
    "program.ts": 'import("yaml"); import("#planted").catch(() => {});\n',
    "tsconfig.json":
      '{"compilerOptions":{"baseUrl":".","paths":{"yaml":["./evil.cjs"],"arktype":["./evil.cjs"]}}}\n',
    "package.json": '{"name":"evil","imports":{"#planted":"./evil.cjs"}}\n',
    "node_modules/yaml/index.js": evil,
    "node_modules/arktype/index.js": evil,
    "node_modules/citty/index.js": evil,
  });
  await makeEvilGit();
  for (const planted of ["git", "bin/git"]) plantGit(join(repo, planted + suffix));
  // On Windows it has the size of the runtime: there it lies about uncommitted, and ignored.
  if (windows) writeFiles(repo, { ".gitignore": "*.exe\n" });
  git(repo, "add", "-A");
  git(repo, "commit", "-qm", "planted");
  writeFileSync(contract, "id: fix-1\ntask: write a file\n");
  await stockProgram("stock", stock);
});

async function makeEvilGit(): Promise<void> {
  if (windows) await stockProgram("evil-git", evilGit);
  else writeFileSync(evilGit, `#!/bin/sh\n: > '${marker}'\nexit 0\n`);
}

afterEach(() => {
  for (const path of [marker, written]) rmSync(path, { recursive: true, force: true });
  for (const name of readdirSync(repo)) if (/\.cpuprofile$/.test(name)) rmSync(join(repo, name));
});
afterAll(dispose);

interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  argv: readonly string[],
  { env = {}, cwd = repo, stdin = "" }: { env?: Record<string, string>; cwd?: string; stdin?: string } = {},
): Promise<Run> {
  const child = Bun.spawn([...argv], {
    cwd,
    env: environmentWith({ TMPDIR: folder, TEMP: folder, TMP: folder, ...env }),
    stdin: Buffer.from(stdin),
    stdout: "pipe",
    stderr: "pipe",
    timeout: 120_000,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { status: await child.exited, stdout, stderr };
}

/** On Windows the case of a variable's name does not count, and PATH may be spelled Path. */
function environmentWith(changes: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Set(Object.keys(changes));
  const kept = Object.entries(gitEnvironment()).filter(
    ([name]) => !names.has(windows ? name.toUpperCase() : name),
  );
  return { ...Object.fromEntries(kept), ...changes };
}

const request = `${JSON.stringify({ version: 1, operation: "check", repo: ".", contract })}\n`;
const accepted = '{"version":1,"ok":true,"code":"OK","message":""}\n';

/** Runs every operation that starts no Pi, and checks that each says what it says anywhere else. */
async function expectUnimpressed(env: Record<string, string> = {}): Promise<void> {
  expect(await run([executable, "check", "--repo", ".", contract], { env })).toEqual({
    status: 0,
    stdout: "",
    stderr: "",
  });
  expect(await run([executable, "protocol"], { env, stdin: request })).toEqual({
    status: 0,
    stdout: accepted,
    stderr: "",
  });
  const help = await run([executable, "--help"], { env });
  expect(help).toMatchObject({ status: 0, stderr: "" });
  expect(help.stdout).toStartWith("Turn a bounded contract");
  const words = ["deliver", "--repo", ".", contract, "--", ...printEnvironment];
  const delivery = await run([executable, ...words], { env });
  expect(delivery).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(delivery.stdout)).toMatchObject({ code: "OK", changed_paths: ["environment.txt"] });
  const seen = git(repo, "show", "refs/satyrn/candidates/fix-1/head:environment.txt");
  expect(seen).not.toContain("SATYRN_PLANTED");
  git(repo, "update-ref", "-d", "refs/satyrn/candidates/fix-1/head");
  expect({ ran: existsSync(marker), wrote: existsSync(written) }).toEqual({ ran: false, wrote: false });
}

describe("a file in the working directory", () => {
  const biting = needing("a runtime that reads its folder");
  biting(".env changes a stock program's environment", async () => {
    expect((await run([stock])).stdout).toBe(`yes ${repo}\n`);
  });

  biting("bunfig.toml runs code in a stock program", async () => {
    await run([stock]);
    expect(existsSync(marker)).toBe(true);
  });

  biting.each([
    ["tsconfig.json", ["node_modules", "package.json", "bunfig.toml"]],
    ["package.json", ["node_modules", "tsconfig.json", "bunfig.toml"]],
    ["node_modules", ["package.json", "tsconfig.json", "bunfig.toml"]],
  ])("%s runs code in Bun", async (_, others) => {
    const alone = join(folder, "alone");
    cpSync(repo, alone, { recursive: true, filter: (path) => !path.endsWith(".exe") });
    for (const name of others) rmSync(join(alone, name), { recursive: true });
    try {
      await run([process.execPath, "program.ts"], { cwd: alone });
      expect(existsSync(marker)).toBe(true);
    } finally {
      rmSync(alone, { recursive: true });
    }
  });

  test("does nothing to the engine", () => expectUnimpressed());
});

describe("a variable", () => {
  const evilFile = join(repo, "evil.cjs");
  const bunfig = join(folder, "bunfig.toml");
  writeFileSync(bunfig, `preload = [${JSON.stringify(evilFile)}]\n`);

  /** Runs the stock program in a folder that holds nothing of an attacker's. */
  const bitten = (name: string, value: string, words: readonly string[] = []) => {
    const empty = join(folder, "empty");
    mkdirSync(empty, { recursive: true });
    return run([stock, ...words], { env: { [name]: value }, cwd: empty });
  };

  test.each([
    ["BUN_BE_BUN", "1", [evilFile]],
    ["BUN_OPTIONS --preload", `--preload=${evilFile}`, []],
    ["BUN_OPTIONS --require", `--require=${evilFile}`, []],
    ["BUN_OPTIONS --import", `--import=${evilFile}`, []],
    ["BUN_OPTIONS --config", `--config=${bunfig}`, []],
  ] as const)("%s runs code in a stock program, and none in the engine", async (label, value, words) => {
    const [name = ""] = label.split(" ");
    await bitten(name, value, words);
    expect(existsSync(marker)).toBe(true);
    rmSync(marker);
    await expectUnimpressed({ [name]: value });
  });

  test("BUN_BE_BUN does not make the engine Bun", async () => {
    const refused = await run([executable, "-e", "1"], { env: { BUN_BE_BUN: "1" } });
    expect(refused).toMatchObject({ status: 2, stdout: "" });
    expect(refused.stderr).toStartWith("satyrn-engine: USAGE: unknown flag -e\n");
  });

  // glibc's getenv(3) finds `a=b` in `a=b=1`, so that an equals sign in the place of a name protects nothing.
  test.each([
    ["UN_BE_BUN", "1"],
    ["\x01\x01", "_BE_BUN=1"],
  ])("%j does not stand in the place of BUN_BE_BUN", async (name, value) => {
    const refused = await run([executable, "-e", "1"], { env: { [name]: value } });
    expect(refused).toMatchObject({ status: 2, stdout: "" });
  });

  test.each(["LOG_STREAM", "LOG_TOKENS"])(
    "%s makes the YAML parser print, and not the engine's",
    async (name) => {
      const script = "require('yaml').parse('a: 1')";
      const parser = await run([process.execPath, "-e", script], {
        env: { [name]: "1" },
        cwd: import.meta.dir,
      });
      expect(parser.stdout).not.toBe("");
      await expectUnimpressed({ [name]: "1" });
    },
  );

  const writes = ["BUN_BYTECODE_ORDER_OUT", "BUN_BYTECODE_DIGEST_OUT"];
  test.each(writes)("%s overwrites a file in a stock program, and none in the engine", async (name) => {
    writeFileSync(written, "precious");
    await bitten(name, written);
    // Under Wine the stock program was not seen to do it.
    if (!underWine) expect(readFileSync(written, "utf8")).not.toBe("precious");
    rmSync(written);
    await expectUnimpressed({ [name]: written });
  });

  test("BUN_OPTIONS=--cpu-prof writes a file in a stock program, and none in the engine", async () => {
    const profiles = () => readdirSync(join(folder, "empty")).length;
    await bitten("BUN_OPTIONS", "--cpu-prof");
    expect(profiles()).toBe(1);
    rmSync(join(folder, "empty"), { recursive: true });
    await expectUnimpressed({ BUN_OPTIONS: "--cpu-prof" });
    expect(readdirSync(repo).filter((name) => name.endsWith(".cpuprofile"))).toEqual([]);
  });

  test("BUN_OPTIONS=--cwd moves a stock program, and not the engine", async () => {
    expect((await bitten("BUN_OPTIONS", "--cwd=/")).stdout).toBe(`nothing planted ${parse(folder).root}\n`);
    await expectUnimpressed({ BUN_OPTIONS: "--cwd=/" });
  });

  test("BUN_INSPECT makes a stock program wait for a debugger, and not the engine", async () => {
    const began = performance.now();
    const waiting = Bun.spawn([stock], {
      env: environmentWith({ BUN_INSPECT: "127.0.0.1:0/x?wait=1" }),
      stdio: ["ignore", "ignore", "ignore"],
      timeout: 1000,
    });
    await waiting.exited;
    // There is no signal on Windows that it could have ended by.
    if (windows) expect(performance.now() - began).toBeGreaterThan(900);
    else expect(waiting.signalCode).toBe("SIGTERM");
    await expectUnimpressed({ BUN_INSPECT: "127.0.0.1:0/x?wait=1" });
    await expectUnimpressed({ BUN_INSPECT_CONNECT_TO: "127.0.0.1:9", BUN_INSPECT_PRELOAD: evilFile });
  });

  test.each([
    ["JavaScriptCoreUseJIT", "0", "new (require('bun:ffi').JSCallback)(() => {}, {})", "requires the JIT"],
    ["WTF_numberOfProcessorCores", "many", "0", "failed to parse"],
  ])("%s reaches Bun's JavaScriptCore, and not the engine's", async (name, value, script, words) => {
    const cwd = import.meta.dir;
    const bun = await run([process.execPath, "-e", script], { env: { [name]: value }, cwd });
    expect(bun.stdout + bun.stderr).toContain(words);
    await expectUnimpressed({ [name]: value });
  });

  // Nothing was seen to be bitten by these; they are here so that another Bun is noticed.
  test.each([
    ["NODE_OPTIONS", `--require=${evilFile}`],
    ["NODE_PATH", join(repo, "node_modules")],
    ["BUN_CONFIG", bunfig],
    ["XDG_CONFIG_HOME", folder],
    ["BUN_INSTALL", folder],
    ["BUN_TMPDIR", "/nonexistent"],
    ["BUN_RUNTIME_TRANSPILER_CACHE_PATH", written],
    ["BUN_DISABLE_TRANSPILER", "1"],
    ["BUN_TRACE", written],
    ["BUN_FEATURE_FLAG_NO_ORPHANS", "1"],
    ["BUN_GARBAGE_COLLECTOR_LEVEL", "2"],
  ])("%s does nothing to the engine", (name, value) => expectUnimpressed({ [name]: value }));

  test("JSC_SIGNAL_FOR_GC still reaches JavaScriptCore on POSIX, as docs/security.md says", async () => {
    const taken = await run([executable, "--version"], { env: { JSC_SIGNAL_FOR_GC: "9" } });
    expect(taken.status).toBe(windows ? 0 : 134);
    expect(readFileSync(join(import.meta.dir, "../../docs/security.md"), "utf8")).toContain(
      "`JSC_SIGNAL_FOR_GC`",
    );
  });

  const readable = needing("a file that is the engine");
  readable("BUN_JSC_functionOverrides runs code in Bun, and none in the engine", async () => {
    const env = { BUN_JSC_functionOverrides: join(folder, "overrides") };
    const plant = (body: string) =>
      writeFileSync(env.BUN_JSC_functionOverrides, `override %%%${body}%%%\nwith %%%{return "planted"}%%%\n`);
    // As Bun prints it.
    plant("{\n  return 1;\n}");
    const script = "function f(){return 1} console.log(f())";
    const bun = await run([process.execPath, "-e", script], { env, cwd: import.meta.dir });
    expect(bun.stdout).toBe("planted\n");
    // The function that makes the line of --version.
    plant(/\{return`satyrn-engine [^`]*`\}/.exec(readFileSync(executable).toString("latin1"))?.[0] ?? "");
    const refused = await run([executable, "--version"], { env });
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain("EvalError");
  });

  test("BUN_JSC_* still reaches JavaScriptCore, as docs/security.md says", async () => {
    const noisy = await run([executable, "--version"], { env: { BUN_JSC_dumpOptions: "1" } });
    expect(noisy.stderr).toContain("dumpOptions=1");
    const unknown = await run([executable, "--version"], { env: { BUN_JSC_unknown: "1" } });
    expect(unknown.status).toBe(1);
    expect(readFileSync(join(import.meta.dir, "../../docs/security.md"), "utf8")).toContain("`BUN_JSC_*`");
  });
});

/** A link to where a git is planted; undefined where none can be made. */
function makeLink(): string | undefined {
  const path = join(folder, "link");
  try {
    symlinkSync(join(repo, "bin"), path, "junction");
    if (lstatSync(path).isSymbolicLink()) return path;
  } catch {}
  console.log("skipped: a folder that leads into the repository: no link can be made here");
  return undefined;
}

describe("a program called git", () => {
  const link = makeLink();
  const places = {
    "the working directory": ".",
    "a relative element of PATH": "bin",
    "an empty element of PATH": "",
    "a folder inside the repository": join(repo, "bin"),
    ...(link === undefined ? {} : { "a folder that leads into the repository": link }),
  };

  test.each(Object.entries(places))("in %s is not what the engine runs", async (_, place) => {
    const env = { PATH: `${place}${delimiter}${process.env["PATH"]}` };
    if (place !== "") {
      await run([stock, "git"], { env });
      expect(existsSync(marker)).toBe(true);
      rmSync(marker);
    }
    await expectUnimpressed(env);
  });

  test("in a folder outside of the repository is what the engine runs", async () => {
    plantGit(join(folder, "outside", `git${suffix}`));
    const env = { PATH: `${join(folder, "outside")}${delimiter}${process.env["PATH"]}` };
    const words = ["deliver", "--repo", ".", contract, "--", ...printEnvironment];
    expect((await run([executable, ...words], { env })).status).toBe(8);
    expect(existsSync(marker)).toBe(true);
  });
});
