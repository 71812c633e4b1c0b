import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { engine, executable } from "../../support/engine.ts";
import { git, snapshot } from "../../support/repository.ts";
import { goodLines, type World, world } from "./world.ts";

let at: World;
beforeEach(() => {
  at = world();
});
afterEach(() => {
  const left = at.left();
  at.dispose();
  expect(left).toEqual([]);
});

const failure = (message: string) => `satyrn-engine: ATTEMPT_FAILED: ${message}\n`;

test("OK: the transcript on stdout and in its file, the patch, one line on stderr", async () => {
  at.pi('printf "%s\\n" "$OUT"; echo "a note" >&2; printf "one\\n2\\n" >src/app.py');
  const run = await at.attempt();
  expect(run.stdout).toBe(`${goodLines.join("\n")}\n`);
  expect(run.stderr).toMatch(
    /^a note\nsatyrn-engine: attempt OK: model some\/model, 1 turns, 1 tool calls \(1 edits, 0 refused\), \d s\n$/,
  );
  expect(run.status).toBe(0);
  expect(at.written(at.transcript)).toBe(run.stdout);
  expect(at.written(at.patch)).toContain("-two\n+2\n");
});

test("without a change there is no patch", async () => {
  expect((await at.attempt()).status).toBe(0);
  expect(at.written(at.patch)).toBeNull();
  expect(readdirSync(join(at.folder, "evidence"))).toEqual(["transcript.jsonl"]);
});

test("without artifacts asked for, nothing is written", async () => {
  const before = snapshot(at.worktree);
  const run = await at.attempt([], { SATYRN_ATTEMPT_TRANSCRIPT: undefined, SATYRN_ATTEMPT_PATCH: undefined });
  expect(run.status).toBe(0);
  expect(readdirSync(join(at.folder, "evidence"))).toEqual([]);
  expect(snapshot(at.worktree)).toEqual(before);
});

test("the index is not written, also where the times in it are stale", async () => {
  at.pi('printf "%s\\n" "$OUT"; echo changed >src/app.py');
  utimesSync(join(at.worktree, "README.md"), 1, 1);
  const before = snapshot(at.worktree)["index"];
  expect((await at.attempt()).status).toBe(0);
  expect(at.written(at.patch)).toContain("+changed");
  expect(snapshot(at.worktree)["index"]).toBe(before as string);
  // That is what Git does by itself.
  git(at.worktree, "diff", "HEAD");
  expect(snapshot(at.worktree)["index"]).not.toBe(before as string);
});

