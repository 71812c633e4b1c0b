/** Runs tests in a process of their own, and counts what its report tells. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** One line of a table. */
export interface Part extends Counts {
  readonly what: string;
  readonly seconds: number;
}

export interface Run {
  readonly what: string;
  /** What comes before `test` and its options: the runtime, and whatever starts it. */
  readonly runtime: readonly string[];
  /** The folder to run in, below the project's root, whose `bunfig.toml` counts; the root itself unless it says so. */
  readonly within?: string;
  /** Files and folders below that one. */
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
      cwd: join(root, run.within ?? ""),
      env: { ...process.env, ...run.environment },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  // Namespaces end with the program that made them, and the runner's workers with the runner.
  const end = () => child.kill("SIGKILL");
  process.on("exit", end);
  await Promise.all([child.stdout, child.stderr].map((stream) => show(stream, run.noise)));
  const status = await child.exited;
  process.off("exit", end);
  const counts = countsOf(report, status);
  return { what: run.what, ...counts, seconds: (performance.now() - began) / 1000 };
}

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

/** The counts of the JUnit report at `path`. A run that died without one, or ran no test, counts as one failure. */
function countsOf(path: string, status: number): Counts {
  const head = existsSync(path) ? /<testsuites [^>]*>/.exec(readFileSync(path, "utf8"))?.[0] : undefined;
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head ?? "")?.[1] ?? 0);
  const [tests, failures, skipped] = [count("tests"), count("failures") + count("errors"), count("skipped")];
  const broken = failures === 0 && (status !== 0 || tests === 0);
  return { passed: tests - failures - skipped, failed: broken ? 1 : failures, skipped };
}
