import { afterAll, describe, expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { libc } from "../../../src/process/libc.ts";
import { keepLast, type Sink } from "../../../src/process/sinks.ts";
import type { Drive, DriveResult } from "../../support/drive-tree.ts";
import { temporaryFolder } from "../../support/repository.ts";
import { driverArgv, runProgram, runShell } from "../../support/tree.ts";

const folder = temporaryFolder();
afterAll(() => folder.dispose());

describe("output of the program", () => {
  test("keeps the order of both streams in one pipe", async () => {
    const run = await runShell("for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done");
    const expected = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `out ${i}\nerr ${i}\n`);
    expect(run.text).toBe(expected.join(""));
  });

  test("is told apart when each stream has its sink", async () => {
    const [out, err] = [keepLast(100), keepLast(100)];
    await runShell("echo out; echo err >&2", {
      output: { kind: "apart", stdout: out.sink, stderr: err.sink },
    });
    expect([out, err].map(({ kept }) => text(kept().bytes))).toEqual(["out\n", "err\n"]);
  });

  test("arrives as it comes", async () => {
    const times: number[] = [];
    const began = performance.now();
    const sink: Sink = () => void times.push(performance.now() - began);
    await runShell("echo one; sleep 0.4; echo two", { output: { kind: "joined", sink } });
    expect(times[0]).toBeLessThan(200);
    expect(times[1]).toBeWithin(400, 700);
  });

  test("arrives whole, byte for byte, and slows down for a slow sink", async () => {
    const hash = new Bun.CryptoHasher("sha256");
    const sink: Sink = async (chunk) => {
      hash.update(chunk);
      await Bun.sleep(5);
    };
    const bytes = crypto.getRandomValues(new Uint8Array(65536));
    const path = join(folder.path, "random");
    writeFileSync(path, Buffer.concat(Array.from({ length: 40 }, () => bytes)));
    await runProgram(["cat", path], { output: { kind: "joined", sink } });
    expect(hash.digest("hex")).toBe(sha256(readFileSync(path)));
  });

  test("may end before the program does", async () => {
    const path = join(folder.path, "went-on");
    const run = await runShell(`echo last; exec >&- 2>&-; sleep 0.2; echo yes > "${path}"; exit 4`);
    expect(run).toMatchObject({ ending: { kind: "exit", status: 4 }, text: "last\n" });
    expect(await Bun.file(path).text()).toBe("yes\n");
  });

  test("whose sink throws is a bug that is heard of once the tree is down", async () => {
    const mark = join(folder.path, "to the end");
    const sink: Sink = () => {
      throw new Error("a bug");
    };
    const line = `head -c 300000 /dev/zero; sleep 60 & echo > "${mark}"`;
    await expect(runShell(line, { output: { kind: "joined", sink } })).rejects.toThrow("a bug");
    expect(await Bun.file(mark).exists()).toBe(true);
  });

  test("ends with the program although a process outside the tree holds the pipe", async () => {
    const { run, outsider } = await runHeld("sleep 20");
    expect(run).toMatchObject({ ending: { kind: "exit", status: 0 }, gone: true, text: "said\n" });
    expect(run.milliseconds).toBeLessThan(2000);
    outsider.kill("SIGKILL");
  });

  test("ends with the program although a process outside the tree floods the pipe", async () => {
    const { run, outsider } = await runHeld("cat /dev/zero >&3");
    expect(run).toMatchObject({ ending: { kind: "exit", status: 0 }, gone: true });
    expect(run.milliseconds).toBeLessThan(5000);
    outsider.kill("SIGKILL");
  });
});

