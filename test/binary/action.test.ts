/** The steps of `action.yml`, run as a runner runs them, with the compiled executable, on real repositories. */
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { writeArchive, writeSums } from "../../scripts/build/release.ts";
import { executableName, hostTarget } from "../../scripts/build/targets.ts";
import { executable } from "../support/engine.ts";
import { serveGit } from "../support/git-server.ts";
import { git, gitEnvironment, makeRepository, snapshot, temporaryFolder } from "../support/repository.ts";
import { type Annotation, actionFolder, type Job, runAction, type Workflow } from "../support/runner.ts";
import { makeTask, type TestTask } from "../support/task.ts";

interface Scene {
  readonly folder: string;
  readonly repo: string;
  /** Writes the contract into the repository's folder of contracts, and commits it; gives its path there. */
  contract(text: string): string;
  run(inputs: Readonly<Record<string, string>>, more?: Partial<Workflow>): Promise<Job>;
}

const left: (() => void)[] = [];
afterEach(() => {
  for (const dispose of left.splice(0)) dispose();
});

function scene(): Scene {
  const { path: folder, dispose } = temporaryFolder("satyrn äction ");
  left.push(dispose);
  const repo = join(folder, "repo");
  makeRepository(repo, { "src/a.txt": "one\n", "README.md": "a project\n" });
  return {
    folder,
    repo,
    contract(text) {
      mkdirSync(join(repo, "contracts"), { recursive: true });
      writeFileSync(join(repo, "contracts/c.yaml"), text);
      git(repo, "add", "-A");
      git(repo, "commit", "-q", "-m", "a contract");
      return "contracts/c.yaml";
    },
    run: (inputs, more) =>
      runAction({ folder, workspace: repo, with: { path: executable, ...inputs }, ...more }),
  };
}

const minimal = "id: fix-1\ntask: change a file\n";
const shell = (script: string) => `sh\n-c\n${script}\n`;
const change = shell("echo two >> src/a.txt");

/** What must hold of every job: nothing that was printed is obeyed, and nothing is left for later steps. */
function expectQuiet(job: Job): void {
  expect(job).toMatchObject({ obeyed: [], exported: "", listening: true });
}

/** The summary, with names in the place of commits. */
function page(job: Job, repo: string): string {
  const candidate = job.outputs["candidate-commit"] || "no candidate";
  return job.summary.replaceAll(candidate, "CANDIDATE").replaceAll(git(repo, "rev-parse", "HEAD"), "BASE");
}

function golden(name: string): string {
  return readFileSync(join(actionFolder, `fixtures/action/${name}.md`), "utf8");
}

const annotation = (message: string, properties: Annotation["properties"], level = "error") => {
  return { level, message, properties };
};

describe("check", () => {
  test("accepts", async () => {
    const { contract, run } = scene();
    const job = await run({ operation: "check", contract: contract(minimal) });
    expect(job).toMatchObject({ status: 0, annotations: [] });
    expect(job.outputs).toEqual({
      outcome: "accepted",
      code: "OK",
      "exit-status": "0",
      "candidate-ref": "",
      "candidate-commit": "",
      receipt: "",
      verdict: "",
    });
    expect(job.summary).toStartWith("### ✅ The contract is accepted\n");
    expectQuiet(job);
  });

  test("refuses, on the line of the contract", async () => {
    const { contract, run } = scene();
    const job = await run({ operation: "check", contract: contract("id: fix-1\n\ntask: 7\n") });
    expect(job.status).toBe(5);
    expect(job.outputs).toMatchObject({
      outcome: "refused",
      code: "CONTRACT_MISSING_FIELD",
      "exit-status": "5",
    });
    const message =
      "contract field 'task' must be a string that is not blank, not a number (7) - quote the value: \"7\" " +
      "(line 3, column 7)";
    const properties = {
      title: "satyrn-engine: CONTRACT_MISSING_FIELD",
      file: "contracts/c.yaml",
      line: "3",
    };
    expect(job.annotations).toEqual([annotation(message, properties)]);
    expect(job.summary).toContain("### ❌ The contract is refused: CONTRACT_MISSING_FIELD\n");
    expectQuiet(job);
  });

  test("refuses a contract that is not there, without a line", async () => {
    const job = await scene().run({ operation: "check", contract: "none.yaml" });
    expect(job).toMatchObject({ status: 3, outputs: { code: "CONTRACT_UNREADABLE" } });
    expect(job.annotations).toEqual([
      annotation("cannot read contract none.yaml: no such file or directory (ENOENT)", {
        title: "satyrn-engine: CONTRACT_UNREADABLE",
        file: "none.yaml",
      }),
    ]);
  });

  test("refuses a repository that is not there", async () => {
    const { contract, run } = scene();
    const job = await run({ operation: "check", contract: contract(minimal), repo: "nowhere" });
    expect(job).toMatchObject({ status: 6, outputs: { outcome: "refused", code: "REPO_UNAVAILABLE" } });
    expect(job.annotations).toEqual([
      expect.objectContaining({ properties: { title: "satyrn-engine: REPO_UNAVAILABLE" } }),
    ]);
  });
});

