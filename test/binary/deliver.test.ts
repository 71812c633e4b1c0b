/** `deliver` as a black box: arguments, statuses, streams, the command's world, signals. */
import { describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { baseFiles, candidateFile, expectNothingLeft, type Scene, scenes } from "../support/delivery.ts";
import { engine, executable } from "../support/engine.ts";
import { needing } from "../support/means.ts";
import { git, gitEnvironment, snapshot } from "../support/repository.ts";
import { runningWith } from "../support/tree.ts";

const newScene = scenes();
const change = "echo changed > a.txt";

function world(at: Scene, env: Readonly<Record<string, string | undefined>> = {}) {
  return { ...process.env, ...gitEnvironment(), TMPDIR: at.temporary, ...env };
}

/** Runs `deliver --repo REPO flags CONTRACT -- command`. */
function deliver(at: Scene, command: readonly string[], flags: readonly string[] = [], env = {}) {
  return engine(["deliver", "--repo", at.repo, ...flags, at.contract, "--", ...command], {
    env: world(at, env),
  });
}

const fields = [
  "version",
  "outcome",
  "code",
  "message",
  "contract_id",
  "repository",
  "base_commit",
  "candidate_ref",
  "candidate_commit",
  "changed_paths",
  "command_exit",
  "worktree_path",
  "source_drift",
  "verification",
  "engine_version",
  "duration_ms",
];

describe("the receipt is one line of ASCII on stdout", () => {
  test("a silent OK writes nothing else", async () => {
    const at = newScene("id: ünï\ntask: t\n");
    const run = await deliver(at, ["sh", "-c", "echo x > 'ä\u2028\u{1f600}'"]);
    expect([run.status, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toMatch(/^\{[\x20-\x7e]*\}\n$/);
    const receipt = JSON.parse(run.stdout);
    expect(Object.keys(receipt)).toEqual(fields);
    expect(receipt).toMatchObject({
      version: 1,
      contract_id: "ünï",
      repository: at.repo,
      verification: null,
    });
    expect(receipt.changed_paths).toEqual(["ä\u2028\u{1f600}"]);
  });

  test("a refusal is that and one line on stderr", async () => {
    const at = newScene();
    writeFileSync(join(at.repo, "a\nb"), "");
    const run = await deliver(at, ["true"]);
    const receipt = JSON.parse(run.stdout);
    expect(Object.keys(receipt)).toEqual(fields);
    expect([run.status, run.stderr]).toEqual([8, `satyrn-engine: REPO_DIRTY: ${receipt.message}\n`]);
    expect(receipt.message).toContain("a\\nb");
  });

  test("the command's output is on stderr, both streams in order", async () => {
    const run = await deliver(newScene(), [
      "sh",
      "-c",
      `${change}; echo one; echo two >&2; echo three > /dev/stderr`,
    ]);
    expect([run.status, run.stderr]).toEqual([0, "one\ntwo\nthree\n"]);
  });

  test("a caller's path that changed meanwhile is one warning line, whatever its name", async () => {
    const at = newScene();
    const run = await deliver(at, ["sh", "-c", `${change}; echo x > "$1/new\nline"`, "sh", at.repo]);
    expect([run.status, run.stderr]).toEqual([
      0,
      "satyrn-engine: warning: the working tree changed meanwhile: new\\nline\n",
    ]);
    expect(JSON.parse(run.stdout).source_drift).toEqual(["new\nline"]);
  });

  for (const [code, status, contract] of [
    ["CONTRACT_UNREADABLE", 3, undefined],
    ["CONTRACT_INVALID_YAML", 4, "a: [\n"],
    ["CONTRACT_MISSING_FIELD", 5, "id: x\n"],
  ] as const) {
    test(`${code} exits ${status} with a receipt`, async () => {
      const at = newScene(contract);
      if (contract === undefined) rmSync(at.contract);
      const run = await deliver(at, ["true"]);
      const receipt = JSON.parse(run.stdout);
      expect([run.status, receipt.code, receipt.outcome]).toEqual([status, code, "refused"]);
      expect(run.stderr).toBe(`satyrn-engine: ${code}: ${receipt.message}\n`);
    });
  }
  test("REPO_UNAVAILABLE exits 6 with a receipt", async () => {
    const at = newScene();
    const run = await deliver({ ...at, repo: join(at.folder, "nowhere") }, ["true"]);
    expect([run.status, JSON.parse(run.stdout).code]).toEqual([6, "REPO_UNAVAILABLE"]);
  });
  test("VERIFICATION_FAILED exits 21 with a receipt", async () => {
    const at = newScene('id: fix-1\ntask: t\nacceptance:\n  verification_commands:\n    - argv: ["false"]\n');
    const run = await deliver(at, ["sh", "-c", change]);
    expect([run.status, JSON.parse(run.stdout).code]).toEqual([21, "VERIFICATION_FAILED"]);
  });
});

describe("usage errors write no receipt", () => {
  const refused = [
    "0",
    "-1",
    "NaN",
    "inf",
    "Infinity",
    "0x10",
    "1e3",
    "abc",
    "1,5",
    " 1",
    "1 ",
    "+1",
    "0.0",
    ".",
    "1_0",
    "1s",
  ];
  for (const timeout of refused) {
    test(`--timeout ${JSON.stringify(timeout)}`, async () => {
      const run = await engine(["deliver", "--repo", ".", `--timeout=${timeout}`, "c", "--", "true"]);
      expect([run.status, run.stdout]).toEqual([2, ""]);
      expect(run.stderr).toStartWith("satyrn-engine: USAGE: --timeout must be seconds above zero");
    });
  }
  for (const timeout of ["0.5", "5", "05.50", "5.", "99999999999"]) {
    test(`but --timeout ${timeout} is accepted`, async () => {
      expect(
        (await deliver(newScene(), ["sh", "-c", `${change}; sleep 0.05`], ["--timeout", timeout])).status,
      ).toBe(0);
    });
  }
  for (const [what, args, problem] of [
    ["no --", ["--repo", ".", "c"], "COMMAND is missing"],
    ["nothing after --", ["--repo", ".", "c", "--"], "COMMAND is missing"],
    ["a command before --", ["--repo", ".", "c", "true"], "unexpected argument"],
    ["no contract", ["--repo", ".", "--", "true"], "CONTRACT is missing"],
    ["no repository", ["c", "--", "true"], "--repo is required"],
    [
      "a flag twice",
      ["--repo", ".", "--base", "a", "--base", "b", "c", "--", "true"],
      "--base is given twice",
    ],
    ["an empty base", ["--repo", ".", "--base", "", "c", "--", "true"], "--base must not be empty"],
    ["an unknown flag", ["--repo", ".", "--shell", "c", "--", "true"], "unknown flag --shell"],
    ["a contract that looks like a flag", ["--repo", ".", "-x", "--", "true"], "unknown flag -x"],
  ] as const) {
    test(what, async () => {
      const run = await engine(["deliver", ...args]);
      expect([run.status, run.stdout]).toEqual([2, ""]);
      expect(run.stderr).toStartWith(`satyrn-engine: USAGE: ${problem}`);
    });
  }
  test("but a contract is given as ./-x", async () => {
    const at = newScene();
    writeFileSync(join(at.folder, "-x"), "id: dash\ntask: t\n");
    const argv = ["deliver", "--repo", "repo", "./-x", "--", "sh", "-c", change];
    const run = await engine(argv, { env: world(at), cwd: at.folder });
    expect([run.status, JSON.parse(run.stdout).repository]).toEqual([0, at.repo]);
  });
});

describe("the command", () => {
  test("gets its arguments untouched", async () => {
    const at = newScene();
    const words = [
      "--",
      "",
      "--timeout=1",
      "--help",
      "-h",
      "a\nb",
      " ",
      "--",
      "$(x)",
      "'\"",
      "ünï",
      "*",
      "\u001b",
    ];
    const run = await deliver(at, ["sh", "-c", 'printf "%s\\0" "$@" > words', "sh", ...words]);
    const receipt = JSON.parse(run.stdout);
    expect(receipt.code).toBe("OK");
    expect(candidateFile(at, receipt, "words").split("\0").slice(0, -1)).toEqual(words);
  });

  test("an empty word is COMMAND_UNAVAILABLE", async () => {
    const run = await deliver(newScene(), [""]);
    expect([run.status, JSON.parse(run.stdout).code]).toEqual([8, "COMMAND_UNAVAILABLE"]);
  });

  needing("/proc")("its world: directory, input, environment", async () => {
    const at = newScene("id: fix-1\ntask: |\n  one\n  two\n");
    const script =
      'env -0 > env; pwd -P > pwd; cat > stdin; readlink /proc/self/fd/0 > fd; cp "$SATYRN_CONTRACT" contract';
    const argv = ["deliver", "--repo", at.repo, at.contract, "--", "sh", "-c", script];
    const env = world(at, {
      GIT_DIR: "/nowhere",
      GIT_INDEX_FILE: "/nowhere",
      GIT_NAMESPACE: "x",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "a.b",
      GIT_CONFIG_VALUE_0: "c",
      GIT_QUARANTINE_PATH: "x",
      SATYRN_TASK: "another",
      KEPT: "kept",
    });
    const run = await engine(argv, { env, stdin: "not for the command" });
    const receipt = JSON.parse(run.stdout);
    expect(receipt.code).toBe("OK");
    const read = (name: string) => candidateFile(at, receipt, name);
    const variables = Object.fromEntries(
      read("env")
        .split("\0")
        .filter(Boolean)
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    expect(variables).toMatchObject({
      SATYRN_CONTRACT_ID: "fix-1",
      SATYRN_TASK: "one\ntwo\n",
      SATYRN_BASE_COMMIT: receipt.base_commit,
      GIT_TERMINAL_PROMPT: "0",
      KEPT: "kept",
      PWD: read("pwd"),
    });
    const routing = git(at.repo, "rev-parse", "--local-env-vars").split("\n");
    for (const name of [
      ...routing,
      "GIT_NAMESPACE",
      "GIT_QUARANTINE_PATH",
      "GIT_CONFIG_KEY_0",
      "GIT_CONFIG_VALUE_0",
    ])
      expect(variables).not.toHaveProperty(name);
    expect([read("stdin"), read("fd")]).toEqual(["", "/dev/null"]);
    expect(read("contract")).toBe(readFileSync(at.contract, "utf8").trimEnd());
    expect(variables["SATYRN_CONTRACT"]).toStartWith(at.temporary);
    expect(read("pwd")).toStartWith(at.temporary);
  });

  test("a task that no variable can hold is left out", async () => {
    const at = newScene(`id: fix-1\ntask: ${"x".repeat(140_000)}\n`);
    const run = await deliver(at, ["sh", "-c", 'echo "$(printenv SATYRN_TASK || echo unset)" > task'], [], {
      SATYRN_TASK: "another",
    });
    expect(candidateFile(at, JSON.parse(run.stdout), "task")).toBe("unset");
  });

  needing("a subreaper")(
    "whose child fled into a session of its own leaves nothing running after a timeout",
    async () => {
      const at = newScene();
      const mark = crypto.randomUUID();
      const script = `${change}; setsid sh -c 'setsid sleep 300 & sleep 300' & sleep 300`;
      const run = await deliver(at, ["sh", "-c", script], ["--timeout", "0.5"], { SATYRN_TEST_MARK: mark });
      expect([run.status, JSON.parse(run.stdout).code]).toEqual([8, "COMMAND_TIMEOUT"]);
      expect(runningWith(mark)).toEqual([]);
      expectNothingLeft(at);
    },
  );

  needing("a subreaper")(
    "that ends well while its child goes on writing leaves nothing running either",
    async () => {
      const at = newScene();
      const mark = crypto.randomUUID();
      const script = `${change}; (setsid sh -c 'while :; do date > late; done' &) ; sleep 0.1`;
      const run = await deliver(at, ["sh", "-c", script], [], { SATYRN_TEST_MARK: mark });
      expect(run.status).toBe(0);
      expect(runningWith(mark)).toEqual([]);
      expectNothingLeft(at);
    },
  );
});

describe("streams that fail", () => {
  /** Runs a line of bash in which `"$@"` is a delivery. */
  async function shell(at: Scene, line: string, command: readonly string[], flags: readonly string[] = []) {
    const argv = [executable, "deliver", "--repo", at.repo, ...flags, at.contract, "--", ...command];
    const child = Bun.spawn(["bash", "-c", line, "bash", ...argv], {
      env: world(at),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { stdout, stderr, status: await child.exited };
  }
  const ref = "refs/satyrn/candidates/fix-1/head";

  test("a reader that closed stdout: status 1, quietly, and the ref may be there", async () => {
    const at = newScene();
    const run = await shell(at, '"$@" | true; exit $PIPESTATUS', ["sh", "-c", `sleep 0.2; ${change}`]);
    expect(run).toEqual({ status: 1, stdout: "", stderr: "" });
    expect(git(at.repo, "rev-parse", ref)).toMatch(/^[0-9a-f]{40}$/);
    const kept = join(at.repo, ".git/satyrn/receipts/fix-1");
    const [name, ...others] = readdirSync(kept);
    expect(others).toEqual([]);
    expect(JSON.parse(readFileSync(join(kept, name ?? ""), "utf8")).code).toBe("OK");
  });

  needing("/dev/full")("a full device as stdout: status 1", async () => {
    expect((await shell(newScene(), '"$@" > /dev/full', ["sh", "-c", change])).status).toBe(1);
  });

  test("a closed stderr does not stop it", async () => {
    const run = await shell(newScene(), '"$@" 2>&-', ["sh", "-c", `${change}; echo said`]);
    expect([run.status, JSON.parse(run.stdout).code]).toEqual([0, "OK"]);
  });

  test("closed stdin, stdout and stderr at once: status 1 or 0, never a hang, and a ref", async () => {
    const at = newScene();
    await shell(at, '"$@" <&- >&- 2>&-', ["sh", "-c", change]);
    expect(git(at.repo, "rev-parse", ref)).toMatch(/^[0-9a-f]{40}$/);
  });

  needing("time of its own")("a stderr that nobody reads does not outlast the deadline", async () => {
    const at = newScene();
    const child = Bun.spawn(
      [
        executable,
        "deliver",
        "--repo",
        at.repo,
        "--timeout",
        "1",
        at.contract,
        "--",
        "sh",
        "-c",
        `${change}; head -c 1000000 /dev/zero`,
      ],
      { env: world(at), stdin: "ignore", stdout: "pipe", stderr: "pipe" },
    );
    const began = performance.now();
    // stderr is not touched until stdout has ended.
    const receipt = JSON.parse(await child.stdout.text());
    expect(performance.now() - began).toBeLessThan(8000);
    expect(["OK", "COMMAND_TIMEOUT"]).toContain(receipt.code);
    child.kill("SIGKILL");
    await child.exited;
    expectNothingLeft(at);
  });

  test("a hundred megabytes of output pass", async () => {
    const run = await shell(newScene(), '"$@" 2> >(wc -c >&2)', [
      "sh",
      "-c",
      `${change}; head -c 100000000 /dev/zero`,
    ]);
    expect([run.status, JSON.parse(run.stdout).code]).toEqual([0, "OK"]);
  });
});

describe("signals", () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    test(`${signal} is INTERRUPTED, and nothing is left`, async () => {
      const at = newScene();
      const before = snapshot(at.repo);
      const mark = crypto.randomUUID();
      const started = join(at.folder, "started");
      const child = Bun.spawn(
        [
          executable,
          "deliver",
          "--repo",
          at.repo,
          at.contract,
          "--",
          "sh",
          "-c",
          `${change}; touch "$1"; sleep 300`,
          "sh",
          started,
        ],
        { env: world(at, { SATYRN_TEST_MARK: mark }), stdin: "ignore", stdout: "pipe", stderr: "pipe" },
      );
      while (!existsSync(started)) await Bun.sleep(5);
      child.kill(signal);
      const receipt = JSON.parse(await child.stdout.text());
      expect([await child.exited, receipt.code, receipt.outcome]).toEqual([8, "INTERRUPTED", "discarded"]);
      expect(await child.stderr.text()).toBe(`satyrn-engine: INTERRUPTED: ${receipt.message}\n`);
      expect(runningWith(mark)).toEqual([]);
      expect(snapshot(at.repo)).toEqual(before);
      expectNothingLeft(at);
    });
  }

  test("a signal at any moment leaves a candidate or nothing", async () => {
    const at = newScene();
    for (let delay = 5; delay < 90; delay += 6) {
      const child = Bun.spawn(
        [executable, "deliver", "--repo", at.repo, at.contract, "--", "sh", "-c", change],
        { env: world(at), stdin: "ignore", stdout: "pipe", stderr: "pipe" },
      );
      await Bun.sleep(delay);
      child.kill("SIGTERM");
      const stdout = await child.stdout.text();
      const status = await child.exited;
      const refs = git(at.repo, "for-each-ref", "refs/satyrn/");
      if (stdout === "") expect([status, refs]).toEqual([status === 143 ? 143 : 8, ""]);
      else expect(JSON.parse(stdout).code).toBe(refs === "" ? "INTERRUPTED" : "OK");
      if (refs !== "") git(at.repo, "update-ref", "-d", "refs/satyrn/candidates/fix-1/head");
      expectNothingLeft(at);
    }
  });
});

describe("places", () => {
  test("the receipt is kept below the common directory, every time, by any worktree", async () => {
    const at = newScene();
    const linked = join(at.folder, "linked");
    git(at.repo, "worktree", "add", "-q", "--detach", linked);
    const first = await deliver(at, ["false"]);
    const second = await deliver({ ...at, repo: linked }, ["sh", "-c", change]);
    const kept = join(at.repo, ".git/satyrn/receipts/fix-1");
    const receipts = readdirSync(kept).map((name) => {
      expect(name).toMatch(/^\d{8}T\d{6}Z-[0-9a-f]{12}\.json$/);
      return readFileSync(join(kept, name), "utf8");
    });
    expect(receipts.sort()).toEqual([first.stdout, second.stdout].sort());
  });

  test("a link in place of the receipts' folder is not followed, and told", async () => {
    const at = newScene();
    mkdirSync(join(at.folder, "elsewhere"));
    mkdirSync(join(at.repo, ".git/satyrn"));
    symlinkSync(join(at.folder, "elsewhere"), join(at.repo, ".git/satyrn/receipts"));
    const run = await deliver(at, ["sh", "-c", change]);
    expect(run.status).toBe(0);
    expect(run.stderr).toMatch(
      /^satyrn-engine: warning: the receipt could not be kept: .*receipts is not a folder\n$/,
    );
    expect(readdirSync(join(at.folder, "elsewhere"))).toEqual([]);
  });

  test("relative paths, and a working directory that is deleted", async () => {
    const at = newScene();
    const inside = await engine(["deliver", "--repo", ".", "../contract.yaml", "--", "sh", "-c", change], {
      env: world(at),
      cwd: at.repo,
    });
    expect([inside.status, JSON.parse(inside.stdout).repository]).toEqual([0, at.repo]);
    mkdirSync(join(at.folder, "gone"));
    writeFileSync(at.contract, "id: gone\ntask: t\n");
    const line = 'cd "$0" && rmdir "$0" && exec "$@"';
    const argv = [executable, "deliver", "--repo", at.repo, at.contract, "--", "sh", "-c", change];
    const run = Bun.spawnSync(["sh", "-c", line, join(at.folder, "gone"), ...argv], { env: world(at) });
    expect([run.exitCode, JSON.parse(run.stdout.toString()).code]).toEqual([0, "OK"]);
  });

  for (const [what, place] of Object.entries({
    "in the repository": (at: Scene) => join(at.repo, ".git"),
    "in another worktree of it": (at: Scene) => {
      const linked = join(at.folder, "linked");
      git(at.repo, "worktree", "add", "-q", "--detach", linked);
      return linked;
    },
    "a link into the repository": (at: Scene) => {
      const link = join(at.folder, "link");
      symlinkSync(at.repo, link);
      return link;
    },
    relative: () => "tmp",
    absent: (at: Scene) => join(at.folder, "absent"),
    "a file": (at: Scene) => at.contract,
    empty: () => "",
  })) {
    test(`a TMPDIR that is ${what} gives way to a usual place`, async () => {
      const at = newScene();
      const TMPDIR = place(at);
      const run = await deliver(at, ["sh", "-c", "pwd -P > where"], [], { TMPDIR });
      const receipt = JSON.parse(run.stdout);
      expect(receipt.code).toBe("OK");
      const where = candidateFile(at, receipt, "where");
      expect(where).toStartWith(`${realpathSync("/tmp")}/satyrn-engine-`);
      expect(existsSync(where)).toBe(false);
    });
  }

  test("a TMPDIR that is too small is refused by name, and emptied", async () => {
    const at = newScene(undefined, { ...baseFiles, big: crypto.getRandomValues(new Uint8Array(60_000)) });
    const small = join(at.folder, "small");
    mkdirSync(small);
    const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=32k", "none", small]).exitCode === 0;
    if (!mounted) return console.log("skipped: no file system can be mounted here");
    try {
      const run = await deliver(at, ["sh", "-c", change], [], { TMPDIR: small });
      const receipt = JSON.parse(run.stdout);
      expect([run.status, receipt.code]).toEqual([8, "GIT_FAILED"]);
      expect(receipt.message).toMatch(/No space left|unable to write/);
      expect(readdirSync(small)).toEqual([]);
      expectNothingLeft(at);
    } finally {
      Bun.spawnSync(["umount", small]);
    }
  });

  test("a TMPDIR that is too small for a copy of the index is refused by name, and emptied", async () => {
    const files = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`empty${n}`, ""]));
    const at = newScene(undefined, files);
    const small = join(at.folder, "small");
    mkdirSync(small);
    const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=64k", "none", small]).exitCode === 0;
    if (!mounted) return console.log("skipped: no file system can be mounted here");
    try {
      const run = await deliver(at, ["sh", "-c", change], [], { TMPDIR: small });
      expect([run.status, JSON.parse(run.stdout).code]).toEqual([8, "GIT_FAILED"]);
      expect(readdirSync(small)).toEqual([]);
      expectNothingLeft(at);
    } finally {
      Bun.spawnSync(["umount", small]);
    }
  });

  test("a TMPDIR that the command fills is refused by name, and emptied", async () => {
    const at = newScene();
    const small = join(at.folder, "small");
    mkdirSync(small);
    const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=1m", "none", small]).exitCode === 0;
    if (!mounted) return console.log("skipped: no file system can be mounted here");
    try {
      for (const size of ["400k", "700k", "10m"]) {
        const fill = `head -c ${size} /dev/urandom > big 2> /dev/null; true`;
        const run = await deliver(at, ["sh", "-c", fill], [], { TMPDIR: small });
        expect([run.status, JSON.parse(run.stdout).code]).toEqual([8, "GIT_FAILED"]);
        expect(readdirSync(small)).toEqual([]);
        expectNothingLeft(at);
      }
    } finally {
      Bun.spawnSync(["umount", small]);
    }
  });
});
