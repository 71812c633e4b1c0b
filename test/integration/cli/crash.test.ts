import { expect, test } from "bun:test";
import { join } from "node:path";

const crash = join(import.meta.dir, "../../../src/cli/crash.ts");

test.each([
  ["an error thrown while a child is pending", "setTimeout(() => { throw new Error('boom') }, 1);"],
  ["a rejection nobody handles", "Promise.reject(new Error('boom'));"],
  ["an error that is no Error", "Promise.reject('boom');"],
])("%s ends with status 1 and a report, whatever would come later", async (kind, code) => {
  const script = `
    const { exitOnCrash } = await import(${JSON.stringify(crash)});
    exitOnCrash();
    Bun.spawn(["sleep", "1"], { onExit: () => process.exit(0) });
    ${code}`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(await child.exited).toBe(1);
  expect(stderr).toMatch(/^satyrn-engine: internal error: (Error: )?boom/);
  // Where an error came from is all that a report of a bug has.
  expect(stderr.includes("\n    at ")).toBe(kind !== "an error that is no Error");
  expect(stdout).toBe("");
});

test("without a crash the status is the program's own", async () => {
  const script = `
    const { exitOnCrash } = await import(${JSON.stringify(crash)});
    exitOnCrash();
    process.exit(7);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "ignore", stderr: "ignore" });
  expect(await child.exited).toBe(7);
});