/** Runs a command whose output pipe somebody outside its tree opened, and who then does `deed`. */
async function runHeld(deed: string) {
  const [pid, held] = [join(folder.path, crypto.randomUUID()), join(folder.path, crypto.randomUUID())];
  const line = `echo $$ > "${pid}"; while [ ! -e "${held}" ]; do sleep 0.01; done; sleep 0.1; echo said`;
  const running = runShell(line);
  while ((await Bun.file(pid).exists()) === false) await Bun.sleep(5);
  await Bun.sleep(20);
  const target = `/proc/${(await Bun.file(pid).text()).trim()}/fd/1`;
  const outsider = Bun.spawn(["/bin/sh", "-c", `exec 3> ${target}; echo > "${held}"; exec ${deed}`]);
  return { run: await running, outsider };
}

describe("the last bytes", () => {
  test.each([
    ["printf 1234567", "1234567", false],
    ["printf 12345678", "12345678", false],
    ["printf 123456789", "23456789", true],
    ["printf 1234; sleep 0.05; printf 567890", "34567890", true],
    ["printf 1; sleep 0.05; printf 123456789", "23456789", true],
    ["true", "", false],
  ])("of %s are %s", async (line, last, truncated) => {
    const printed = keepLast(8);
    await runShell(line, { output: { kind: "joined", sink: printed.sink } });
    expect(text(printed.kept().bytes)).toBe(last);
    expect(printed.kept().truncated).toBe(truncated);
  });
});

describe("memory stays flat while a command prints a gigabyte", () => {
  const gigabyte = ["head", "-c", "1000000000", "/dev/zero"];

  test("to nowhere", async () => {
    const { result } = await drive({ argv: gigabyte }, "/dev/null");
    expectFlat(result);
  });

  test("to a reader of the engine's stderr, who gets all of it", async () => {
    const { result, received } = await drive({ argv: gigabyte, descriptor: 2 }, "pipe");
    expect(received).toBe(1_000_000_000);
    expectFlat(result);
  });

  test("to an engine's stderr that is a socket, whose reader gets all of it", async () => {
    const report = join(folder.path, crypto.randomUUID());
    const argv = driverArgv({ argv: gigabyte, descriptor: 2, report });
    const driver = Bun.spawn([...argv], { stderr: "pipe" });
    let received = 0;
    for await (const chunk of driver.stderr) received += chunk.length;
    expect(received).toBe(1_000_000_000);
    expectFlat((await Bun.file(report).json()) as DriveResult);
  });
});

function expectFlat({ ending, peak, peakBefore }: DriveResult): void {
  expect(ending).toEqual({ kind: "exit", status: 0 });
  expect(peak).toBeLessThanOrEqual(120);
  expect(peak - peakBefore).toBeLessThan(60);
}

describe("the engine's stderr", () => {
  test("may be closed", async () => {
    const { result } = await drive({ argv: shell("echo a; echo b >&2; exit 5"), descriptor: 2 }, "closed");
    expect(result.ending).toEqual({ kind: "exit", status: 5 });
  });

  test("may have lost its reader, and the command goes on undisturbed", async () => {
    const line = "for i in 1 2 3 4 5; do head -c 100000 /dev/zero; sleep 0.02; done; exit 6";
    const { result } = await drive({ argv: shell(line), descriptor: 2 }, "reader gone");
    expect(result.ending).toEqual({ kind: "exit", status: 6 });
    expect(result.milliseconds).toBeLessThan(5000);
  });

  test("may be full", async () => {
    const { result } = await drive(
      { argv: shell("head -c 200000 /dev/zero; exit 7"), descriptor: 2 },
      "/dev/full",
    );
    expect(result.ending).toEqual({ kind: "exit", status: 7 });
  });

  test("may be a file, to which output is added", async () => {
    const path = join(folder.path, "log");
    writeFileSync(path, "before\n");
    const descriptor = openSync(path, "a");
    const report = join(folder.path, crypto.randomUUID());
    const argv = driverArgv({ argv: shell("echo one; echo two >&2"), descriptor: 2, report });
    await Bun.spawn([...argv], { stderr: descriptor }).exited;
    closeSync(descriptor);
    expect(readFileSync(path, "utf8")).toBe("before\none\ntwo\n");
  });

  test("does not outlast the deadline when nobody reads it and the command prints without end", async () => {
    const { result } = await drive({ argv: ["yes"], descriptor: 2, deadline: 1000 }, "unread");
    expect(result).toMatchObject({ ending: { kind: "timeout" }, gone: true });
    expect(result.milliseconds).toBeWithin(1000, 2500);
  });

  test("does not outlast the deadline when nobody reads it and the command has long ended", async () => {
    const argv = shell("head -c 100000 /dev/zero; exit 8");
    const { result } = await drive({ argv, descriptor: 2, deadline: 1000 }, "unread");
    expect(result).toMatchObject({ ending: { kind: "exit", status: 8 }, gone: true });
    expect(result.milliseconds).toBeWithin(1000, 2500);
  });

  test("loses nothing when it is read slowly", async () => {
    const { result, received } = await drive(
      { argv: shell("head -c 3000000 /dev/zero"), descriptor: 2 },
      "slow",
    );
    expect(result.ending).toEqual({ kind: "exit", status: 0 });
    expect(received).toBe(3_000_000);
  });

  test("keeps the flags that the engine shares with its caller", async () => {
    const { flags } = await drive({ argv: shell("echo a; sleep 0.3"), descriptor: 2 }, "pipe");
    expect(flags.during).toBe(flags.before);
    expect(flags.after).toBe(flags.before);
  });
});

