/** Packets, submissions and reviews, and the strict JSON they are read from. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPacket } from "../../src/acceptance/packet.ts";
import { judgeReviews } from "../../src/acceptance/reviews.ts";
import type { Packet } from "../../src/acceptance/schema.ts";
import { readSubmission } from "../../src/acceptance/submission.ts";
import { checkExpected, explainProblem } from "../../src/expected/shape.ts";
import { readJson } from "../../src/files/json.ts";
import type { Problem } from "../../src/problems.ts";
import { below, oneOf, type Random } from "../support/random.ts";
import { mutate } from "./mutate.ts";
import { claim, type Target, workFolder } from "./target.ts";

const digest = "d".repeat(64);
const source = "a".repeat(40);
const bound = (name: string) => ({ path: `/a tree/tasks/T1/${name}`, sha256: digest });
const packet = {
  task: "T1",
  worktree: "/a tree",
  branch: "task/T1",
  inputs_sha: "b".repeat(40),
  allocation_base: "b".repeat(40),
  contract: bound("contract.md"),
  expected: bound("expected.json"),
  meta: bound("meta.json"),
  requirements: ["R1", "R2"],
  review_requirements: ["R2"],
};
const submission = {
  schema_version: 1,
  task: "T1",
  source_sha: source,
  runner_results: [".devlyn/loop/runs/1/result.json"],
  reviews: [".devlyn/review.json"],
  assumptions: ["é"],
  findings: [],
  cleanup: {},
  handoff: null,
  summary: "done",
  blockers: [{ kind: "needs-review", detail: "look", more: 1 }],
};
const review = {
  schema_version: 1,
  kind: "devlyn-review",
  task: "T1",
  engine: "e",
  model: "m",
  source_sha: source,
  contract_sha256: digest,
  expected_sha256: digest,
  requirements: ["R2"],
  findings: [{ id: "F1", binding: true, disposition: "rejected", reason: "no" }],
};
const expected = {
  verification_commands: [
    { cmd: "true", exit_code: 0, timeout_sec: 60, stdout_contains: ["a"] },
    { argv: ["node", "x"], stdout_not_contains: ["b"], contract_refs: ["R1"] },
  ],
  forbidden_patterns: [{ pattern: "(?i)todo", description: "d", severity: "warning", files: ["src"] }],
  required_files: ["a"],
  forbidden_files: ["b"],
  max_deps_added: 0,
  pure_design: false,
};
const words = [
  ...[
    '"task":',
    '"kind":"failed"',
    '"findings":[',
    '"id":"F2"',
    '"binding":false',
    '"disposition":"open"',
    "[]",
    "{}",
  ],
  ...[
    "1.0",
    "1e0",
    "true",
    "null",
    "-1",
    "601",
    '"\\ud800"',
    '"__proto__":1',
    '"toString":1',
    '"argv":[""]',
    '"(?<a"',
  ],
];

export function acceptance(): Target {
  const folder = workFolder();
  mkdirSync(join(folder.path, ".devlyn"));
  const path = join(folder.path, ".devlyn/record.json");
  const seeds = [packet, submission, review, expected].map((value) =>
    Buffer.from(JSON.stringify(value, null, 1)),
  );
  return {
    make: (random) => {
      const kind = below(random, checks.length);
      const bytes = mutate(random, [seeds[kind] ?? Buffer.alloc(0)], words);
      const listed = random() < 0.5 ? ".devlyn/record.json" : somePlace(random);
      const check = () => {
        writeFileSync(path, bytes);
        checkJson(bytes);
        checks[kind]?.(path, folder.path, listed);
      };
      return { input: { kind, listed, base64: bytes.toString("base64") }, check };
    },
    close: folder.remove,
  };
}

/** A name as a submission may list it, of a file that is there or not. */
function somePlace(random: Random): string {
  const parts = [
    ".devlyn",
    "record.json",
    "..",
    ".",
    "",
    "/",
    "\0",
    "\n",
    "é",
    "\ud800",
    "x".repeat(300),
    "\\",
    " ",
  ];
  return Array.from({ length: 1 + below(random, 6) }, () => oneOf(random, parts)).join(
    oneOf(random, ["/", ""]),
  );
}

const checks: readonly ((path: string, folder: string, listed: string) => void)[] = [
  (path) => {
    const read = readPacket(path);
    if (!read.ok) return claim(read.code === "BLOCKED" && read.message.includes(path), read.message);
    const { value } = read;
    claim(/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value.inputs_sha), "inputs_sha");
    for (const { path: place, sha256 } of [value.contract, value.expected, value.meta]) {
      claim(place.startsWith("/") && /^[0-9a-f]{64}$/.test(sha256), "a bound file");
    }
    claim([...value.requirements, ...value.review_requirements].every(isText), "requirements");
  },
  (path) => {
    const read = readSubmission(path, "T1");
    if (!read.ok) return claim(read.code === "FAILED", read.code);
    claim(read.value.task === "T1" && isText(read.value.source_sha), "task or source");
    for (const { kind, detail } of read.value.blockers ?? []) {
      claim(
        ["failed", "needs-review", "blocked-infrastructure"].includes(kind) && /\S/.test(detail),
        "a blocker",
      );
    }
    const known = Object.keys(read.value).every((key) => Object.hasOwn(submission, key));
    claim(known, `unknown keys: ${Object.keys(read.value)}`);
  },
  (_path, folder, listed) => {
    const judged = judgeReviews({ worktree: folder, packet: packet as Packet, source, listed: [listed] });
    const all = [
      judged.reviews,
      judged.ignored_reviews,
      judged.reasons.filter((each) => /malformed/.test(each)),
    ];
    claim(all.flat().length === 1, "a review is counted, ignored or malformed, and one of these");
  },
  (path) => {
    const json = readJson(Buffer.from(readText(path), "latin1"), { maxBytes: 1e7, boxFractions: true });
    if (!json.ok) return;
    const problems: Problem[] = [];
    const fits = checkExpected(json.value, problems);
    claim(fits === (problems.length === 0), "a verdict without a problem, or a problem without a verdict");
    for (const problem of problems) claim(explainProblem(problem) !== "", "no words");
  },
];

function readText(path: string): string {
  return readFileSync(path, "latin1");
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Strict JSON is a part of JSON, and reads as the same. */
function checkJson(bytes: Buffer): void {
  const read = readJson(bytes, { maxBytes: 10_000_000 });
  let loose: unknown;
  let isLoose = true;
  try {
    loose = JSON.parse(bytes.toString("utf8"));
  } catch {
    isLoose = false;
  }
  if (!read.ok) {
    claim(!isLoose || stricter.test(read.message), `refused what is JSON: ${read.message}`);
    return;
  }
  claim(isLoose, "took what is no JSON");
  claim(Bun.deepEquals(read.value, loose), "read something else");
}

const stricter = /duplicate|twice|surrogate|deep|nest|byte order|UTF-8|range|too large|larger/i;
