import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { schemas } from "../../src/cli/schemas.generated.ts";
import { receiptOf, renderReceipt } from "../../src/delivery/receipt.ts";
import { type DeliveryCode, deliveryCodes } from "../../src/outcome.ts";
import { problems, receiptProblems } from "../support/published.ts";

const facts = { repository: "/srv/app", engine_version: "0.1.0", duration_ms: 12 };
const codes = Object.keys(deliveryCodes) as DeliveryCode[];

/** With every field known, one of each kind of record in `verification`. */
const whole = {
  contract_id: "fix-1",
  base_commit: "0".repeat(40),
  candidate_ref: "refs/satyrn/candidates/fix-1/head",
  candidate_commit: "f".repeat(64),
  changed_paths: ["src/a.ts"],
  command_exit: -9,
  worktree_path: "/tmp/x",
  source_drift: ["HEAD"],
  verification: {
    passed: false,
    commands: [
      { kind: "exit", exit_code: 1 },
      { kind: "signal", signal: 9 },
      { kind: "timeout", timeout_sec: 60 },
      { kind: "spawn_error", error: "no such file" },
    ].map((outcome, index) => ({
      index,
      outcome,
      stdout: { path: "/e/cmd-0.stdout", sha256: "a".repeat(64), bytes: 0 },
      stderr: { path: "/e/cmd-0.stderr", sha256: "b".repeat(64), bytes: 3 },
      passed: false,
      reason: outcome.kind,
      command: index === 0 ? { cmd: "true" } : { argv: ["true"] },
      contract_refs: [],
    })),
    guards: [{ rule: "required_files", subject: "a", passed: true, blocking: true }],
    reasons: ["failed"],
  },
};
const receipt: Readonly<Record<string, unknown>> = {
  ...receiptOf("VERIFICATION_FAILED", "m", {}, facts),
  ...whole,
};

test.each(Object.entries(schemas))("%s is a JSON Schema of its dialect", (name, schema) => {
  expect(schema).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema" });
  expect(problems(name, 1)).not.toEqual([]);
});

describe("the schema of a receipt", () => {
  test.each(codes)("takes one with the code %s, and no outcome but the code's", (code) => {
    const written = JSON.parse(renderReceipt(receiptOf(code, "m", {}, facts)));
    expect(receiptProblems(written)).toEqual([]);
    for (const outcome of ["candidate-created", "discarded", "refused"]) {
      expect(receiptProblems({ ...written, outcome }).length === 0).toBe(outcome === written.outcome);
    }
  });

  test("takes one with everything known", () => {
    expect(receiptProblems(receipt)).toEqual([]);
  });

  test.each(Object.keys(receipt))("takes none without %s, or with something else there", (field) => {
    const { [field]: _, ...others } = receipt;
    expect(receiptProblems(others)).toContain(`must have required property '${field}'`);
    expect(receiptProblems({ ...receipt, [field]: field === "message" ? null : { some: 1.5 } })).not.toEqual(
      [],
    );
  });

  test.each(["passed", "commands", "guards", "reasons"])("takes no verification without %s", (field) => {
    const verification = Object.fromEntries(
      Object.entries(whole.verification).filter(([name]) => name !== field),
    );
    expect(receiptProblems({ ...receipt, verification })).not.toEqual([]);
  });

  test("takes no other field, and no other order", () => {
    expect(receiptProblems({ ...receipt, more: 1 })).toEqual(["must NOT have additional properties"]);
    const { version, ...others } = receipt;
    expect(receiptProblems({ ...others, version })[0]).toStartWith("fields in the order outcome,code");
  });
});

describe("the schema of a contract takes", () => {
  const accepted = join(import.meta.dir, "../../fixtures/contracts/accepted");

  test.each(readdirSync(accepted).filter((name) => name.endsWith(".json")))(
    "what is read from %s",
    (name) => {
      expect(problems("contract", JSON.parse(readFileSync(join(accepted, name), "utf8")))).toEqual([]);
    },
  );

  test("none without an id, a task, or with a list in the place of a text", () => {
    expect(problems("contract", { id: "x", task: "y" })).toEqual([]);
    expect(problems("contract", { task: "y" })).toEqual(["must have required property 'id'"]);
    expect(problems("contract", { id: "x" })).toEqual(["must have required property 'task'"]);
    expect(problems("contract", { id: [], task: "y" })).toEqual(["/id must be string"]);
  });
});

