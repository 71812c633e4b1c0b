/** Real Pi processes: installed beside the tests, started in a place of their own, watched until nothing is left. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { executable } from "../support/engine.ts";
import { temporaryFolder } from "../support/repository.ts";
import { installPackages } from "./packages.ts";

const here = import.meta.dir;
export const root = join(here, "../..");
export const packageEntry = join(root, "src/pi/index.ts");

installPackages();

/** Node of the version that Pi needs, which may be newer than the machine's own. */
const shipped = join(here, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
const node = existsSync(shipped) ? shipped : (Bun.which("node") ?? "node");

const package16 = join(here, "node_modules/@earendil-works/pi-coding-agent/dist");

/** The newest Pi that is supported, and an old one, on Node; the newest on Bun. */
export const versions = {
  "1.6.0": [node, join(package16, "bundle/cli.js")],
  "1.3.0": [node, join(here, "node_modules/pi-oldest/dist/bundle/cli.js")],
  "1.6.0 on Bun": [process.execPath, join(package16, "bundle/cli.js")],
} as const satisfies Record<string, readonly string[]>;

export type Version = keyof typeof versions;

/** Compiles Pi 1.6.0 into an executable of its own in `folder`, as its authors do, and gives its path. */
export function compiledPi(folder: string): string {
  const entries = ["bun/cli.js", "utils/image-resize-worker.js", "extensions/codemode/worker.js"];
  const switches = ["autoload-bunfig", "autoload-dotenv"].map((name) => `--no-compile-${name}`);
  const outfile = join(folder, "pi");
  const sources = entries.map((name) => join(package16, name));
  const options = [
    "--compile",
    ...switches,
    "--compile-autoload-package-json",
    ...sources,
    "--outfile",
    outfile,
  ];
  const run = Bun.spawnSync([process.execPath, "build", ...options], { stdout: "pipe", stderr: "pipe" });
  if (run.exitCode !== 0) throw new Error(`Pi could not be compiled: ${run.stderr}`);
  cpSync(join(package16, "../package.json"), join(folder, "package.json"));
  cpSync(join(package16, "modes/interactive/theme"), join(folder, "theme"), { recursive: true });
  return outfile;
}

/** Options that leave nothing of the machine in a session but the extension that is named. */
export function bare(...extensions: readonly string[]): readonly string[] {
  const named = extensions.flatMap((path) => ["--extension", path]);
  return ["-ne", ...named, "-ns", "-np", "--no-themes", "-nc", "--no-mcp", "-na", "--no-session"];
}

export interface Place {
  /** Everything below is in here, temporary folders of all processes included. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Processes that were started from here and still run, and temporary things that an engine left. */
  leftovers(): readonly string[];
  dispose(): void;
}

/** A folder with a home, a Pi configuration whose only model answers at `url`, and an environment made for it. */
export function place(url = "http://127.0.0.1:9/v1", env: Readonly<Record<string, string>> = {}): Place {
  const { path: folder, dispose } = temporaryFolder("satyrn-pi-");
  const [agent, home, temporary] = ["agent", "home", "tmp"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [agent, home, temporary]) mkdirSync(path);
  for (const name of caches) symlinkSync(join(kept, name), join(temporary, name));
  const provider = {
    baseUrl: url,
    api: "openai-completions",
    apiKey: "unused",
    models: [{ id: "scripted" }],
  };
  writeFileSync(join(agent, "models.json"), JSON.stringify({ providers: { scripted: provider } }));
  writeFileSync(join(agent, "settings.json"), JSON.stringify({ retry: { enabled: false } }));
  return {
    folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      TMPDIR: temporary,
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      PI_CODING_AGENT_DIR: agent,
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      SATYRN_ENGINE: executable,
      SATYRN_TEST_PLACE: folder,
      ...env,
    },
    leftovers: () => [
      ...processesFrom(folder),
      ...readdirSync(temporary).filter((name) => !caches.includes(name)),
    ],
    dispose,
  };
}

/**
 * What Pi's loader and Node keep in the temporary folder: modules as they compiled them, by their content. One for all
 * places, since compiling them anew takes two thirds of the time of a session.
 */