describe("deliver", () => {
  const verified = [
    minimal.trim(),
    "writable_paths: [src/*]",
    "acceptance:",
    "  verification_commands:",
    "    - {argv: [grep, -q, one, src/a.txt], contract_refs: [R1]}",
    "    - {cmd: 'test -f src/new.txt'}",
    "  forbidden_patterns:",
    "    - {pattern: '(?m)^\\+.*debugger', description: no debugger statements, severity: disqualifier}",
    "    - {pattern: '(?m)^\\+.*TODO', description: no TODO left, severity: warning}",
    "  required_files: [README.md]",
    "",
  ].join("\n");
  const work =
    "printf 'one\\ntwo\\n' > src/a.txt; printf '# TODO\\n' > src/new.txt; printf '\\000' > src/b.bin";

  test("creates a candidate, and shows it as in fixtures/action/candidate-created.md", async () => {
    const { contract, folder, repo, run } = scene();
    git(folder, "init", "-q", "--bare", "remote.git");
    git(repo, "remote", "add", "origin", "../remote.git");
    const inputs = {
      ...{ operation: "deliver", contract: contract(verified) },
      ...{ command: shell(work), timeout: "20", push: "origin" },
    };
    const before = snapshot(repo);
    const job = await run(inputs);
    const commit = git(repo, "rev-parse", "refs/satyrn/candidates/fix-1/head");
    expect(job.status).toBe(0);
    expect(job.outputs).toEqual({
      outcome: "candidate-created",
      code: "OK",
      "exit-status": "0",
      "candidate-ref": "refs/satyrn/candidates/fix-1/head",
      "candidate-commit": commit,
      receipt: expect.stringContaining(`${job.temporary}/satyrn-receipt-`),
      verdict: "",
    });
    expect({ ...snapshot(repo), refs: "" }).toEqual({ ...before, refs: "" });
    const receipt = job.outputs["receipt"] ?? "";
    expect(statSync(receipt).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(receipt, "utf8"))).toMatchObject({ code: "OK", candidate_commit: commit });
    expect(job.annotations).toEqual([
      annotation(
        "no TODO left",
        { title: "satyrn-engine: guard forbidden_patterns/1", file: "src/new.txt", line: "1" },
        "warning",
      ),
    ]);
    expect(page(job, repo)).toBe(golden("candidate-created"));
    expectQuiet(job);
  });

  test("discards a change whose check and guard fail, at the guard's line, as in fixtures/action/verification-failed.md", async () => {
    const { contract, repo, run } = scene();
    const command = shell("printf 'one\\ntwo\\ndebugger\\n' > src/a.txt");
    const job = await run({ operation: "deliver", contract: contract(verified), command });
    expect(job.status).toBe(21);
    expect(job.outputs).toMatchObject({
      outcome: "discarded",
      code: "VERIFICATION_FAILED",
      "exit-status": "21",
      "candidate-ref": "",
      "candidate-commit": "",
    });
    expect(JSON.parse(readFileSync(job.outputs["receipt"] ?? "", "utf8")).code).toBe("VERIFICATION_FAILED");
    const message =
      "failed: command 1 (no refs) exit 1, expected 0; failed: guard forbidden_patterns/0 no debugger statements";
    expect(job.annotations).toEqual([
      annotation(message, { title: "satyrn-engine: VERIFICATION_FAILED" }),
      annotation("no debugger statements", {
        title: "satyrn-engine: guard forbidden_patterns/0",
        file: "src/a.txt",
        line: "3",
      }),
    ]);
    expect(page(job, repo)).toBe(golden("verification-failed"));
    expect(git(repo, "for-each-ref", "refs/satyrn")).toBe("");
    expectQuiet(job);
  });

  test.each([
    ["discards", shell("exit 3"), "discarded", "COMMAND_FAILED", "sh exited with status 3"],
    ["discards", shell("echo x >> README.md"), "discarded", "PATH_UNDECLARED", "README.md"],
    ["discards", "true", "discarded", "NO_CHANGES", "changed nothing"],
    ["refuses", "no-such-program", "refused", "COMMAND_UNAVAILABLE", "no-such-program"],
  ])("%s %j", async (_, command, outcome, code, words) => {
    const { contract, run } = scene();
    const text = `${minimal}writable_paths: [src/*]\n`;
    const job = await run({ operation: "deliver", contract: contract(text), command });
    expect(job).toMatchObject({
      status: 8,
      outputs: { outcome, code, "exit-status": "8", "candidate-ref": "" },
    });
    expect(job.annotations).toEqual([
      annotation(expect.stringContaining(words) as unknown as string, { title: `satyrn-engine: ${code}` }),
    ]);
    expect(job.summary).toContain(code);
  });

  test("refuses a contract with its line, and a working tree with changes", async () => {
    const { contract, repo, run } = scene();
    const bad = await run({ operation: "deliver", contract: contract("id: [\n"), command: change });
    expect(bad).toMatchObject({ status: 4, outputs: { outcome: "refused", code: "CONTRACT_INVALID_YAML" } });
    expect(bad.annotations[0]?.properties).toMatchObject({ file: "contracts/c.yaml", line: "2" });
    contract(minimal);
    writeFileSync(join(repo, "new.txt"), "");
    const dirty = await run({ operation: "deliver", contract: "contracts/c.yaml", command: change });
    expect(dirty).toMatchObject({ status: 8, outputs: { outcome: "refused", code: "REPO_DIRTY" } });
  });

  test("asks Git nothing about a change whose checks changed Git's state", async () => {
    const { contract, folder, repo, run } = scene();
    const planted = join(folder, "planted");
    const check = `git config diff.x.command 'touch "${planted}"'; git config core.bare true`;
    const text = `${minimal}acceptance: {verification_commands: [{cmd: ${JSON.stringify(check)}}]}\n`;
    const job = await run({ operation: "deliver", contract: contract(text), command: change });
    git(repo, "config", "core.bare", "false");
    expect(job).toMatchObject({ status: 8, outputs: { code: "COMMAND_CHANGED_GIT_STATE" } });
    expect(job.summary).toContain('<th colspan="1" align="left">1 changed path</th>');
    expect(existsSync(planted)).toBe(false);
  });

  test("starts from the base, and from another folder than the repository", async () => {
    const { contract, folder, repo, run } = scene();
    contract(minimal);
    const inputs = { operation: "deliver", contract: "repo/contracts/c.yaml", repo: "repo", base: "HEAD~1" };
    const job = await run({ ...inputs, command: change }, { workspace: folder });
    expect(job).toMatchObject({ status: 0 });
    const parent = git(repo, "rev-parse", `${job.outputs["candidate-commit"]}^`);
    expect(parent).toBe(git(repo, "rev-parse", "HEAD~1"));
  });
});

