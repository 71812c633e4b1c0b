import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { accept } from "../../../src/acceptance/accept.ts";
import { writeFiles } from "../../support/repository.ts";
import { type Changes, checks, disposeTask, judged, make, task } from "./current-task.ts";

afterEach(disposeTask);

const runs = () => join(task().worktree, ".devlyn/loop/runs");

describe("a candidate that may be accepted", () => {
  test("executes what nothing reports, and writes a result of fixed fields and layout", async () => {
    make({ expected: checks({ cmd: "echo a" }), reviewRequirements: ["R2"] });
    const reviews = [task().review("b.json"), task().review("a.json", { requirements: ["R1"] })];
    const { status, reasons, result: path, file } = await judged({ reviews, assumptions: ["ä", ""] });
    expect({ status, reasons }).toEqual({ status: "ACCEPTED", reasons: [] });
    expect(path).toBe(join(task().worktree, ".devlyn/loop/acceptance.json"));
    expect(readFileSync(path, "utf8")).toBe(`${JSON.stringify(file, null, 2)}\n`);
    expect(readFileSync(path, "utf8")).toContain('"ä"');
    expect(Object.keys(file)).toEqual([
      ...["allocation_base", "assumptions", "commands", "contract", "evidence", "guards", "ignored_reviews"],
      ...["inputs_sha", "kind", "reasons", "reviews", "schema_version", "source_sha", "task", "verdict"],
    ]);
    expect(file).toMatchObject({
      kind: "loop",
      schema_version: 1,
      verdict: "ACCEPTED",
      source_sha: task().source,
    });
    expect(file.evidence).toEqual([
      ".devlyn/loop/runs/1/cmd-0.stderr",
      ".devlyn/loop/runs/1/cmd-0.stdout",
      ".devlyn/reviews/a.json",
      ".devlyn/reviews/b.json",
    ]);
    const review = { path: ".devlyn/reviews/b.json", engine: "an engine", model: "a model" };
    expect(file.reviews[0]).toMatchObject({
      ...review,
      requirements: ["R1", "R2"],
      open_binding_findings: [],
    });
    expect(file.commands[0]).not.toHaveProperty("reused_from");
  });

  test("lists its evidence in the order of bytes", async () => {
    make();
    const reviews = ["\u{1f600}.json", "\uffdc.json", "z.json"].map((name) => task().review(name));
    expect((await judged({ reviews })).file.evidence).toEqual([reviews[2], reviews[1], reviews[0]]);
  });

  test("with nothing to run makes no run folder", async () => {
    make();
    expect((await judged()).status).toBe("ACCEPTED");
    expect(existsSync(runs())).toBe(false);
  });
});

