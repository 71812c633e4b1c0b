/** Runs cases of one target until time or number is up. */
import { randomFrom } from "../support/random.ts";
import type { Target } from "./target.ts";

export interface Limits {
  readonly seed: number;
  readonly milliseconds: number;
  readonly cases: number;
}

export interface Failure {
  /** The seed of this case alone: with it, and one case, it comes again. */
  readonly seed: number;
  readonly input: unknown;
  readonly reason: string;
}

export interface FuzzRun {
  readonly cases: number;
  readonly failures: readonly Failure[];
  /** Of one case, in milliseconds. */
  readonly slowest: number;
}

/** No case may take longer, in milliseconds. */
const longestCase = 60_000;
/** Nor may the process grow beyond this, in bytes. */
const mostMemory = 2 * 1024 ** 3;
const mostFailures = 20;

export async function fuzz(target: Target, { seed, milliseconds, cases }: Limits): Promise<FuzzRun> {
  const failures: Failure[] = [];
  const end = performance.now() + milliseconds;
  let slowest = 0;
  let done = 0;
  for (; done < cases && performance.now() < end && failures.length < mostFailures; done++) {
    const own = seed + done;
    const { input, check } = target.make(randomFrom(own));
    const started = performance.now();
    let reason: string | undefined;
    try {
      await check();
    } catch (error) {
      reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    const took = performance.now() - started;
    slowest = Math.max(slowest, took);
    if (took > longestCase) reason ??= `took ${Math.round(took)} ms`;
    if (done % 64 === 0 && process.memoryUsage.rss() > mostMemory) reason ??= "memory grew beyond 2 GiB";
    if (reason !== undefined) failures.push({ seed: own, input, reason });
  }
  return { cases: done, failures, slowest };
}