describe("a path", () => {
  test.each([
    ["of a program that is another", "#!/bin/sh\necho git version 2\n"],
    ["of a program that cannot be started here", "\x7fELF\0\0\0"],
    ["of a text", "hello\n"],
  ])("%s fails by name, and nothing is done", async (_, text) => {
    const { contract, folder, run } = scene();
    const path = join(folder, "program");
    writeFileSync(path, text);
    chmodSync(path, 0o755);
    const job = await run({ operation: "check", contract: contract(minimal), path });
    const message = "what 'path' or 'version' gave is no satyrn-engine that starts here";
    expect(job).toMatchObject({ status: 2, outputs: { code: "" }, summary: "" });
    expect(job.annotations).toEqual([annotation(message, { title: "satyrn-engine: USAGE" })]);
    expectQuiet(job);
  });
});

describe("a job that is cancelled", () => {
  test("is told so, with its receipt and its outputs", async () => {
    const { contract, folder, repo, run } = scene();
    const marker = join(folder, "running");
    const inputs = { operation: "deliver", contract: contract(minimal), timeout: "60" };
    const command = shell(`echo x >> src/a.txt; touch '${marker}'; sleep 50`);
    const job = await run({ ...inputs, command }, { cancelled: () => existsSync(marker) });
    expect(job).toMatchObject({ status: 8, outputs: { outcome: "discarded", code: "INTERRUPTED" } });
    expect(JSON.parse(readFileSync(job.outputs["receipt"] ?? "", "utf8"))).toMatchObject({
      code: "INTERRUPTED",
    });
    expect(git(repo, "worktree", "list").split("\n")).toHaveLength(1);
    expectQuiet(job);
  });
});