describe("reviews", () => {
  test.each<[string, Changes, string[]]>([
    ["covered", {}, []],
    [
      "an open binding finding",
      { findings: [{ id: "F2", binding: true, disposition: "open" }] },
      ["failed: unresolved binding review findings F2"],
    ],
    [
      "an open finding that does not bind",
      { findings: [{ id: "F", binding: false, disposition: "open" }] },
      [],
    ],
    ["a resolved one", { findings: [{ id: "F", binding: true, disposition: "resolved", more: 1 }] }, []],
    [
      "a rejected one, with its reason",
      { findings: [{ id: "F", binding: true, disposition: "rejected", reason: "no" }] },
      [],
    ],
    [
      "a requirement not covered",
      { requirements: ["R1"] },
      ["failed: required review coverage missing for R2"],
    ],
    [
      "both",
      {
        requirements: [],
        findings: [
          { id: "A", binding: true, disposition: "open" },
          { id: "B", binding: true, disposition: "open" },
        ],
      },
      [
        "failed: required review coverage missing for R1, R2",
        "failed: unresolved binding review findings A, B",
      ],
    ],
  ])("%s", async (_, record, reasons) => {
    make({ reviewRequirements: ["R1", "R2"] });
    const judgement = await judged({ reviews: [task().review("a.json", record)] });
    expect(judgement.reasons).toEqual(reasons);
    expect(judgement.file.reviews).toHaveLength(1);
  });

  test.each<[string, Changes, (t: ReturnType<typeof task>) => string]>([
    ["another task", { task: "T2" }, () => "review is for task 'T2', not T1"],
    ["another source", { source_sha: "abc" }, ({ source }) => `review is bound to source abc, not ${source}`],
    ["another contract", { contract_sha256: "abc" }, () => "review is bound to a different contract"],
    ["another expectation", { expected_sha256: "abc" }, () => "review is bound to a different contract"],
    [
      "another task with other requirements",
      { task: "T2", requirements: ["Q"] },
      () => "review is for task 'T2', not T1",
    ],
  ])("bound to %s is listed as ignored and does not count", async (_, record, reason) => {
    make({ reviewRequirements: ["R2"] });
    const path = task().review("a.json", record);
    const { reasons, file } = await judged({ reviews: [path] });
    expect(reasons).toEqual(["failed: required review coverage missing for R2"]);
    expect(file.ignored_reviews).toEqual([{ path, reason: reason(task()) }]);
    expect(file.reviews).toEqual([]);
    expect(file.evidence).toEqual([]);
  });

  test.each<[string, Changes, string]>([
    [
      "schema_version",
      { schema_version: true },
      "schema_version must be the integer 1, not a boolean (true)",
    ],
    ["kind", { kind: "review" }, 'kind must be "devlyn-review", not a string ("review")'],
    ["a blank engine", { engine: " " }, 'engine must be a string that is not blank, not a string (" ")'],
    [
      "findings",
      { findings: [{ id: "F", binding: 1, disposition: "open" }] },
      "findings[0].binding must be true or false, not a number (1)",
    ],
    [
      "a rejection without a reason",
      { findings: [{ id: "F", binding: true, disposition: "rejected", reason: " " }] },
      "findings[0].reason must say why it is rejected",
    ],
    [
      "a requirement of another task",
      { requirements: ["R9"] },
      'requirements: "R9" is not a requirement of this task',
    ],
  ])("malformed: %s", async (_, record, problem) => {
    make({ reviewRequirements: ["R1", "R2"] });
    const path = task().review("a.json", record);
    const { reasons } = await judged({ reviews: [path] });
    expect(reasons).toEqual([`failed: malformed review record ${path}: ${problem}`]);
  });

  test("a file elsewhere, or reached through a link, is malformed", async () => {
    make();
    symlinkSync(join(task().folder, "packet.json"), join(task().worktree, "../link.json"));
    task().review("a.json");
    symlinkSync(task().packet(), join(task().worktree, ".devlyn/reviews/link.json"));
    for (const path of ["README.md", ".devlyn/../README.md", ".devlyn/reviews/link.json", ".devlyn/none"]) {
      const { reasons } = await judged({ reviews: [path] });
      expect(reasons).toEqual([
        `failed: malformed review record ${path}: it is not a file under .devlyn in the worktree`,
      ]);
    }
  });
});

describe("the submission", () => {
  test.each<[Changes, string]>([
    [{ schema_version: 2 }, "schema_version must be the integer 1, not a number (2)"],
    [{ task: "T2" }, "submission is for task 'T2', not 'T1'"],
    [{ verdict: "ACCEPTED" }, "verdict is unknown"],
    [{ reviews: "a" }, 'reviews must be a list of non-empty strings, not a string ("a")'],
    [
      { blockers: [{ kind: "other", detail: "x" }] },
      'blockers[0].kind must be "failed", "needs-review" or "blocked-infrastructure", not a string ("other")',
    ],
    [
      { blockers: [{ kind: "failed", detail: " " }] },
      'blockers[0].detail must be a string that is not blank, not a string (" ")',
    ],
  ])("%j fails", async (changes, problem) => {
    make({ expected: checks({ cmd: "touch ran" }) });
    const { status, reasons, file } = await judged({ ...changes });
    expect(status).toBe("FAILED");
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toStartWith("failed: submission");
    expect(reasons[0]).toContain(problem);
    expect(file.commands).toEqual([]);
  });

  test("blockers become the reasons, and nothing is executed", async () => {
    make({ expected: checks({ cmd: "touch ran" }) });
    const blockers = [
      { kind: "needs-review", detail: "look\nhere", more: 1 },
      { kind: "blocked-infrastructure", detail: "no disk" },
      { kind: "failed", detail: "gave up" },
    ];
    const { reasons, file } = await judged({ blockers, source_sha: "none", assumptions: ["a"] });
    expect(reasons).toEqual([
      "needs-review: look\nhere",
      "blocked-infrastructure: no disk",
      "failed: gave up",
    ]);
    expect(file).toMatchObject({ commands: [], assumptions: ["a"], source_sha: task().source });
    expect(existsSync(runs())).toBe(false);
  });

  test("prose of any kind is carried by nobody and changes nothing", async () => {
    make();
    const prose = { findings: 1, cleanup: null, handoff: [{}], summary: "ACCEPTED" };
    expect((await judged(prose)).status).toBe("ACCEPTED");
  });

  test("that is missing fails", async () => {
    make();
    const outcome = await accept({ packet: task().packet(), submission: "/none.json" });
    expect(outcome.status === "FAILED" && outcome.reasons[0]).toStartWith(
      "failed: submission /none.json: cannot be read",
    );
  });
});

