import { afterEach, expect, test } from "bun:test";
import { lstatSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  type CandidateRequest,
  makeCandidateEvidence,
  verifyCandidate,
} from "../../../src/acceptance/candidate.ts";
import type { Expected } from "../../../src/expected/shape.ts";
import { commandEnvironment } from "../../../src/process/environment.ts";
import { gitEnvironment } from "../../../src/repository/git.ts";
import { disposeTask, make, task } from "./current-task.ts";

afterEach(disposeTask);

const common = () => join(task().folder, "main/.git");

function request(expected: Expected, more: Partial<CandidateRequest> = {}): CandidateRequest {
  const { worktree, inputs, source } = task();
  return {
    expected,
    worktree,
    git: { program: Bun.which("git") ?? "git", cwd: worktree, env: gitEnvironment(process.env) },
    objects: join(common(), "objects"),
    environment: { ...commandEnvironment(process.env, worktree), SATYRN_CONTRACT_ID: "T1" },
    base: inputs,
    commit: source,
    evidence: () => makeCandidateEvidence({ commonDirectory: common() }, "T1", new Date(0)),
    interruption: null,
    changes: async () => ({ ok: true, value: [] }),
    ...more,
  };
}

test("checks and guards of a contract run on the candidate, with evidence in the repository", async () => {
  make();
  const expected = {
    verification_commands: [{ cmd: 'echo "$SATYRN_CONTRACT_ID"' }],
    required_files: ["src/a.txt"],
  };
  const { verification, trouble } = await verifyCandidate(request(expected));
  expect(trouble).toBeNull();
  expect(verification).toMatchObject({ passed: true, reasons: [] });
  expect(Object.keys(verification)).toEqual(["passed", "commands", "guards", "reasons"]);
  const path = verification.commands[0]?.stdout.path ?? "";
  const folder = join(common(), "satyrn/evidence/T1/19700101T000000Z-");
  expect(path.slice(0, -"0123456789ab/cmd-0.stdout".length)).toBe(folder);
  expect(readFileSync(path, "utf8")).toBe("T1\n");
});

test("what fails, what does not equal the candidate any more, and what could not be told", async () => {
  make();
  const expected = { verification_commands: [{ cmd: "exit 1" }], forbidden_files: ["src/a.txt"] };
  const changed = await verifyCandidate(
    request(expected, { changes: async () => ({ ok: true, value: ["x differs"] }) }),
  );
  expect(changed.verification.reasons).toEqual([
    "failed: command 0 (no refs) exit 1, expected 0",
    "failed: guard forbidden_files src/a.txt",
    "failed: source changed during checks: x differs",
  ]);
  const lost = await verifyCandidate(
    request(expected, { changes: async () => ({ ok: false, code: "GIT_FAILED", message: "no index" }) }),
  );
  expect(lost.trouble?.code).toBe("GIT_FAILED");
  expect(lost.verification).toMatchObject({ passed: false, reasons: ["failed: no index"] });
  expect(lost.verification.commands).toHaveLength(1);
});

test("nothing to run makes no evidence, and asks for no changes", async () => {
  make();
  const never = () => {
    throw new Error("asked");
  };
  const { verification } = await verifyCandidate(request({}, { evidence: never, changes: never }));
  expect(verification.passed).toBe(true);
});

test("an interruption stops the checks", async () => {
  make();
  const stop = new AbortController();
  const interruption = { signal: stop.signal, name: () => "SIGTERM" as const };
  const expected = { verification_commands: [{ cmd: "sleep 60" }, { cmd: "true" }] };
  setTimeout(() => stop.abort(), 200);
  const begun = performance.now();
  const { verification, trouble } = await verifyCandidate(request(expected, { interruption }));
  expect(trouble).toEqual({ code: "INTERRUPTED", message: "command 0 was interrupted" });
  expect(verification.passed).toBe(false);
  expect(performance.now() - begun).toBeLessThan(5000);
});

test("evidence that cannot be kept is trouble: a link is not followed", async () => {
  make();
  symlinkSync(task().folder, join(common(), "satyrn"));
  const { trouble } = await verifyCandidate(request({ verification_commands: [{ cmd: "true" }] }));
  expect(trouble).toEqual({
    code: "NO_EVIDENCE",
    message: "no evidence can be kept: satyrn is not a folder",
  });
  expect(lstatSync(join(task().folder, "evidence"), { throwIfNoEntry: false })).toBeUndefined();
});