describe("push", () => {
  const ref = "refs/satyrn/candidates/fix-1/head";
  function withRemote() {
    const at = scene();
    const remote = join(at.folder, "remote repo.git");
    git(at.folder, "init", "-q", "--bare", remote);
    git(at.repo, "remote", "add", "origin", remote);
    const deliver = (inputs: Readonly<Record<string, string>> = {}) =>
      at.run({
        operation: "deliver",
        contract: "contracts/c.yaml",
        command: change,
        push: "origin",
        ...inputs,
      });
    at.contract(minimal);
    return { ...at, remote, deliver };
  }

  test("brings a created candidate to the remote, and runs no hook", async () => {
    const { repo, remote, deliver } = withRemote();
    const hook = join(repo, ".git/hooks/pre-push");
    writeFileSync(hook, "#!/bin/sh\nexit 1\n");
    chmodSync(hook, 0o755);
    const job = await deliver();
    expect(job).toMatchObject({ status: 0, outputs: { code: "OK" } });
    expect(git(remote, "for-each-ref", "--format=%(refname) %(objectname)")).toBe(
      `${ref} ${job.outputs["candidate-commit"]}`,
    );
    expect(job.summary).toContain(`<pre lang="sh"><code>git fetch origin ${ref}\n`);
    expectQuiet(job);
  });

  const header = `basic ${Buffer.from("x-access-token:secret").toString("base64")}`;

  test.each([
    ["in the repository's configuration", false],
    ["in a file of its own, which the repository's configuration includes", true],
  ])("is let in by what actions/checkout leaves %s", async (_, apart) => {
    const { folder, repo, remote, deliver } = withRemote();
    const server = serveGit(folder, header);
    left.push(() => void server.stop());
    git(repo, "remote", "set-url", "origin", `${server.url}${encodeURIComponent(basename(remote))}`);
    const credentials = join(folder, "git-credentials.config");
    const file = apart ? ["--file", credentials] : ["--local"];
    git(repo, "config", ...file, `http.${server.url}.extraheader`, `AUTHORIZATION: ${header}`);
    if (apart) git(repo, "config", "--local", `includeIf.gitdir:${repo}/.git.path`, credentials);
    const job = await deliver();
    expect(job).toMatchObject({ status: 0, outputs: { code: "OK" }, annotations: [] });
    expect(git(remote, "rev-parse", ref)).toBe(job.outputs["candidate-commit"] ?? "");
    expect(job.log + job.summary).not.toContain(header);
  });

  test("asks nobody for a password", async () => {
    const { folder, repo, remote, deliver } = withRemote();
    const server = serveGit(folder, header);
    left.push(() => void server.stop());
    git(repo, "remote", "set-url", "origin", `${server.url}${encodeURIComponent(basename(remote))}`);
    const job = await deliver();
    expect(job).toMatchObject({ status: 8, outputs: { code: "PUSH_FAILED" } });
    expect(job.annotations[0]?.message).toContain("could not read Username");
    expect(git(remote, "for-each-ref")).toBe("");
  });

  test("goes out of a clone as actions/checkout makes it: of one commit, detached", async () => {
    const { folder, repo, remote, run } = withRemote();
    git(repo, "push", "-q", "origin", "main");
    const clone = join(folder, "clone");
    git(folder, "init", "-q", clone);
    git(clone, "remote", "add", "origin", `file://${remote}`);
    git(
      clone,
      "fetch",
      "-q",
      "--no-tags",
      "--depth=1",
      "origin",
      "+refs/heads/main:refs/remotes/origin/main",
    );
    git(clone, "checkout", "-q", "--detach", "origin/main");
    const inputs = { operation: "deliver", contract: "contracts/c.yaml", command: change, push: "origin" };
    const job = await run(inputs, { workspace: clone });
    expect(job).toMatchObject({ status: 0, outputs: { code: "OK" } });
    expect(git(remote, "log", "--format=%s", ref).split("\n")).toEqual([
      "candidate: fix-1",
      "a contract",
      "base",
    ]);
  });

  test("fails in the remote's own words if that declines", async () => {
    const { remote, deliver } = withRemote();
    const hook = join(remote, "hooks/pre-receive");
    writeFileSync(
      hook,
      "#!/bin/sh\nprintf 'GH013: a secret\\n::error::planted\\n\\nline\\033[2J 3\\n'\nexit 1\n",
    );
    chmodSync(hook, 0o755);
    const job = await deliver();
    expect(job).toMatchObject({ status: 8, outputs: { code: "PUSH_FAILED" } });
    const why =
      "[remote rejected] (pre-receive hook declined): GH013: a secret; ::error::planted; line\\u001b[2J 3";
    expect(job.annotations.map(({ message }) => message)).toEqual([
      `${ref} was not pushed to origin: ${why}`,
    ]);
    expect(job.log).not.toContain("\x1b");
    expect(job.summary).toContain("The candidate is in this job's repository only, and goes with it");
    expect(job.summary).not.toContain("<code>push</code>");
    expectQuiet(job);
  });

  test("pushes nothing if there is no candidate", async () => {
    const { remote, deliver } = withRemote();
    expect(await deliver({ command: "false" })).toMatchObject({ outputs: { code: "COMMAND_FAILED" } });
    expect(git(remote, "for-each-ref")).toBe("");
  });

  test.each([
    ["is gone", "mv remote away", "does not appear to be a git repository"],
    ["has the ref at another commit", "another commit", "stale info"],
    ["has the ref at a commit that could be moved forward", "an ancestor", "stale info"],
  ])("fails by name if the remote %s", async (_, obstacle, words) => {
    const { folder, repo, remote, deliver } = withRemote();
    const other = git(repo, "commit-tree", "-m", "x", "HEAD^{tree}");
    if (obstacle === "mv remote away") git(repo, "remote", "set-url", "origin", join(folder, "none"));
    else git(repo, "push", "-q", remote, `${obstacle === "an ancestor" ? "HEAD" : other}:${ref}`);
    const before = git(remote, "for-each-ref");
    const job = await deliver();
    expect(job.status).toBe(8);
    expect(job.outputs).toMatchObject({
      outcome: "candidate-created",
      code: "PUSH_FAILED",
      "exit-status": "8",
      "candidate-ref": ref,
      "candidate-commit": git(repo, "rev-parse", ref),
    });
    const [refused, ...more] = job.annotations;
    expect(more).toEqual([]);
    expect(refused?.properties).toEqual({ title: "satyrn-engine: PUSH_FAILED" });
    expect(refused?.message).toStartWith(`${ref} was not pushed to origin: `);
    expect(refused?.message).toContain(words);
    expect(job.summary).toStartWith("### ❌ A candidate was created, and not pushed\n");
    expect(git(remote, "for-each-ref")).toBe(before);
    expectQuiet(job);
  });

  test("goes nowhere else if the command changes the remote's address", async () => {
    const { folder, deliver } = withRemote();
    const elsewhere = join(folder, "elsewhere.git");
    git(folder, "init", "-q", "--bare", elsewhere);
    const command = shell(`echo two >> src/a.txt; git config remote.origin.pushurl '${elsewhere}'`);
    const job = await deliver({ command });
    expect(job).toMatchObject({ status: 8, outputs: { code: "PUSH_FAILED" } });
    expect(job.annotations[0]?.message).toEndWith("the remote was changed while the command ran");
    expect(git(elsewhere, "for-each-ref")).toBe("");
  });

  test.each(["upstream", "--all", "true", "https://example.invalid/x.git", "origin\n--force"])(
    "refuses the remote %j before the command runs",
    async (push) => {
      const { folder, deliver } = withRemote();
      const job = await deliver({ push, command: `touch\n${folder}/ran` });
      expect(job).toMatchObject({
        status: 2,
        outputs: { outcome: "refused", code: "USAGE", "exit-status": "2" },
      });
      expect(job.annotations[0]?.message).toBe(
        `input 'push' must be false or the name of a remote, not ${JSON.stringify(push)}: there are origin`,
      );
      expect(existsSync(`${folder}/ran`)).toBe(false);
      expectQuiet(job);
    },
  );
});