describe("the Pi child", () => {
  test("its argv, its input, its folder, a process group of its own", async () => {
    at.pi(
      'printf "%s\\n" "$@" >"$SEEN"; readlink /proc/self/fd/0 >>"$SEEN"; pwd >>"$SEEN"; ps -o pgid= -p $$ | tr -d " " >>"$SEEN"; echo $$ >>"$SEEN"; printf "%s\\n" "$OUT"',
    );
    const seen = join(at.folder, "seen");
    expect((await at.attempt([], { SEEN: seen })).status).toBe(0);
    const lines = readFileSync(seen, "utf8").trimEnd().split("\n");
    const [pid, group, cwd, input] = lines.reverse();
    expect([input, cwd, group]).toEqual(["/dev/null", at.worktree, pid as string]);
    const argv = lines.slice(4).reverse();
    const extension = expect.stringMatching(/^\/.*\/satyrn-engine-\w+\/pi\/[a-z-]+\.ts$/);
    expect(argv.slice(0, 19)).toEqual([
      ...["--print", "--mode", "json", "--no-session", "--model", "some/model", "--no-extensions"],
      ...["--extension", extension, "--extension", extension],
      ...[
        "--no-skills",
        "--no-prompt-templates",
        "--no-themes",
        "--no-context-files",
        "--no-mcp",
        "--no-approve",
      ],
      ...["--tools", "read,edit"],
    ]);
    expect(argv.slice(19, 22)).toEqual(["--", "Task:", "Count to two."]);
  });

  test("its environment: without Git's routing, a Python environment, the key agent; with the context", async () => {
    at.pi('env >"$SEEN"; cat "$(dirname "$0")/nothing" 2>/dev/null; printf "%s\\n" "$OUT"');
    const seen = join(at.folder, "seen");
    const python = join(at.folder, "venv");
    await at.attempt([], {
      SEEN: seen,
      GIT_INDEX_FILE: "/x",
      GIT_NAMESPACE: "x",
      VIRTUAL_ENV: python,
      PATH: `${python}/bin:${process.env["PATH"]}:${python}`,
      SSH_AUTH_SOCK: "/x",
      KEPT: "yes",
    });
    const env = Object.fromEntries(
      readFileSync(seen, "utf8")
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    for (const name of ["GIT_INDEX_FILE", "GIT_NAMESPACE", "VIRTUAL_ENV", "SSH_AUTH_SOCK"])
      expect(env).not.toHaveProperty(name);
    expect(env).toMatchObject({ KEPT: "yes", PATH: process.env["PATH"], SATYRN_ENGINE: executable });
    expect(JSON.parse(env["SATYRN_MUTATION_CONTEXT"] ?? "")).toEqual({
      version: 1,
      repo: at.worktree,
      contract: expect.stringMatching(/^\/.*\/satyrn-engine-\w+\/contract\.yaml$/),
      revisions: { "src/app.py": new Bun.CryptoHasher("sha256").update("one\ntwo\n").digest("hex") },
      writable_paths: ["src/*"],
      test_command: null,
    });
  });

  test("the private folder is private, and holds the contract's exact bytes", async () => {
    at.pi(
      'd=$(ls -d "$TMPDIR"/satyrn-engine-*); stat -c %a "$d" >"$SEEN"; cat "$d/contract.yaml" >>"$SEEN"; printf "%s\\n" "$OUT"',
    );
    const seen = join(at.folder, "seen");
    await at.attempt([], { SEEN: seen });
    expect(readFileSync(seen, "utf8")).toBe(`700\n${readFileSync(at.contract, "utf8")}`);
  });

  test("a context too large for a variable is in a file", async () => {
    at.dispose();
    const files = Object.fromEntries(
      Array.from({ length: 600 }, (_, index) => [`src/f${index}.py`, `${index}\n`]),
    );
    at = world(files);
    at.pi('cat "$(echo "$SATYRN_MUTATION_CONTEXT" | cut -c2-)" >"$SEEN"; printf "%s\\n" "$OUT"');
    const seen = join(at.folder, "seen");
    expect((await at.attempt([], { SEEN: seen })).status).toBe(0);
    const context = JSON.parse(readFileSync(seen, "utf8"));
    expect(Object.keys(context.revisions).length).toBe(601);
  });
});

describe("ATTEMPT_FAILED, one line says why", () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ["a nonzero exit", 'printf "%s\\n" "$OUT"; exit 3', "Pi exited with 3"],
    ["a signal", 'printf "%s\\n" "$OUT"; kill -KILL $$', "Pi was ended by signal 9"],
    [
      "a model error",
      `echo '{"type":"message_end","message":{"role":"assistant","stopReason":"error","errorMessage":"401 no\\u001b"}}'; echo '{"type":"agent_settled","aborted":false}'`,
      "the model's last message ended with 'error': 401 no\\u001b",
    ],
    ["an aborted agent", `echo '{"type":"agent_settled","aborted":true}'`, "Pi's agent was aborted"],
    ["no agent_settled", "echo hello", "Pi ended without telling that the agent settled"],
    ["no output at all", ":", "Pi ended without telling that the agent settled"],
  ];
  for (const [name, script, message] of rows) {
    test(name, async () => {
      at.pi(`printf 'one\\n2\\n' >src/app.py; ${script}`);
      const run = await at.attempt();
      expect(run.stderr).toBe(failure(message));
      expect(run.status).toBe(10);
      expect(at.written(at.transcript)).toBe(run.stdout);
      expect(at.written(at.patch)).toContain("+2\n");
    });
  }

  test("the deadline, and nothing is left running", async () => {
    at.pi('printf "%s\\n" "$OUT"; sleep 300 & echo $! >"$SEEN"; sleep 300');
    const seen = join(at.folder, "seen");
    const run = await at.attempt(["--timeout", "0.5"], { SEEN: seen });
    expect(run.stderr).toBe(failure("Pi did not end within 0.5 s"));
    expect(run.status).toBe(10);
    expect(existsSync(`/proc/${readFileSync(seen, "utf8").trim()}`)).toBe(false);
    expect(at.written(at.transcript)).toBe(`${goodLines.join("\n")}\n`);
  });

  test("what is left of Pi's tree after a normal exit is torn down", async () => {
    at.pi('setsid sleep 300 >/dev/null 2>&1 & echo $! >"$SEEN"; printf "%s\\n" "$OUT"');
    const seen = join(at.folder, "seen");
    expect((await at.attempt([], { SEEN: seen })).status).toBe(0);
    expect(existsSync(`/proc/${readFileSync(seen, "utf8").trim()}`)).toBe(false);
  });
});

