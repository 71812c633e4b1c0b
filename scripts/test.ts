/**
 * Runs the test tiers, all or those named: `bun run test [unit|integration|binary|pi ...]`.
 *
 * The last line is `N passed, N failed`, from the runner's own reports. A tier that dies without a report, or
 * that runs no test at all, counts as one failure.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { compile, executable } from "../build.ts";
import { installPackages } from "../test/pi/packages.ts";
import { folderOfScript } from "./temporary.ts";
import { type Part, runTests } from "./tests.ts";

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

const folder = folderOfScript("tests");
/** Temporary files of all tests, which leave none. */
const temporary = join(folder, "tmp");
mkdirSync(temporary);
chmodSync(temporary, 0o1777);
// Tests of processes spend half their time waiting, and two files at once are what two cores take.
const workers = Math.min(4, Math.max(2, availableParallelism()));
let passed = 0;
let failed = 0;
let skipped = 0;
let built = false;
for (const tier of tiers.filter((name) => wanted.length === 0 || wanted.includes(name))) {
  const part = await runTier(tier);
  passed += part.passed;
  failed += part.failed;
  skipped += part.skipped;
  const counts = `${part.passed} passed, ${part.failed} failed, ${part.skipped} skipped`;
  const left = readdirSync(temporary);
  if (left.length > 0) {
    failed += 1;
    console.log(`(fail) ${tier} left behind: ${left.join(", ")}`);
  }
  console.log(`${tier}: ${counts}, ${part.seconds.toFixed(1)} s\n`);
}
if (skipped > 0) console.log(`${skipped} skipped, each with its reason above`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function runTier(tier: string): Promise<Part> {
  if (tier !== "unit") await buildOnce();
  if (tier === "pi") installPackages();
  // The workers read no other configuration than that of the folder they are started in.
  const place = tier === "unit" ? { tests: ["test/unit"] } : { within: "test", tests: [tier] };
  return runTests(folder, {
    what: tier,
    runtime: [process.execPath],
    ...place,
    options: [`--parallel=${workers}`, "--no-isolate", ...(tier === "unit" ? [] : ["--timeout=120000"])],
    environment: { SATYRN_TEST_EXECUTABLE: executable, TMPDIR: temporary },
  });
}

async function buildOnce(): Promise<void> {
  if (built) return;
  built = true;
  await compile("src/main.ts", executable);
}