describe("verify and accept", () => {
  const expected = (code: number) => ({
    verification_commands: [{ cmd: `exit ${code}`, contract_refs: ["R1"] }],
    forbidden_patterns: [{ pattern: "(?m)^\\+two", description: "no two", severity: "warning" }],
  });
  function run(task: TestTask, inputs: Readonly<Record<string, string>>): Promise<Job> {
    left.push(() => task.dispose());
    return runAction({ folder: task.folder, workspace: task.folder, with: { path: executable, ...inputs } });
  }
  const task = (code: number) =>
    makeTask({ expected: expected(code), change: { "src/a.txt": "one\ntwo\n" } });
  const lineOf = (job: Job) => JSON.parse(readFileSync(job.outputs["receipt"] ?? "", "utf8"));

  test("verify: CHECKED, all passed", async () => {
    const at = task(0);
    const job = await run(at, { operation: "verify", packet: at.packet() });
    expect(job).toMatchObject({
      status: 0,
      outputs: { outcome: "accepted", code: "OK", verdict: "CHECKED" },
    });
    expect(lineOf(job)).toMatchObject({ status: "CHECKED", passed: true, reasons: [] });
    expect(job.annotations).toEqual([
      annotation(
        "no two",
        { title: "satyrn-engine: guard forbidden_patterns/0", file: "src/a.txt", line: "2" },
        "warning",
      ),
    ]);
    expect(job.summary).toContain("1 changed path, +2 −0");
    expect(job.summary).toContain("1 check, 2 guards, 0 failed");
    expectQuiet(job);
  });

  test("verify: CHECKED, with reasons", async () => {
    const at = task(3);
    const job = await run(at, { operation: "verify", packet: at.packet() });
    expect(job).toMatchObject({
      status: 21,
      outputs: { outcome: "refused", code: "ACCEPTANCE_FAILED", verdict: "CHECKED" },
    });
    expect(lineOf(job)).toMatchObject({ status: "CHECKED", passed: false });
    expect(job.annotations[0]).toEqual(
      annotation("failed: command 0 (R1) exit 3, expected 0", { title: "satyrn-engine: ACCEPTANCE_FAILED" }),
    );
    expect(job.summary).toContain("<td><code>exit 3, expected 0</code></td>");
  });

  test("accept: ACCEPTED", async () => {
    const at = task(0);
    const job = await run(at, { operation: "accept", packet: at.packet(), submission: at.submission() });
    expect(job).toMatchObject({
      status: 0,
      outputs: { outcome: "accepted", code: "OK", verdict: "ACCEPTED" },
    });
    expect(lineOf(job)).toMatchObject({ status: "ACCEPTED", reasons: [] });
    expect(job.summary).toStartWith("### ✅ The task is ACCEPTED\n");
  });

  test("accept: FAILED", async () => {
    const at = task(0);
    const submission = at.submission({ blockers: [{ kind: "needs-review", detail: "a <b> | `c`" }] });
    const job = await run(at, { operation: "accept", packet: at.packet(), submission });
    expect(job).toMatchObject({
      status: 21,
      outputs: { outcome: "refused", code: "ACCEPTANCE_FAILED", verdict: "FAILED" },
    });
    expect(lineOf(job)).toMatchObject({ status: "FAILED", reasons: ["needs-review: a <b> | `c`"] });
    expect(job.annotations).toEqual([
      annotation("needs-review: a <b> | `c`", { title: "satyrn-engine: ACCEPTANCE_FAILED" }),
    ]);
    expect(job.summary).toContain("<p><code>needs-review: a &lt;b&gt; | `c`</code></p>");
  });

  test.each(["verify", "accept"])("%s: BLOCKED", async (operation) => {
    const at = task(0);
    const packet = join(at.folder, "none\n::error::planted.json");
    const more = operation === "accept" ? { submission: at.submission() } : {};
    const job = await run(at, { operation, packet, ...more });
    expect(job).toMatchObject({
      status: 20,
      outputs: { outcome: "refused", code: "ACCEPTANCE_BLOCKED", verdict: "BLOCKED" },
    });
    expect(lineOf(job)).toMatchObject({ status: "BLOCKED" });
    expect(job.annotations).toHaveLength(1);
    expect(job.annotations[0]?.message).toContain("none\\n::error::planted.json: cannot be read");
    expect(job.summary).toContain("BLOCKED");
    expectQuiet(job);
  });
});

