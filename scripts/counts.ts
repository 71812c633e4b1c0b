/** What a run of the test runner tells in its report. */
import { existsSync, readFileSync } from "node:fs";

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The counts of the JUnit report at `path`. A run that died without one, or ran no test, counts as one failure. */
export function countsOf(path: string, status: number): Counts {
  const head = existsSync(path) ? /<testsuites [^>]*>/.exec(readFileSync(path, "utf8"))?.[0] : undefined;
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head ?? "")?.[1] ?? 0);
  const [tests, failures, skipped] = [count("tests"), count("failures") + count("errors"), count("skipped")];
  const broken = failures === 0 && (status !== 0 || tests === 0);
  return { passed: tests - failures - skipped, failed: broken ? 1 : failures, skipped };
}