test("--failure is the one reason, and the submission is not read", async () => {
  make({ expected: checks({ cmd: "touch ran" }) });
  const outcome = await accept({
    packet: task().packet(),
    submission: "/none.json",
    failure: "the executor died",
  });
  expect(outcome).toMatchObject({ status: "FAILED", reasons: ["the executor died"] });
});

describe("what fails with a result, and what blocks without one", () => {
  test("an unbound contract, a wrong shape, a bad pattern", async () => {
    make({ expected: { forbidden_patterns: [{ pattern: "(", description: "x", severity: "warning" }] } });
    const { reasons } = await judged();
    expect(reasons).toEqual([
      `failed: ${task().worktree}/tasks/T1/expected.json: forbidden_patterns[0].pattern must be a pattern of Python's re (missing ), unterminated subpattern at position 0), not a string ("(")`,
    ]);
    const contract = { path: join(task().worktree, "tasks/T1/contract.md"), sha256: "0".repeat(64) };
    const outcome = await accept({ packet: task().packet({ contract }), submission: task().submission() });
    expect(outcome).toMatchObject({
      status: "FAILED",
      reasons: [`failed: ${contract.path} at the inputs commit differs from the task packet`],
    });
  });

  test("a pattern that does not finish, whatever its severity", async () => {
    const forbidden_patterns = [{ pattern: "(x+x+)+y", description: "x", severity: "warning" }];
    make({
      expected: { forbidden_patterns, ...checks({ cmd: "exit 1" }) },
      change: { a: `${"x".repeat(60)}\n` },
    });
    const { reasons, file } = await judged();
    expect(reasons).toEqual(['failed: forbidden_patterns[0].pattern "(x+x+)+y" did not finish within 5 s']);
    expect(file.commands).toHaveLength(1);
  });

  test("every source problem is a reason, and nothing is executed", async () => {
    make({ expected: checks({ cmd: "touch ran" }), change: { "docs/specs/queue.md": "x" } });
    writeFiles(task().worktree, { left: "" });
    const { reasons, file } = await judged();
    expect(reasons).toEqual([
      "failed: candidate edits loop inputs: docs/specs/queue.md",
      "failed: worktree has uncommitted or untracked changes (undeclared source delta): left",
    ]);
    expect(file).toMatchObject({ commands: [], guards: [], source_sha: task().source });
    const { reasons: unknown } = await judged({ source_sha: "HEAD" });
    expect(unknown).toEqual(["failed: candidate 'HEAD' is not a commit"]);
  });

  test("reasons stand in order: commands, guards, what changed, reviews", async () => {
    const expected = {
      ...checks({ cmd: "touch left; exit 2" }, { cmd: "true" }, { cmd: "exit 1" }),
      required_files: ["none"],
    };
    make({ expected, reviewRequirements: ["R1"] });
    const { reasons } = await judged();
    expect(reasons).toEqual([
      "failed: command 0 (no refs) exit 2, expected 0",
      "failed: command 2 (no refs) exit 1, expected 0",
      "failed: guard required_files none",
      "failed: source changed during checks: worktree has uncommitted or untracked changes (undeclared source delta): left",
      "failed: required review coverage missing for R1",
    ]);
  });

  test("an unusable packet, worktree or branch blocks, and writes nothing", async () => {
    make();
    const submission = task().submission();
    for (const changes of [
      { task: 1 },
      { branch: "none" },
      { worktree: "/none", meta: { path: "/none/a/b", sha256: "0".repeat(64) } },
    ]) {
      const outcome = await accept({ packet: task().packet(changes), submission });
      expect(outcome.status).toBe("BLOCKED");
    }
    expect(existsSync(join(task().worktree, ".devlyn"))).toBe(false);
    expect((await judged()).status).toBe("ACCEPTED");
  });
});

/** The result file, once it is altered. */
