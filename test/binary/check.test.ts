import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { exitStatus } from "../../src/outcome.ts";
import { accepted, refused } from "../support/contracts.ts";
import { engine } from "../support/engine.ts";
import { needing } from "../support/means.ts";

let folder: string;
let contract: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "satyrn-check-"));
  contract = join(folder, "contract.yaml");
  writeFileSync(contract, "id: fix-login\ntask: Keep the session alive\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

const silent = { status: 0, signal: null, stdout: "", stderr: "" };

describe("check accepts in silence", () => {
  test.each(accepted.map((fixture) => [fixture.name, fixture.path] as const))("%s", async (_, path) => {
    expect(await engine(["check", "--repo", folder, path])).toEqual(silent);
  });
});

describe("check refuses in one line", () => {
  test.each(refused.map((fixture) => [fixture.name, fixture] as const))(
    "%s",
    async (_, { path, refusal }) => {
      expect(await engine(["check", "--repo", folder, path])).toEqual({
        status: refusal.startsWith("CONTRACT_INVALID_YAML")
          ? exitStatus.CONTRACT_INVALID_YAML
          : exitStatus.CONTRACT_MISSING_FIELD,
        signal: null,
        stdout: "",
        stderr: `satyrn-engine: ${refusal}\n`,
      });
    },
  );

  test.each([
    ["CONTRACT_UNREADABLE", 3, "missing.yaml", "missing"],
    ["CONTRACT_INVALID_YAML", 4, "invalid.yaml", "missing"],
    ["CONTRACT_MISSING_FIELD", 5, "incomplete.yaml", "missing"],
    ["REPO_UNAVAILABLE", 6, "contract.yaml", "missing"],
    ["REPO_UNAVAILABLE", 6, "contract.yaml", "contract.yaml"],
  ])("%s, status %i, in the stable order", async (code, status, file, repo) => {
    writeFileSync(join(folder, "invalid.yaml"), "id: [\n");
    writeFileSync(join(folder, "incomplete.yaml"), "id: fix-login\n");
    const run = await engine(["check", "--repo", join(folder, repo), join(folder, file)]);
    expect(run).toMatchObject({ status, stdout: "" });
    expect(run.stderr).toMatch(new RegExp(`^satyrn-engine: ${code}: [^\\n]+\\n$`));
  });

  test("control characters in a name, escaped", async () => {
    const run = await engine(["check", "--repo", folder, join(folder, "a\nb\u001b[31m")]);
    expect(run.stderr).toBe(
      `satyrn-engine: CONTRACT_UNREADABLE: cannot read contract ${folder}${sep}a\\nb\\u001b[31m: no such file or directory (ENOENT)\n`,
    );
  });

  needing("file kinds of POSIX")("a FIFO, which nobody writes to", async () => {
    const fifo = join(folder, "fifo.yaml");
    expect(Bun.spawnSync(["mkfifo", fifo]).exitCode).toBe(0);
    expect(await engine(["check", "--repo", folder, fifo])).toMatchObject({
      status: 3,
      stderr: `satyrn-engine: CONTRACT_UNREADABLE: cannot read contract ${fifo}: not a regular file\n`,
    });
  });

  needing("file kinds of POSIX")("a FIFO, whose writer is not woken", async () => {
    const fifo = join(folder, "waiting.yaml");
    expect(Bun.spawnSync(["mkfifo", fifo]).exitCode).toBe(0);
    const writer = Bun.spawn(["sh", "-c", 'printf "id: a" > "$0"', fifo], {
      stdin: "ignore",
      stderr: "ignore",
    });
    try {
      await Bun.sleep(300);
      expect(await engine(["check", "--repo", folder, fifo])).toMatchObject({ status: 3 });
      await Bun.sleep(300);
      expect([writer.exitCode, writer.signalCode]).toEqual([null, null]);
    } finally {
      writer.kill("SIGKILL");
      await writer.exited;
    }
  });

  needing("file kinds of POSIX")("a socket", async () => {
    const path = join(folder, "socket.yaml");
    const server = Bun.listen({ unix: path, socket: { data() {} } });
    try {
      expect(await engine(["check", "--repo", folder, path])).toMatchObject({ status: 3 });
    } finally {
      server.stop();
    }
  });
});

needing("file kinds of POSIX")(
  "check refuses a contract that may not be read, and accepts it once it may",
  async () => {
    const outside = mkdtempSync(join(tmpdir(), "satyrn-check-"));
    try {
      chmodSync(outside, 0o755);
      const path = join(outside, "contract.yaml");
      writeFileSync(path, "id: a\ntask: b\n");
      // Nothing is unreadable to root.
      const wrapper =
        process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
      chmodSync(path, 0o000);
      expect(await engine(["check", "--repo", outside, path], { wrapper })).toMatchObject({
        status: 3,
        stderr: `satyrn-engine: CONTRACT_UNREADABLE: cannot read contract ${path}: permission denied (EACCES)\n`,
      });
      chmodSync(path, 0o444);
      expect(await engine(["check", "--repo", outside, path], { wrapper })).toEqual(silent);
    } finally {
      rmSync(outside, { recursive: true });
    }
  },
);

describe("paths", () => {
  test("relative ones start at the working directory", async () => {
    expect(await engine(["check", "--repo", ".", "contract.yaml"], { cwd: folder })).toEqual(silent);
  });

  test("one that begins with a dash follows --", async () => {
    writeFileSync(join(folder, "-x.yaml"), "id: a\ntask: b\n");
    expect(await engine(["check", "--repo", ".", "--", "-x.yaml"], { cwd: folder })).toEqual(silent);
  });

  needing("links")("links to a contract and to a repository are followed", async () => {
    symlinkSync("contract.yaml", join(folder, "link.yaml"));
    symlinkSync(folder, join(folder, "repository"));
    const run = await engine(["check", "--repo", join(folder, "repository"), join(folder, "link.yaml")]);
    expect(run).toEqual(silent);
  });
});
