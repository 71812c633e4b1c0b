/** Each exit status that the table promises, from the executable, with its name where a person sees it. */
import { afterAll, expect, test as testAnywhere } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ExitName, exitStatus, internalError } from "../../src/outcome.ts";
import { scene } from "../support/delivery.ts";
import { type EngineRun, engine } from "../support/engine.ts";
import { needing } from "../support/means.ts";
import { gitEnvironment } from "../support/repository.ts";

const at = scene();
afterAll(() => at.dispose());

const contract = (text: string) => {
  writeFileSync(at.contract, text);
  return at.contract;
};
const minimal = "id: fix-1\ntask: change a file\n";
const run = (args: readonly string[], stdin = "") =>
  engine(args, {
    cwd: at.folder,
    env: { ...gitEnvironment(), TMPDIR: at.temporary, SATYRN_MODEL: undefined },
    stdin,
  });
const check = (text: string, repo = at.repo) => run(["check", "--repo", repo, contract(text)]);
const deliver = (text: string, ...command: string[]) =>
  run(["deliver", "--repo", at.repo, contract(text), "--", ...command]);
const ask = (text: string, fields: object) =>
  run(["protocol"], JSON.stringify({ version: 1, repo: at.repo, contract: contract(text), ...fields }));
const edit = { operation: "replace", path: "a.txt", expected_sha256: null, old_text: "one", new_text: "two" };

/** No operation gives the last two: one is for a run of the tests that no operation makes, one is reserved. */
const rows: Readonly<
  Record<Exclude<ExitName, "TESTS_FAILED" | "BUDGET_EXHAUSTED">, () => Promise<EngineRun>>
> = {
  OK: () => check(minimal),
  USAGE: () => run(["check", "--bogus"]),
  CONTRACT_UNREADABLE: () => run(["check", "--repo", at.repo, "missing.yaml"]),
  CONTRACT_INVALID_YAML: () => check("id: [\n"),
  CONTRACT_MISSING_FIELD: () => check("id: fix-1\n"),
  REPO_UNAVAILABLE: () => check(minimal, join(at.folder, "missing")),
  INVALID_REQUEST: () => run(["protocol"], "{}"),
  NO_CANDIDATE: () => deliver(minimal, "true"),
  MUTATION_REFUSED: () => ask(`${minimal}writable_paths: ["*"]\n`, edit),
  ATTEMPT_FAILED: () => run(["attempt", "--model", "m", contract(minimal)]),
  TEST_COMMAND_UNAVAILABLE: () => ask(minimal, { operation: "test" }),
  TEST_COMMAND_NOT_ALLOWED: () =>
    ask(`${minimal}test_command: ["true"]\n`, { operation: "test", command: "false" }),
  ACCEPTANCE_BLOCKED: () => run(["verify", "--packet", "missing.json"]),
  ACCEPTANCE_FAILED: () =>
    deliver(
      `${minimal}acceptance: {verification_commands: [{argv: ["false"]}]}\n`,
      ...["sh", "-c", "echo changed > a.txt"],
    ),
};

/** The codes under which a receipt or a response bears what the status sums up. */
const codes: Partial<Record<ExitName, string>> = {
  NO_CANDIDATE: "NO_CHANGES",
  MUTATION_REFUSED: "REVISION_UNAVAILABLE",
  ACCEPTANCE_FAILED: "VERIFICATION_FAILED",
};

for (const [name, refuse] of Object.entries(rows) as [keyof typeof rows, () => Promise<EngineRun>][]) {
  const needsShell = name === "ACCEPTANCE_FAILED" || name === "NO_CANDIDATE";
  const test = needsShell ? needing("a POSIX shell") : testAnywhere;
  test(`${exitStatus[name]} ${name}`, async () => {
    const { status, stdout, stderr } = await refuse();
    expect(status).toBe(exitStatus[name]);
    const code = codes[name] ?? name;
    if (name === "OK") expect([stdout, stderr]).toEqual(["", ""]);
    else if (stderr === "") expect(JSON.parse(stdout)).toMatchObject({ ok: false, code });
    else expect(stderr).toStartWith(`satyrn-engine: ${code}: `);
  });
}

needing("a POSIX shell")(`${internalError}, which has no name: a result that nobody could read`, async () => {
  const closed = await engine(["--version"], { wrapper: ["sh", "-c", '"$@" >&-', "sh"] });
  expect(closed).toMatchObject({ status: internalError, stderr: "" });
});
