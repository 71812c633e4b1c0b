import { expect, test } from "bun:test";
import { openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { libc } from "../../../src/process/libc.ts";
import { memoryFile } from "../../../src/process/memory-file.ts";
import { gitEnvironment, runGit } from "../../../src/repository/git.ts";
import { temporaryFolder } from "../../support/repository.ts";

const onLinux = test.skipIf(process.platform !== "linux");
if (process.platform !== "linux") console.log("skipped: files in memory: not Linux");

const descriptors = () => readdirSync("/proc/self/fd").length;

onLinux(
  "it has all that a program wrote, also after the program's own child wrote, and from the start",
  async () => {
    const file = memoryFile();
    if (file === null) throw new Error("no file in memory");
    expect(file.read()).toEqual(Buffer.alloc(0));
    const script = "head -c 3000000 /dev/zero; (echo child); echo last";
    await Bun.spawn(["sh", "-c", script], { stdout: file.descriptor }).exited;
    const bytes = file.read();
    expect(bytes.length).toBe(3_000_000 + "child\nlast\n".length);
    expect(bytes.subarray(-11).toString()).toBe("child\nlast\n");
    expect(file.read()).toEqual(bytes);
    file.close();
  },
);

onLinux("each is another, inherited by none but whom it is given to, and gone when closed", async () => {
  const before = descriptors();
  const [one, other] = [memoryFile(), memoryFile()];
  await Bun.spawn(["bash", "-c", `echo x >&${other?.descriptor} || echo not inherited`], {
    stdout: one?.descriptor ?? "inherit",
    stderr: "ignore",
  }).exited;
  expect([one?.read().toString(), other?.read().toString()]).toEqual(["not inherited\n", ""]);
  one?.close();
  other?.close();
  expect(descriptors()).toBe(before);
});

onLinux("a process of Git leaves no descriptor, whether it succeeds, fails or cannot start", async () => {
  const folder = temporaryFolder();
  const context = { program: Bun.which("git") ?? "", cwd: folder.path, env: gitEnvironment(process.env) };
  const run = async (program = context.program) => {
    const answer = await runGit({ ...context, program }, ["rev-parse", "--git-dir"]);
    return answer.ok ? [answer.value.status, answer.value.stderr.slice(0, 6)] : answer.code;
  };
  await run();
  const before = descriptors();
  expect([await run(), await run("/nowhere/git")]).toEqual([[128, "fatal:"], "GIT_FAILED"]);
  expect(descriptors()).toBe(before);
  folder.dispose();
});

onLinux("where the system gives no file in memory, Git is heard by pipes", async () => {
  const calls = libc() as { memoryFile: unknown };
  const { memoryFile: original } = calls;
  calls.memoryFile = () => -1;
  try {
    expect(memoryFile()).toBeNull();
    const context = { program: Bun.which("git") ?? "", cwd: "/", env: gitEnvironment(process.env) };
    const answer = await runGit(context, ["version"]);
    if (!answer.ok) throw new Error(answer.message);
    expect(answer.value.stdout.toString()).toStartWith("git version ");
    const failed = await runGit(context, ["nonsense"]);
    if (!failed.ok) throw new Error(failed.message);
    expect(failed.value.stderr).toStartWith("git: 'nonsense' is not a git command");
  } finally {
    calls.memoryFile = original;
  }
});

onLinux("what Git wrote and cannot be read again is a refusal, of which nothing is left open", async () => {
  const folder = temporaryFolder();
  const context = { program: Bun.which("git") ?? "", cwd: "/", env: gitEnvironment(process.env) };
  const calls = libc() as { memoryFile: unknown };
  const { memoryFile: original } = calls;
  calls.memoryFile = () => openSync(join(folder.path, "written"), "w");
  try {
    await runGit(context, ["version"]);
    const before = descriptors();
    const answer = await runGit(context, ["version"]);
    expect<unknown>(answer).toEqual({
      ok: false,
      code: "GIT_FAILED",
      message: "what git version wrote cannot be read: bad file descriptor (EBADF)",
    });
    expect(descriptors()).toBe(before);
  } finally {
    calls.memoryFile = original;
    folder.dispose();
  }
});