describe("fail-on: never", () => {
  test("passes a step whose operation is refused, and tells the status", async () => {
    const { contract, run } = scene();
    const inputs = {
      operation: "deliver",
      contract: contract(minimal),
      command: "false",
      "fail-on": "never",
    };
    const job = await run(inputs);
    expect(job).toMatchObject({ status: 0, outputs: { outcome: "discarded", "exit-status": "8" } });
    expect(job.annotations).toHaveLength(1);
  });

  test("still fails a step whose inputs are refused", async () => {
    const job = await scene().run({ operation: "deliver", "fail-on": "never" });
    expect(job).toMatchObject({
      status: 2,
      outputs: { outcome: "refused", code: "USAGE", "exit-status": "2" },
    });
    expect(job.annotations).toEqual([
      annotation("input 'contract' is required for deliver", { title: "satyrn-engine: USAGE" }),
    ]);
    expect(job.summary).toStartWith("### ❌ The inputs are refused\n");
  });
});

describe("what is printed, named or set by others", () => {
  const orders = [
    "::error file=x,line=1::planted",
    "::set-output name=code::OK",
    "  ::add-mask::a",
    "text ##[error]planted",
    "##[add-path]/planted",
    "::stop-commands::mine",
    "::mine::",
    "::add-matcher::x.json",
  ];

  test("gives the runner no orders", async () => {
    const { contract, run } = scene();
    const script = `${orders.map((order) => `echo '${order}'; echo '${order}' >&2`).join("; ")}; printf 'a\\r::error::planted'; false`;
    const job = await run({ operation: "deliver", contract: contract(minimal), command: shell(script) });
    for (const order of orders) expect(job.log.split(order).length).toBeGreaterThan(2);
    expect(job.annotations).toEqual([
      annotation("sh exited with status 1", { title: "satyrn-engine: COMMAND_FAILED" }),
    ]);
    expectQuiet(job);
  });

  test("would give it orders, were it not fenced in", async () => {
    const { run } = scene();
    const fake = join(temporary(), "planted");
    const version = '[ "$1" = action ] || exec echo satyrn-engine 1';
    writeFileSync(fake, `#!/bin/sh\n${version}\ncat <<'END'\n${orders.slice(0, 5).join("\n")}\nEND\n`);
    chmodSync(fake, 0o755);
    const job = await run({ path: fake, operation: "check" });
    expect(job.annotations).toHaveLength(2);
    expect(job.obeyed).toHaveLength(3);
  });

  test("finds none of the step's own files and inputs in a command's environment", async () => {
    const { contract, folder, run } = scene();
    const command = shell(`env > '${folder}/env'; false`);
    await run({ operation: "deliver", contract: contract(minimal), command }, { env: { KEPT: "yes" } });
    const names = readFileSync(join(folder, "env"), "utf8")
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names).toContain("KEPT");
    expect(names).toContain("GITHUB_WORKSPACE");
    for (const name of ["OUTPUT", "ENV", "PATH", "STATE", "STEP_SUMMARY"])
      expect(names).not.toContain(`GITHUB_${name}`);
    expect(names.filter((name) => name?.startsWith("SATYRN_ACTION"))).toEqual([]);
  });

  test("has no effect on the executable by the variables that docs/security.md lists", async () => {
    const { contract, folder, run } = scene();
    const planted = join(folder, "planted.sh");
    writeFileSync(planted, `echo '::error::planted'; touch '${folder}/ran'\n`);
    const env = {
      BUN_JSC_dumpOptions: "1",
      BUN_BE_BUN: "1",
      JSC_SIGNAL_FOR_GC: "9",
      MIMALLOC_VERBOSE: "1",
      NODE_CHANNEL_FD: "x",
      SIMDUTF_FORCE_IMPLEMENTATION: "none",
      BASH_ENV: planted,
      LD_PRELOAD: join(folder, "none.so"),
    };
    const command = shell(`env > '${folder}/env'; false`);
    const job = await run({ operation: "deliver", contract: contract(minimal), command }, { env });
    expect(job).toMatchObject({ status: 8, outputs: { code: "COMMAND_FAILED" } });
    expect(job.log).toMatch(
      /^::stop-commands::\S+\nsatyrn-engine: deliver: COMMAND_FAILED: [^\n]+\n::\S+::\n::error [^\n]+\n$/,
    );
    expect(existsSync(join(folder, "ran"))).toBe(false);
    const names = readFileSync(join(folder, "env"), "utf8")
      .split("\n")
      .map((line) => line.split("=")[0] ?? "");
    expect(names.filter((name) => name in env)).toEqual([]);
  });

  test.each([
    "a\n::set-output name=code::OK\n::error::planted",
    "a\r::error::planted",
    "a<<END\nb\nEND\ncode=OK",
    "$(touch pwned) `touch pwned` \"'; touch pwned #",
    `$\{HOME} $\{{ github.token }}`,
    "ümläut ☃ |a|b| <script>alert(1)</script> `x` [y](z) @all #1 \u202egnp.exe",
    "--help",
    "%0A::error::planted%0a",
  ])("is nothing but a name: %j", async (name) => {
    const { repo, run } = scene();
    const job = await run({ operation: "check", contract: name });
    expect(job).toMatchObject({ status: 3, outputs: { code: "CONTRACT_UNREADABLE" } });
    expect(job.annotations).toHaveLength(1);
    expect(job.annotations[0]?.properties["file"]).toBe(name);
    expect(job.summary).not.toContain("<script>");
    expect(job.summary).not.toContain("\u202e");
    expect(job.summary.split("\n").filter((line) => line.startsWith("::"))).toEqual([]);
    expect(existsSync(join(repo, "pwned"))).toBe(false);
    expectQuiet(job);
  });

  test("is nothing but an argument, an id, a path in the change", async () => {
    const { contract, repo, run } = scene();
    const id = "$(touch$IFS@pwned)`x`;'\"&|ü";
    const path = contract(`id: ${JSON.stringify(id)}\ntask: x\n`);
    const script = 'printf x > "src/$1"; printf "%s|" "$@" >&2';
    const words = ["<b>|`a` ü\t.txt", "", "$(touch pwned)", "::error::planted"];
    const job = await run({
      operation: "deliver",
      contract: path,
      command: ["sh", "-c", script, "sh", ...words].join("\n"),
    });
    expect(job).toMatchObject({ status: 0, annotations: [] });
    const ref = `refs/satyrn/candidates/${id}/head`;
    expect(job.outputs["candidate-ref"]).toBe(ref);
    expect(git(repo, "rev-parse", ref)).toBe(job.outputs["candidate-commit"] ?? "");
    expect(job.log).toContain(`${words.join("|")}|`);
    expect(job.summary).toContain("<td><code>src/&lt;b&gt;|`a` ü\\t.txt</code></td><td>+1</td>");
    expect(existsSync(join(repo, "pwned"))).toBe(false);
    expectQuiet(job);
  });
});

