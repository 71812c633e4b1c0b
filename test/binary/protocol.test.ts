import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engine, executable } from "../support/engine.ts";
import { needing } from "../support/means.ts";
import { type ProtocolFixture, prepare, protocolFixtures } from "../support/protocol.ts";
import { problems } from "../support/published.ts";

describe("the executable answers with one compact line and nothing on stderr", () => {
  // What they start are programs of POSIX.
  const isHere = ({ startsProcess }: ProtocolFixture) => !startsProcess || process.platform !== "win32";
  if (!protocolFixtures.every(isHere)) console.log("skipped: pairs whose test_command is a program of POSIX");
  const fixtures = protocolFixtures.filter(isHere).map((fixture) => [fixture.name, fixture] as const);
  test.each(fixtures)("%s", async (_, fixture) => {
    const prepared = prepare(fixture);
    try {
      const run = await engine(["protocol"], { stdin: prepared.request });
      expect(run.stderr).toBe("");
      expect<unknown>(JSON.parse(run.stdout)).toEqual(prepared.response);
      expect(problems("protocol#/$defs/Response", JSON.parse(run.stdout))).toEqual([]);
      expect(run.stdout).toBe(`${JSON.stringify(JSON.parse(run.stdout))}\n`);
      expect(run.status).toBe(prepared.exitStatus);
      expect(prepared.files()).toEqual(prepared.expectedFiles);
    } finally {
      prepared.remove();
    }
  });
});

describe("stdin", () => {
  const request = '{"version":1,"operation":"check","repo":"/nowhere","contract":"/nowhere"}';

  test("that is closed is an empty request", async () => {
    expect(await engine(["protocol"])).toMatchObject({
      status: 7,
      stdout: '{"version":1,"ok":false,"code":"INVALID_REQUEST","message":"the request is empty"}\n',
    });
  });

  needing("a POSIX shell")("that is a directory is an empty request", () => {
    const run = Bun.spawnSync(["sh", "-c", '"$0" protocol < /', executable]);
    expect(run.exitCode).toBe(7);
    expect(run.stdout.toString()).toContain("the request is empty");
  });

  test("that comes slowly is read to its end", async () => {
    const child = Bun.spawn([executable, "protocol"], { stdin: "pipe", stdout: "pipe" });
    for (const part of [request.slice(0, 10), request.slice(10)]) {
      child.stdin.write(part);
      await child.stdin.flush();
      await Bun.sleep(50);
    }
    await child.stdin.end();
    expect(await child.stdout.text()).toContain('"code":"CONTRACT_UNREADABLE"');
    expect(await child.exited).toBe(3);
  });

  test("of 32 MiB is read, and of one byte more is not", async () => {
    const padded = request.padEnd(33_554_432);
    expect(await engine(["protocol"], { stdin: padded })).toMatchObject({ status: 3, stderr: "" });
    expect(await engine(["protocol"], { stdin: `${padded} ` })).toMatchObject({ status: 7, stderr: "" });
  });
});

test("relative paths start at the working directory for check; the operations that act refuse them", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "satyrn-protocol-"));
  try {
    mkdirSync(join(cwd, "repo"));
    writeFileSync(
      join(cwd, "contract.yaml"),
      'id: a\ntask: b\ntest_command: ["true"]\nwritable_paths: ["*"]\n',
    );
    const places = { version: 1, repo: "repo", contract: "contract.yaml" };
    const ask = (fields: object, where: string) =>
      engine(["protocol"], { cwd: where, stdin: JSON.stringify({ ...places, ...fields }) });
    expect(await ask({ operation: "check" }, cwd)).toMatchObject({ status: 0 });
    expect(await ask({ operation: "check" }, join(cwd, "repo"))).toMatchObject({ status: 3 });
    expect(await ask({ operation: "test" }, cwd)).toMatchObject({ status: 7 });
    const replacement = { path: "file", expected_sha256: null, old_text: "a", new_text: "b" };
    expect(await ask({ operation: "replace", ...replacement }, cwd)).toMatchObject({ status: 7 });
    const absolute = { repo: join(cwd, "repo"), contract: join(cwd, "contract.yaml") };
    expect(await ask({ operation: "test", ...absolute }, cwd)).toMatchObject({ status: 0 });
    const act = { operation: "replace", ...replacement, ...absolute };
    expect(await ask(act, cwd)).toMatchObject({ status: 9 });
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

needing("/dev/full")("a response that nobody can read is a crash, not a verdict", async () => {
  const run = Bun.spawnSync(["sh", "-c", '"$0" protocol < /dev/null > /dev/full', executable]);
  expect(run.exitCode).toBe(1);
});
