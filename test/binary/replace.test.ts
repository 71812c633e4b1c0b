/** What the request and response pairs cannot hold: files that are no texts, races, and death. */
import { afterEach, describe, expect, test } from "bun:test";
import { chmodSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bounded, bounded, namesIn, sha256Of } from "../support/bounded.ts";
import { engine, executable } from "../support/engine.ts";
import { needing } from "../support/means.ts";

let at: Bounded;
afterEach(() => at.dispose());

function request(path: string, old_text: string, new_text: string, expected_sha256?: string | null): string {
  return JSON.stringify({
    version: 1,
    operation: "replace",
    repo: at.repo,
    contract: at.contract,
    path,
    expected_sha256: expected_sha256 === undefined ? at.revision(path) : expected_sha256,
    old_text,
    new_text,
  });
}

/** The response to `stdin`, with the exit status. */
async function ask(
  stdin: string,
): Promise<{ status: number | null; code: string; message: string; result: unknown }> {
  const run = await engine(["protocol"], { stdin });
  expect(run.stderr).toBe("");
  expect(run.stdout.endsWith("}\n")).toBe(true);
  return { status: run.status, ...JSON.parse(run.stdout) };
}

test("OK exits 0, a refusal 9, and the file is as the response says", async () => {
  at = bounded({ "src/app.py": "return 1\n" });
  const [mode, kept] = process.platform === "win32" ? [0o444, 0o444] : [0o751, 0o7777];
  chmodSync(join(at.repo, "src/app.py"), mode);
  const first = await ask(request("src/app.py", "return 1", "return 2"));
  expect(first).toMatchObject({
    status: 0,
    code: "OK",
    result: { path: "src/app.py", sha256: sha256Of("return 2\n"), region: "1: return 2", match: "exact" },
  });
  expect(at.read("src/app.py")).toBe("return 2\n");
  expect(lstatSync(join(at.repo, "src/app.py")).mode & kept).toBe(mode);
  const again = await ask(request("src/app.py", "return 1", "return 2", sha256Of("return 1\n")));
  expect(again).toMatchObject({ status: 9, code: "REVISION_STALE", result: null });
  expect(again.message).toContain(sha256Of("return 2\n"));
  expect(namesIn(join(at.repo, "src"))).toEqual(["app.py"]);
});

describe("MUTATION_FAILED exits 9 and touches nothing", () => {
  const links = needing("links");
  const fifos = needing("file kinds of POSIX");
  const linkTo = (path: string) => symlinkSync(join(at.outside, "victim"), path);

  links("a target that is a link", () => refuses(linkTo, "it is a symbolic link"));
  fifos("a target that is a FIFO", () => refuses((path) => Bun.spawnSync(["mkfifo", path]), "it is a FIFO"));
  test.each([
    ["not UTF-8", (path: string) => writeFileSync(path, Buffer.from([0x61, 0xff])), "it is not valid UTF-8"],
    [
      "too large",
      (path: string) => writeFileSync(path, Buffer.alloc(2 ** 24 + 1, "a")),
      "has 16777217 bytes",
    ],
  ])("a target that is %s", (_what, make, reason) => refuses(make, reason));

  async function refuses(make: (path: string) => unknown, reason: string): Promise<void> {
    at = bounded({ other: "victim" });
    make(join(at.repo, "target"));
    const answer = await ask(request("target", "a", "b", null));
    expect(answer).toMatchObject({ status: 9, code: "MUTATION_FAILED", result: null });
    expect(answer.message).toContain(reason);
    expect(readFileSync(join(at.outside, "victim"), "utf8")).toBe("victim\n");
    expect(namesIn(at.repo)).toEqual([".keep", "other", "target"]);
    expect(await ask(request("other", "victim", "changed"))).toMatchObject({ status: 0, code: "OK" });
  }

  links("a folder on the way that is a link", async () => {
    at = bounded({ "in/victim": "victim\n" });
    symlinkSync(at.outside, join(at.repo, "out"));
    expect(await ask(request("out/victim", "victim", "x", null))).toMatchObject({
      status: 9,
      code: "MUTATION_FAILED",
      message: "cannot replace out/victim: out is a symbolic link, not a folder",
    });
    expect(readFileSync(join(at.outside, "victim"), "utf8")).toBe("victim\n");
    expect(await ask(request("in/victim", "victim", "x"))).toMatchObject({ status: 0 });
  });
});

test("of eight processes that replace one revision at once, exactly one is OK, every time", async () => {
  at = bounded({ file: "round 0" });
  for (let round = 0; round < 10; round++) {
    const texts = Array.from({ length: 8 }, (_, who) => `round ${round + 1} by ${who}`);
    const before = at.read("file");
    const requests = texts.map((text) => request("file", before, text));
    const answers = await Promise.all(requests.map(ask));
    const codes = answers.map((answer) => answer.code);
    expect(codes.toSorted()).toEqual(["OK", ...Array.from({ length: 7 }, () => "REVISION_STALE")]);
    expect(at.read("file")).toBe(texts[codes.indexOf("OK")] as string);
  }
  expect(namesIn(at.repo)).toEqual([".keep", "file"]);
});

test("killed at any moment, the file is whole, old or new, and the next request is answered", async () => {
  const [old, fresh] = ["old line\n".repeat(500_000), "new line\n".repeat(500_000)];
  at = bounded({ file: old, other: "a" });
  const stdin = Buffer.from(request("file", old, fresh));
  const seen = { old: 0, new: 0 };
  for (let delay = 5; delay < 125; delay += 4) {
    writeFileSync(join(at.repo, "file"), old);
    const child = Bun.spawn([executable, "protocol"], { stdin, stdout: "ignore", stderr: "ignore" });
    await Bun.sleep(delay);
    child.kill("SIGKILL");
    await child.exited;
    const text = at.read("file");
    expect(text === old || text === fresh).toBe(true);
    seen[text === old ? "old" : "new"]++;
  }
  expect(seen.old).toBeGreaterThan(0);
  expect(await ask(request("other", "a", "b"))).toMatchObject({ status: 0, code: "OK" });
  expect(namesIn(at.repo)).toEqual([".keep", "file", "other"]);
});

needing("time of its own")(
  "16 MiB of one letter, and an anchor of half of it, are answered in moments",
  async () => {
    const size = 2 ** 24;
    at = bounded({ file: Buffer.alloc(size, "a") });
    const began = performance.now();
    expect(await ask(request("file", "a".repeat(size / 2), "b"))).toMatchObject({
      status: 9,
      code: "ANCHOR_AMBIGUOUS",
      message: `old_text occurs ${size / 2 + 1} times, on line 1; take in text around the one that is meant`,
    });
    expect(await ask(request("file", `${"a".repeat(size / 2)}b`, "c"))).toMatchObject({
      code: "ANCHOR_MISSING",
    });
    expect(performance.now() - began).toBeLessThan(10_000);
  },
);