describe("the executable", () => {
  const { path: dist, dispose } = temporaryFolder();
  afterAll(dispose);
  const target = hostTarget();
  const archive = `satyrn-engine-1.2.3-${target}.tar.gz`;
  const requested: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      requested.push(pathname);
      const [, , repository, , , , file = ""] = pathname.split("/");
      const bytes = Bun.file(join(dist, file));
      if (!(await bytes.exists())) return new Response("", { status: 404 });
      return repository === "tampered" && file === archive
        ? new Response(`${await bytes.text()}x`)
        : new Response(bytes);
    },
  });
  afterAll(() => server.stop(true));

  test("is got from the release, by its checksum", async () => {
    // Stands in for 100 MB: the archive itself is what is verified.
    writeFileSync(join(dist, executableName(target)), `#!/bin/sh\nexec '${executable}' "$@"\n`);
    chmodSync(join(dist, executableName(target)), 0o755);
    await writeArchive(dist, actionFolder, "1.2.3", target);
    await writeSums(dist, [archive]);
    const { contract, run } = scene();
    const release = { serverUrl: server.url.origin, actionRepository: "owner/satyrn-engine" };
    const inputs = { operation: "check", contract: contract(minimal), path: "" };
    const job = await run({ ...inputs, version: "v1.2.3" }, release);
    expect(job).toMatchObject({ status: 0, outputs: { code: "OK" }, annotations: [] });
    const place = "/owner/satyrn-engine/releases/download/v1.2.3";
    expect(requested).toEqual([`${place}/SHA256SUMS`, `${place}/${archive}`]);
    expectQuiet(job);
  });

  test.each([
    ["an archive that was tampered with", "owner/tampered", { version: "1.2.3" }, "could not be installed"],
    ["a release that is not there", "owner/satyrn-engine", { version: "9.9.9" }, "could not be installed"],
    [
      "a version that is a path",
      "owner/satyrn-engine",
      { version: "../../x" },
      "must be a release such as 1.2.3",
    ],
    [
      "a version of two lines",
      "owner/x",
      { version: "1\n::error::planted" },
      "must be a release such as 1.2.3",
    ],
    ["a version of an action that is used by its path", "", { version: "1.2.3" }, "give the input 'path'"],
    ["neither version nor path", "owner/x", {}, "one of the inputs 'version' and 'path' is required"],
    ["both", "owner/x", { version: "1.2.3", path: executable }, "exclude each other"],
    ["a path of two lines", "owner/x", { path: "a\n::error::planted" }, "must be a path on one line"],
    ["a path to nothing", "owner/x", { path: "$(touch pwned)" }, "must name an executable file"],
    ["a path to a folder", "owner/x", { path: "/" }, "must name an executable file"],
  ])("is refused: %s", async (_, actionRepository, inputs, words) => {
    const { contract, repo, run } = scene();
    const job = await run(
      { operation: "check", contract: contract(minimal), path: "", ...inputs },
      { serverUrl: server.url.origin, actionRepository },
    );
    expect(job.status).toBe(2);
    expect(Object.values(job.outputs).join("")).toBe("");
    expect(job.annotations).toEqual([
      annotation(expect.stringContaining(words) as unknown as string, { title: "satyrn-engine: USAGE" }),
    ]);
    expect(existsSync(join(repo, "pwned"))).toBe(false);
    expectQuiet(job);
  });

  test("is found by a path that is relative to where the step runs", async () => {
    const { folder, repo, contract, run } = scene();
    writeFileSync(join(folder, "my engine"), `#!/bin/sh\nexec '${executable}' "$@"\n`);
    chmodSync(join(folder, "my engine"), 0o755);
    const job = await run(
      { operation: "check", contract: contract(minimal), path: "../my engine" },
      { workspace: repo },
    );
    expect(job).toMatchObject({ status: 0, outputs: { code: "OK" } });
  });
});