interface Driven {
  readonly result: DriveResult;
  /** How many bytes came through the driver's stderr. */
  readonly received: number;
  readonly flags: { readonly before: string; readonly during: string; readonly after: string };
}

/** Runs the driver with a stderr of this kind. */
async function drive(
  request: Partial<Drive> & Pick<Drive, "argv">,
  kind: "pipe" | "slow" | "unread" | "reader gone" | "closed" | "/dev/null" | "/dev/full",
): Promise<Driven> {
  const report = join(folder.path, crypto.randomUUID());
  const argv = driverArgv({ ...request, report });
  const ends = libc()?.pipe();
  if (ends === null || ends === undefined) throw new Error("no pipe");
  const [reading, writing] = ends;
  const device = kind.startsWith("/dev/") ? openSync(kind, "w") : null;
  if (kind === "reader gone") closeSync(reading);
  const before = flagsOf(writing);
  const driver =
    kind === "closed"
      ? Bun.spawn(["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", ...argv])
      : Bun.spawn([...argv], { stderr: device ?? writing });
  let over = false;
  const exited = driver.exited.then(() => {
    over = true;
  });
  const counter = kind === "pipe" ? Bun.spawn(["wc", "-c"], { stdin: reading }) : null;
  const slowly = kind === "slow" ? readSlowly(reading, () => over) : 0;
  await Bun.sleep(200);
  const during = flagsOf(writing);
  await exited;
  const after = flagsOf(writing);
  closeSync(writing);
  const received = counter === null ? await slowly : Number(await counter.stdout.text());
  if (kind !== "reader gone") closeSync(reading);
  if (device !== null) closeSync(device);
  const result = (await Bun.file(report).json()) as DriveResult;
  return { result, received, flags: { before, during, after } };
}

function flagsOf(descriptor: number): string {
  return /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1] ?? "";
}

/** Counts what comes until the writer is `over` and the pipe is empty. */
async function readSlowly(descriptor: number, over: () => boolean): Promise<number> {
  const own = openSync(`/proc/self/fd/${descriptor}`, 0o4000); // O_RDONLY | O_NONBLOCK
  const buffer = new Uint8Array(65536);
  let count = 0;
  for (;;) {
    const last = over();
    const read = readSome(own, buffer);
    count += read;
    if (read === 0 && last) break;
    await Bun.sleep(10);
  }
  closeSync(own);
  return count;
}

function readSome(descriptor: number, buffer: Uint8Array): number {
  try {
    return readSync(descriptor, buffer);
  } catch {
    return 0;
  }
}

function shell(line: string): readonly string[] {
  return ["/bin/sh", "-c", line];
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