const caches = ["jiti", "node-compile-cache"];
const kept = join(here, "node_modules/.cache");
for (const name of caches) mkdirSync(join(kept, name), { recursive: true });

function processesFrom(folder: string): readonly string[] {
  const marker = `SATYRN_TEST_PLACE=${folder}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readProc(pid, "environ").split("\0").includes(marker))
    .map((pid) => `process ${pid}: ${readProc(pid, "cmdline").replaceAll("\0", " ")}`);
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

export interface PiOptions {
  readonly cwd: string;
  readonly version?: Version;
  /** Another Pi than one of `versions`. */
  readonly argv?: readonly string[];
}

export interface PiRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts Pi with no input, and gives the process and its end. */
export function startPi(at: Place, args: readonly string[], { cwd, version = "1.6.0", argv }: PiOptions) {
  const child = Bun.spawn([...(argv ?? versions[version]), ...args], {
    cwd,
    env: at.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const ended = Promise.all([child.stdout.text(), child.stderr.text(), child.exited]).then(
    ([stdout, stderr]): PiRun => ({ status: child.exitCode, stdout, stderr }),
  );
  return { child, ended };
}

export function pi(at: Place, args: readonly string[], options: PiOptions): Promise<PiRun> {
  return startPi(at, args, options).ended;
}

export type Event = Readonly<Record<string, unknown>>;

/** The JSON Lines that Pi wrote. */
export function events(stdout: string): readonly Event[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Event);
}

/** The data of the entries of one type that an extension appended. */
export function entries(list: readonly Event[], type: string): readonly unknown[] {
  return list
    .filter((event) => event["type"] === "entry_appended")
    .map((event) => event["entry"] as { customType?: string; data?: unknown })
    .filter((entry) => entry.customType === type)
    .map((entry) => entry.data);
}

/** A Pi in RPC mode. */
export function rpc(at: Place, args: readonly string[], { cwd, version = "1.6.0" }: PiOptions) {
  const child = Bun.spawn([...versions[version], "--mode", "rpc", ...args], {
    cwd,
    env: at.env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const seen: Event[] = [];
  const stderr = child.stderr.text();
  const reading = (async () => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      seen.push(...events(lines.join("\n")));
    }
  })();
  return {
    child,
    seen,
    send(command: Event): void {
      child.stdin.write(`${JSON.stringify(command)}\n`);
      child.stdin.flush();
    },
    until: (found: (event: Event) => boolean) => until(() => seen.find(found)),
    async end(): Promise<PiRun> {
      child.stdin.end();
      await reading;
      await child.exited;
      return { status: child.exitCode, stdout: "", stderr: await stderr };
    },
  };
}

/** A Pi in a terminal. `screen` is everything it wrote, without the control sequences. */
export function terminal(at: Place, args: readonly string[], { cwd, version = "1.6.0" }: PiOptions) {
  let written = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn([...versions[version], "--tui-mode", "regular", ...args], {
    cwd,
    env: at.env,
    terminal: {
      cols: 120,
      rows: 40,
      data: (_terminal, bytes) => {
        written += decoder.decode(bytes, { stream: true });
      },
    },
  });
  // biome-ignore lint/complexity/useRegexLiterals: a literal would hold control characters
  const sequences = new RegExp(
    "\\u001b(\\[[0-9;?<>=]*[ -/]*[@-~]|[\\]_P][^\\u0007\\u001b]*(\\u0007|\\u001b\\\\)|[()][A-Z0-9]|[=>78])",
    "g",
  );
  const screen = () => written.replace(sequences, "");
  return {
    child,
    screen,
    press: (keys: string) => child.terminal?.write(keys),
    until: (text: string) =>
      until(
        () => (screen().includes(text) ? true : undefined),
        () => screen().slice(-4000),
      ),
  };
}

/** Waits until `look` finds something; fails after 30 s, with what `told` says. */
export async function until<Found>(
  look: () => Found | undefined,
  told: () => string = () => "",
): Promise<Found> {
  const end = Date.now() + 30_000;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`it did not come within 30 s ${told()}`);
    await Bun.sleep(20);
  }
}
