/** The time of day, set while the engine runs: nothing ends early, nothing waits longer. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Receipt } from "../../src/delivery/receipt-schema.ts";
import { expectNothingLeft, scene } from "../support/delivery.ts";
import { engine, executable } from "../support/engine.ts";
import { folderWithoutSpace, gitEnvironment } from "../support/repository.ts";

/** Stands between the program and the C library: the time of day is ahead by the seconds that a file holds. */
const shim = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static long ahead(void) {
  long seconds = 0;
  FILE *file = fopen(getenv("CLOCK_AHEAD"), "re");
  if (file) { if (fscanf(file, "%ld", &seconds) != 1) seconds = 0; fclose(file); }
  return seconds;
}
int clock_gettime(clockid_t clock, struct timespec *at) {
  int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
  int status = real(clock, at);
  if (status == 0 && clock == CLOCK_REALTIME) at->tv_sec += ahead();
  return status;
}
int gettimeofday(struct timeval *at, void *zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}
time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
`;

const at = scene();
// The loader takes a space in LD_PRELOAD for the end of a name.
const place = folderWithoutSpace("satyrn-clock-");
afterAll(() => {
  at.dispose();
  place.dispose();
});
const library = join(place.path, "clock.so");
const ahead = join(at.folder, "ahead");
const missing =
  process.platform !== "linux" ? "this is not Linux" : Bun.which("cc") ? undefined : "there is no cc";
if (missing !== undefined) console.log(`skipped: a clock that is set, because ${missing}`);

const env = {
  ...gitEnvironment(),
  TMPDIR: at.temporary,
  LD_PRELOAD: library,
  CLOCK_AHEAD: ahead,
  AHEAD: ahead,
};
const day = 86_400;

beforeAll(() => {
  if (missing !== undefined) return;
  writeFileSync(`${library}.c`, shim);
  const made = Bun.spawnSync(["cc", "-shared", "-fPIC", "-o", library, `${library}.c`, "-ldl"], {
    stderr: "pipe",
  });
  if (made.exitCode !== 0) throw new Error(made.stderr.toString());
});

/** Delivers by an executable whose clock is right at first; gives the receipt and how long it took. */
async function deliver(
  id: string,
  seconds: string,
  script: string,
): Promise<[Receipt, milliseconds: number]> {
  writeFileSync(ahead, "0");
  writeFileSync(at.contract, `id: ${id}\ntask: t\n`);
  const started = performance.now();
  const argv = ["deliver", "--repo", at.repo, "--timeout", seconds, at.contract, "--", "sh", "-c", script];
  const run = await engine(argv, { env });
  return [JSON.parse(run.stdout), performance.now() - started];
}

test.skipIf(missing !== undefined)("the clock that is set is the engine's", async () => {
  const [receipt] = await deliver("shown", "20", `echo ${400 * day} > "$AHEAD"; echo x > a.txt`);
  expect(receipt.code).toBe("OK");
  const times = Bun.spawnSync(["git", "log", "-1", "--format=%ct", receipt.candidate_commit ?? ""], {
    cwd: at.repo,
  });
  expect(Number(times.stdout) * 1000 - Date.now()).toBeGreaterThan(399 * day * 1000);
});

for (const [name, change] of [
  ["a day forward", day],
  ["a day back", -day],
  ["to 1970", -Math.floor(Date.now() / 1000)],
] as const) {
  test.skipIf(missing !== undefined)(`${name}: no command is ended for it`, async () => {
    const script = `echo ${change} > "$AHEAD"; sleep 0.5; echo 0 > "$AHEAD"; sleep 0.2; echo ${change} > "$AHEAD"; echo x > a.txt`;
    const [receipt] = await deliver(`calm-${change}`, "20", script);
    expect([receipt.code, receipt.changed_paths]).toEqual(["OK", ["a.txt"]]);
    expect(receipt.duration_ms).toBeGreaterThan(600);
    expect(receipt.duration_ms).toBeLessThan(60_000);
    expectNothingLeft(at);
  });

  test.skipIf(missing !== undefined)(`${name}: a command that does not end is ended in time`, async () => {
    const [receipt, took] = await deliver(`late-${change}`, "1", `echo ${change} > "$AHEAD"; sleep 300`);
    expect(receipt.code).toBe("COMMAND_TIMEOUT");
    expect(took).toBeGreaterThan(1000);
    expect(took).toBeLessThan(30_000);
    expectNothingLeft(at);
  });
}

test.skipIf(missing !== undefined)(
  "a recovery beside a delivery takes nothing, whatever the day",
  async () => {
    for (const change of [day, -day]) {
      const script = `echo ${change} > "$AHEAD"; "$ENGINE" recover --repo "$REPO" > "$FOUND"; echo x > a.txt`;
      const found = join(at.folder, `found${change}`);
      Object.assign(env, { ENGINE: executable, REPO: at.repo, FOUND: found });
      const [receipt] = await deliver(`beside-${change}`, "20", script);
      expect(receipt.code).toBe("OK");
      expect(readFileSync(found, "utf8")).toMatch(/^{"result":"in_use"[^\n]*\n$/);
    }
  },
);