test("a transcript that cannot grow is a failure, but stops neither Pi nor its stream", async () => {
  at.pi(
    'head -c 200000 /dev/zero | tr "\\0" "x"; echo; printf "one\\n2\\n" >src/app.py; printf "%s\\n" "$OUT"',
  );
  const limited = 'ulimit -f 100; exec "$0" attempt --model m "$1"';
  const child = Bun.spawn(["/bin/sh", "-c", limited, executable, at.contract], {
    cwd: at.worktree,
    env: { ...process.env, ...at.env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(stderr).toMatch(/^satyrn-engine: ATTEMPT_FAILED: SATYRN_ATTEMPT_TRANSCRIPT '.*': .*\(EFBIG\)\n$/);
  expect(await child.exited).toBe(10);
  expect(stdout).toEndWith(`${goodLines.join("\n")}\n`);
  expect(at.written(at.patch)).toContain("+2\n");
});

for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) {
  test(`${signal} is forwarded, awaited, and the artifacts are published as far as they go`, async () => {
    at.pi(
      `printf 'one\\n2\\n' >src/app.py; trap 'echo got ${signal.slice(3)} >"$SEEN"; exit 0' ${signal.slice(3)}; printf "%s\\n" "$OUT"; echo ready >&2; while :; do sleep 0.1; done`,
    );
    const seen = join(at.folder, "seen");
    const child = at.start([], { SEEN: seen });
    const reader = child.stderr.getReader();
    await reader.read();
    child.kill(signal);
    let stderr = "";
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
      stderr += Buffer.from(chunk.value).toString();
    expect(await child.exited).toBe(10);
    expect(stderr).toEndWith(failure(`interrupted by ${signal}`));
    expect(readFileSync(seen, "utf8")).toBe(`got ${signal.slice(3)}\n`);
    expect(at.written(at.transcript)).toBe(`${goodLines.join("\n")}\n`);
    expect(at.written(at.patch)).toContain("+2\n");
  });
}

test("a Pi that ignores the signal is killed in time for a delivery that waits 5 s", async () => {
  at.pi("trap '' TERM; echo ready >&2; while :; do sleep 0.1; done");
  const child = at.start();
  await child.stderr.getReader().read();
  const told = performance.now();
  child.kill("SIGTERM");
  expect(await child.exited).toBe(10);
  expect(performance.now() - told).toBeLessThan(4500);
});

describe("the engine's stdout", () => {
  test("a reader that closed it stops neither Pi nor the artifacts; the engine exits 1", async () => {
    at.pi(
      'i=0; while [ $i -lt 200 ]; do printf "%01000d\\n" 0; i=$((i+1)); done; printf "one\\n2\\n" >src/app.py; printf "%s\\n" "$OUT"',
    );
    const child = at.start();
    await child.stdout.cancel();
    expect(await child.exited).toBe(1);
    expect(at.written(at.transcript)?.length).toBe(200 * 1001 + goodLines.join("\n").length + 1);
    expect(at.written(at.patch)).toContain("+2\n");
  });

  test("closed from the start it is as if the reader had gone", async () => {
    at.pi('printf "one\\n2\\n" >src/app.py; printf "%s\\n" "$OUT"');
    const closed = 'exec "$0" attempt --model m "$1" >&-';
    const child = Bun.spawn(["/bin/sh", "-c", closed, executable, at.contract], {
      cwd: at.worktree,
      env: { ...process.env, ...at.env },
      stdout: "ignore",
      stderr: "pipe",
    });
    expect(await child.stderr.text()).toStartWith("satyrn-engine: attempt OK: ");
    expect(await child.exited).toBe(1);
    expect(at.written(at.transcript)).toBe(`${goodLines.join("\n")}\n`);
    expect(at.written(at.patch)).toContain("+2\n");
  });

  test("an unread stdout slows Pi down but holds no deadline", async () => {
    at.pi("while :; do printf '%01000d\\n' 0; done");
    const child = at.start(["--timeout", "1"]);
    const started = performance.now();
    expect(await child.exited).toBe(10);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  const floods = {
    "one line": 'head -c 200000000 /dev/zero | tr "\\0" "x"; echo',
    "many events": `yes '{"type":"message_update","delta":"${"x".repeat(180)}"}' | head -c 200000000; echo`,
  };
  for (const [name, flood] of Object.entries(floods)) {
    test(`200 MB of transcript go through in flat memory: ${name}`, async () => {
      at.pi(`${flood}; printf "%s\\n" "$OUT"`);
      const child = Bun.spawn([executable, "attempt", "--model", "m", at.contract], {
        cwd: at.worktree,
        env: { ...process.env, ...at.env },
        stdout: "ignore",
        stderr: "pipe",
      });
      let peak = 0;
      while (child.exitCode === null) {
        peak = Math.max(peak, peakMegabytes(child.pid));
        await Bun.sleep(5);
      }
      expect(await child.stderr.text()).toContain("attempt OK");
      expect(peak).toBeGreaterThan(10);
      expect(peak).toBeLessThan(150);
      expect(Bun.file(at.transcript).size).toBeGreaterThan(200_000_000);
    });
  }
});

/** Peak memory of a process; its resource usage would begin with the peak of the runner that started it. */
function peakMegabytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

test("usage: no model, bad flags", async () => {
  const rows: readonly (readonly [readonly string[], string])[] = [
    [[at.contract], "no model: give --model, or set SATYRN_MODEL"],
    [
      ["--model", "m", "--timeout", "0", at.contract],
      '--timeout must be seconds above zero, such as 90 or 0.5, not "0"',
    ],
    [
      ["--model", "m", "--timeout", "1e3", at.contract],
      '--timeout must be seconds above zero, such as 90 or 0.5, not "1e3"',
    ],
    [["--model", "m"], "CONTRACT is missing"],
  ];
  for (const [args, problem] of rows) {
    const run = await engine(["attempt", ...args], {
      cwd: at.worktree,
      env: { ...at.env, SATYRN_MODEL: "" },
    });
    expect(run.stderr).toStartWith(`satyrn-engine: USAGE: ${problem}\n`);
    expect([run.status, run.stdout]).toEqual([2, ""]);
  }
});

test("the model from SATYRN_MODEL; --model before it", async () => {
  const run = await engine(["attempt", at.contract], {
    cwd: at.worktree,
    env: { ...at.env, SATYRN_MODEL: "from/env" },
  });
  expect(run.stderr).toContain("attempt OK: model from/env,");
  const other = await at.attempt([], { SATYRN_MODEL: "from/env", SATYRN_ATTEMPT_TRANSCRIPT: undefined });
  expect(other.stderr).toContain("attempt OK: model some/model,");
});

test("the worktree keeps what Pi did, and the index and HEAD stay", async () => {
  at.pi('printf "one\\n2\\n" >src/app.py; printf "%s\\n" "$OUT"');
  await at.attempt();
  expect(git(at.worktree, "status", "--porcelain")).toBe(" M src/app.py");
});
