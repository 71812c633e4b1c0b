/**
 * Feeds the engine's readers what nobody would write: `bun run fuzz [--seconds N] [--seed S] [--cases N] [TARGET ...]`.
 *
 * Ten seconds of each target unless it says otherwise. A failing case is printed with its seed, and comes again by
 * `--seed S --cases 1`. Exits 1 if any failed.
 */
import { fuzz } from "../test/fuzz/run.ts";
import { targets, unavailable } from "../test/fuzz/targets.ts";

const options = { seconds: 10, seed: 1, cases: Number.POSITIVE_INFINITY };
const names: string[] = [];
const words = process.argv.slice(2);
while (words.length > 0) {
  const word = words.shift() ?? "";
  const option = word.replace(/^--/, "");
  if (word.startsWith("--") && Object.hasOwn(options, option)) {
    options[option as keyof typeof options] = number(option, words.shift());
  } else if (Object.hasOwn(targets, word)) names.push(word);
  else usage(`${word} is no target and no option; targets are ${Object.keys(targets).join(", ")}`);
}

let failed = 0;
for (const [name, open] of Object.entries(targets)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const reason = unavailable(name);
  if (reason !== undefined) {
    console.log(`${name}: skipped, because ${reason}`);
    continue;
  }
  const target = open();
  const started = process.cpuUsage();
  const { seed, seconds, cases } = options;
  const run = await fuzz(target, { seed, milliseconds: seconds * 1000, cases });
  target.close?.();
  const spent = process.cpuUsage(started);
  for (const failure of run.failures) {
    const input =
      failure.input instanceof Uint8Array ? Buffer.from(failure.input).toString("base64") : failure.input;
    console.log(
      `${name}: seed ${failure.seed}: ${failure.reason}\n  input ${JSON.stringify(input).slice(0, 1000)}`,
    );
  }
  failed += run.failures.length;
  const cpu = ((spent.user + spent.system) / 1e6).toFixed(0);
  const counts = `${run.cases} cases, ${run.failures.length} failed, slowest ${run.slowest.toFixed(0)} ms`;
  console.log(`${name}: ${counts}, ${cpu} s of processor time, from seed ${seed}`);
}
process.exit(failed === 0 ? 0 : 1);

function number(option: string, word: string | undefined): number {
  const value = Number(word);
  return word !== undefined && value >= 0 ? value : usage(`--${option} needs a number, not ${word}`);
}

function usage(problem: string): never {
  console.error(`fuzz: ${problem}`);
  process.exit(2);
}