test("outside of a workflow, `action` is a usage error", () => {
  const child = Bun.spawnSync([executable, "action"], { env: gitEnvironment() });
  expect(child.exitCode).toBe(2);
  expect(child.stderr.toString()).toContain(
    "GITHUB_OUTPUT is not set: action runs in a step of a GitHub workflow",
  );
});

describe("an outcome that cannot be told", () => {
  const step = (env: Readonly<Record<string, string>>) => {
    const { contract, repo } = scene();
    const folder = temporary();
    const asked = { SATYRN_ACTION_OPERATION: "deliver", SATYRN_ACTION_CONTRACT: contract(minimal) };
    const files = {
      GITHUB_OUTPUT: join(folder, "o"),
      GITHUB_STEP_SUMMARY: join(folder, "s"),
      RUNNER_TEMP: folder,
    };
    return Bun.spawnSync([executable, "action"], {
      cwd: repo,
      env: { ...gitEnvironment(), ...asked, SATYRN_ACTION_COMMAND: change, ...files, ...env },
    });
  };
  const nowhere = "no such file or directory (ENOENT)";

  test.each([
    ["GITHUB_OUTPUT", "the outputs"],
    ["GITHUB_STEP_SUMMARY", "the summary"],
    ["RUNNER_TEMP", "the receipt"],
  ])("fails the step: %s cannot be written", (name, what) => {
    const child = step({ [name]: "/nowhere/x" });
    expect(child.exitCode).toBe(1);
    expect(child.stdout.toString()).toEndWith(
      `\n::error title=satyrn-engine::${what} could not be written: ${nowhere}\n`,
    );
  });

  test("is told in the outputs alone where there are no summaries", () => {
    expect(step({ GITHUB_STEP_SUMMARY: "" }).exitCode).toBe(0);
  });
});

function temporary(): string {
  const { path, dispose } = temporaryFolder();
  left.push(dispose);
  return path;
}
