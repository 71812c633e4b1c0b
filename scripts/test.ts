/**
 * Runs the test tiers, all or those named: `bun run test [unit|integration|binary|pi ...]`.
 *
 * The last line is `N passed, N failed`, from the runner's own reports. A tier that dies without a report, or
 * that runs no test at all, counts as one failure.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile, executable } from "../build.ts";
import { type Counts, countsOf } from "./counts.ts";

const root = join(import.meta.dir, "..");
const tiers = ["unit", "integration", "binary", "faults", "pi", "windows"].filter(
  (tier) => existsSync(join(root, "test", tier)) && (tier !== "windows" || process.platform === "win32"),
);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((tier) => !tiers.includes(tier));
if (unknown.length > 0) {
  console.error(`test: no tier is called ${unknown.join(", ")}; there are ${tiers.join(", ")}`);
  process.exit(2);
}

const reports = mkdtempSync(join(tmpdir(), "satyrn-reports-"));
let passed = 0;
let failed = 0;
let skipped = 0;
let built = false;
try {
  for (const tier of tiers.filter((name) => wanted.length === 0 || wanted.includes(name))) {
    if (tier !== "unit") await buildOnce();
    const started = performance.now();
    const counts = await runTier(tier);
    passed += counts.passed;
    failed += counts.failed;
    skipped += counts.skipped;
    console.log(
      `${tier}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped, ` +
        `${((performance.now() - started) / 1000).toFixed(1)} s\n`,
    );
  }
} finally {
  rmSync(reports, { recursive: true });
}
if (skipped > 0) console.log(`${skipped} skipped, each with its reason above`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function runTier(tier: string): Promise<Counts> {
  const report = join(reports, `${tier}.xml`);
  const options = tier === "unit" ? [] : ["--config=test/bunfig.toml", "--timeout=120000"];
  const argv = [process.execPath, "test", ...options, "--reporter=junit", `--reporter-outfile=${report}`];
  const runner = Bun.spawn([...argv, `./test/${tier}`], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, SATYRN_TEST_EXECUTABLE: executable },
  });
  return countsOf(report, await runner.exited);
}

async function buildOnce(): Promise<void> {
  if (built) return;
  built = true;
  await compile("src/main.ts", executable);
}