test("the schema of what is expected takes every accepted shape, and no refused one but for rules between fields", () => {
  const shapes = (name: string) =>
    JSON.parse(readFileSync(join(import.meta.dir, `../../fixtures/expected/shapes/${name}.json`), "utf8"));
  for (const value of shapes("accepted")) expect([value, problems("expected", value)]).toEqual([value, []]);
  const taken = shapes("refused").filter(
    ({ value }: { value: unknown }) => problems("expected", value).length === 0,
  );
  // Rules that no schema in ArkType's words holds: one of two keys, a list's first word, a pattern in Python's dialect.
  for (const {
    problems: [problem],
  } of taken)
    expect(problem).toMatch(/exactly one of cmd and argv|argv\[0\]|pattern/);
});

interface Pair {
  readonly request?: { readonly operation?: string; readonly edits?: unknown };
  readonly response: { readonly code: string };
}

const folder = join(import.meta.dir, "../../fixtures/protocol");
const pairs = readdirSync(folder).map((file) => {
  const pair: Pair = JSON.parse(readFileSync(join(folder, file), "utf8"));
  return [file, pair, file.replace(/-.*/, "")] as const;
});

describe("the schema of the protocol takes", () => {
  const asked = pairs.filter(([, , operation]) => ["check", "replace", "test"].includes(operation));

  test.each(asked)("request and response of %s", (file, { request, response }, operation) => {
    expect(problems(`protocol#/$defs/${titled(operation)}Response`, response)).toEqual([]);
    expect(problems("protocol", response)).toEqual([]);
    if (request === undefined) return;
    const kind = operation === "replace" && !("edits" in request) ? "SingleReplace" : titled(operation);
    expect([file, problems(`protocol#/$defs/${kind}Request`, request)]).toEqual([file, []]);
    expect(problems("protocol", request)).toEqual([]);
  });

  test.each(pairs.filter(([, , operation]) => operation === "invalid"))(
    "the response of %s, whatever was asked",
    (_, { response }) => {
      for (const operation of ["Check", "Replace", "Test"])
        expect(problems(`protocol#/$defs/${operation}Response`, response)).toEqual([]);
    },
  );
});

describe("the schema of a response takes none", () => {
  const accepted = { version: 1, ok: true, code: "OK", message: "" };
  const refused = { version: 1, ok: false, code: "REPO_UNAVAILABLE", message: "m" };
  const replaced = { path: "a", sha256: "a".repeat(64), region: "", match: "exact" };
  const tested = { exit_code: null, output: "", truncated: false, timed_out: true };

  test.each([
    ["Check", accepted],
    ["Check", refused],
    ["Replace", { ...accepted, result: replaced }],
    ["Replace", { ...refused, code: "ANCHOR_MISSING", result: null }],
    ["Test", { ...accepted, result: tested }],
    ["Test", { ...refused, code: "TEST_COMMAND_UNAVAILABLE", result: null }],
  ] as const)("of %s that lacks a field of %j, or has another", (operation, response) => {
    const schema = `protocol#/$defs/${operation}Response`;
    expect(problems(schema, response)).toEqual([]);
    for (const field of Object.keys(response)) {
      const others = Object.fromEntries(Object.entries(response).filter(([name]) => name !== field));
      expect([field, problems(schema, others).length]).not.toEqual([field, 0]);
    }
    expect(problems(schema, { ...response, more: 1 })).not.toEqual([]);
    expect(problems(schema, { ...response, code: "NO_CHANGES" })).not.toEqual([]);
  });

  test.each([
    ["Check with a result", "Check", { ...refused, result: null }],
    ["Check with a replacement's code", "Check", { ...refused, code: "ANCHOR_MISSING" }],
    ["Test with a replacement's code", "Test", { ...refused, code: "ANCHOR_MISSING", result: null }],
    ["Replace with a test's result", "Replace", { ...accepted, result: tested }],
    [
      "Replace that is malformed and has a result",
      "Replace",
      { ...refused, code: "INVALID_REQUEST", result: null },
    ],
    ["Test that is accepted without a result", "Test", { ...accepted, result: null }],
  ])("of %s", (_, operation, response) => {
    expect(problems(`protocol#/$defs/${operation}Response`, response)).not.toEqual([]);
  });
});

function titled(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
