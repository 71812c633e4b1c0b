/** What the proof for one system is: what it takes, and what it runs. */
import { join } from "node:path";
import { type Counts, countsOf } from "../counts.ts";

export interface Proof {
  readonly system: string;
  /** How the executables are started here, in a few words. */
  readonly means: string;
  /** The Debian packages that this takes. */
  readonly packages: readonly string[];
  /** Gets what no package brings. Called on demand alone. */
  readonly prepare?: () => Promise<void>;
  /** Why it cannot run here, with what would help; undefined if it can. */
  readonly obstacle: () => string | undefined;
  /** Runs it, with `folder` to work in; `short` is less of it, for every run of everything. */
  readonly prove: (folder: string, short: boolean) => Promise<readonly Part[]>;
  /** What it cannot show, each with what was looked at instead. */
  readonly unproven: readonly string[];
}

/** One line of the table. */
export interface Part extends Counts {
  readonly what: string;
  readonly seconds: number;
}

export const root = join(import.meta.dir, "../..");

export interface Run {
  readonly what: string;
  /** What comes before `test` and its options: the runtime, and whatever starts it. */
  readonly runtime: readonly string[];
  /** Files and folders below the project's root. */
  readonly tests: readonly string[];
  readonly options?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The name of a file of this system as the runtime writes it. */
  readonly nameOf?: (path: string) => string;
  /** Lines of the runtime's that say nothing about a test. */
  readonly noise?: RegExp;
}

/** Runs tests in a process of their own, shows what they print, and counts. `folder` takes the report. */
export async function runTests(folder: string, run: Run): Promise<Part> {
  const report = join(folder, `${crypto.randomUUID()}.xml`);
  const nameOf = run.nameOf ?? ((path) => path);
  const reporting = ["--reporter=junit", `--reporter-outfile=${nameOf(report)}`];
  const began = performance.now();
  console.log(`\n== ${run.what}`);
  const child = Bun.spawn(
    [...run.runtime, "test", ...(run.options ?? []), ...reporting, ...run.tests.map((each) => `./${each}`)],
    {
      cwd: root,
      env: { ...process.env, ...run.environment },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  // Told to stop, it takes along what it runs: the namespaces end with the program that made them.
  const stop = () => child.kill("SIGKILL");
  for (const signal of stopping) process.on(signal, stop);
  await Promise.all([child.stdout, child.stderr].map((stream) => show(stream, run.noise)));
  const status = await child.exited;
  for (const signal of stopping) process.off(signal, stop);
  const counts = countsOf(report, status);
  return { what: run.what, ...counts, seconds: (performance.now() - began) / 1000 };
}

const stopping = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

async function show(stream: ReadableStream<Uint8Array>, noise: RegExp | undefined): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (!noise?.test(line)) console.log(line);
  }
  if (rest !== "") console.log(rest);
}

/** The options of the tiers that start processes. */
export const withProcesses = ["--config=test/bunfig.toml", "--timeout=300000"];

/** The tests that start the executable and nothing else that is built. */
export const blackBox = [
  "acceptance",
  "check",
  "deliver",
  "hostile-folder",
  "protocol",
  "replace",
  "test-operation",
  "texts",
  "usage",
  "verification",
].map((name) => `test/binary/${name}.test.ts`);

/** What Debian's libstdc++ and libgcc expect of glibc, and musl lacks. */
export const glibcForLibstdcxx = `typedef unsigned long size_t;
long getrandom(void *, size_t, unsigned);
size_t strftime_l(char *, size_t, const char *, const void *, void *);
unsigned long getauxval(unsigned long);
unsigned arc4random(void) { unsigned value = 0; getrandom(&value, sizeof value, 0); return value; }
size_t __strftime_l(char *s, size_t n, const char *f, const void *t, void *l) { return strftime_l(s, n, f, t, l); }
unsigned long __getauxval(unsigned long kind) { return getauxval(kind); }
int __cxa_thread_atexit_impl(void (*run)(void *), void *of, void *in) { return 0; }
char __libc_single_threaded = 0;
int _dl_find_object(void *address, void *found) { return -1; }
#ifdef __x86_64__
int __cpu_indicator_init(void) { return 0; }
unsigned __cpu_model[4];
#endif
`;
