import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Derivation } from "../../../src/acceptance/derive.ts";
import type { Asked } from "../../../src/action/asked.ts";
import { quoted } from "../../../src/action/html.ts";
import { type Report, reportOf } from "../../../src/action/report.ts";
import { summaryOf } from "../../../src/action/summary.ts";

const sha = "a".repeat(40);
const stream = { path: "p", sha256: "0".repeat(64), bytes: 0 } as const;

/** A page in which every text from outside is `text`, and every list `count` long. */
function pageOf(text: string, count = 1): string {
  const many = <Item>(item: Item): readonly Item[] => Array.from({ length: count }, () => item);
  const guard = { rule: `forbidden_patterns/${text}`, subject: text, passed: false, blocking: true };
  const derivation = {
    commands: many({
      index: 0,
      outcome: { kind: "exit", exit_code: 1 },
      stdout: stream,
      stderr: stream,
      passed: false,
      reason: text,
      command: { argv: many(text) },
      contract_refs: many(text),
    }),
    guards: many(guard),
    broken: many({ guard, place: { file: text, line: 1 } }),
    reasons: many(text),
    trouble: null,
  } as unknown as Derivation;
  const asked: Asked = {
    ...{ operation: "deliver", failOn: "refusal", repo: text, contract: text },
    ...{ timeoutMs: 30_000, base: text, push: text, command: many(text) },
  };
  const report: Report = {
    ...reportOf({ outcome: "candidate-created", code: "PUSH_FAILED", status: 8, message: text }),
    notes: many(text),
    reasons: many(text),
    task: { id: text, words: text },
    base: sha,
    candidate: { ref: text, commit: sha, pushedTo: text },
    changes: many({ path: text, lines: { added: 1, removed: 2 } }),
    derivation,
  };
  return summaryOf(asked, report);
}

const tags = /<\/?(?:table|tr|th|td|code|p|pre|ul|li)(?: colspan="\d+" align="left"| lang="sh")?>/g;

/** Blocks of Markdown; each but the heading is HTML as a whole. */
function blocksOf(page: string): readonly string[] {
  return page.trimEnd().split(/\n{2,}/);
}

describe("a text from outside", () => {
  test("is shown as it is, in fixtures/action/hostile.md", () => {
    const text =
      "</code><script>x</script> |a|b| `c` **d** [e](f) &lt; \"'\r\n\n# g\n::error::h \u202ei\u0007 ü ☃ @all #1";
    const golden = join(import.meta.dir, "../../../fixtures/action/hostile.md");
    expect(pageOf(text)).toBe(readFileSync(golden, "utf8"));
  });

  test("ends no block, opens no tag, and begins no Markdown", () => {
    const nasty = fc.constantFrom(
      "\n\n",
      "\r",
      "<b>",
      "</table>",
      "|",
      "`",
      "&",
      "</pre>",
      "<!--",
      "\u2028",
      "\u202e",
      "'",
    );
    const text = fc
      .array(fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), nasty))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (each) => {
        const [heading, ...blocks] = blocksOf(pageOf(each));
        expect(heading).toBe("### ❌ A candidate was created, and not pushed");
        expect(blocks).toHaveLength(blocksOf(pageOf("x")).length - 1);
        for (const block of blocks) {
          expect(block).toMatch(/^<(table|p|ul)>/);
          expect(block.replace(tags, "")).not.toMatch(/[<>"]/);
        }
      }),
    );
  });

  test("stands there unaltered where a secret could be looked for, but for the escapes of HTML", () => {
    const secret = "AbC+/=_-.~*`|[x](y)#@!$%^{}\\";
    expect(pageOf(secret).split(secret).length).toBeGreaterThan(10);
    expect(pageOf("a&b<c>d\"e'f")).toContain("<code>a&amp;b&lt;c&gt;d&quot;e&apos;f</code>");
  });
});

describe("the page stays below 1 MiB", () => {
  test.each([
    ["long texts", "<".repeat(100_000), 3],
    ["long lists", "ü", 50_000],
    ["both", "\u{1f600}&".repeat(2000), 200],
  ])("with %s", (_, text, count) => {
    const page = pageOf(text, count);
    expect(Buffer.byteLength(page)).toBeLessThan(900 * 1024);
    expect(page).toContain("git fetch");
    for (const block of blocksOf(page).slice(1)) expect(block.replace(tags, "")).not.toMatch(/[<>]/);
  });

  test("and says how much it leaves out", () => {
    expect(pageOf("src/a.txt", 10_000)).toMatch(/<p>and \d+ more paths<\/p>/);
    expect(pageOf("src/a.txt", 10_000)).toContain("10000 changed paths, +10000 −20000");
    expect(pageOf("src/a.txt", 2)).not.toContain("more");
  });
});

describe("the heading", () => {
  const asked = { failOn: "refusal", repo: ".", contract: "c", packet: "p", submission: "s" } as const;
  const deliver = {
    ...asked,
    operation: "deliver",
    timeoutMs: 1,
    base: undefined,
    command: ["x"],
    push: null,
  } as const;
  const created = { outcome: "candidate-created", code: "OK", status: 0, message: "" } as const;
  const refused = { outcome: "refused", code: "ACCEPTANCE_FAILED", status: 21, message: "m" } as const;
  const accepted = { outcome: "accepted", code: "OK", status: 0, message: "" } as const;
  test.each([
    [{ ...asked, operation: "check" } as const, accepted, "✅ The contract is accepted"],
    [
      { ...asked, operation: "check" } as const,
      { ...refused, code: "REPO_UNAVAILABLE" } as const,
      "❌ The contract is refused: REPO_UNAVAILABLE",
    ],
    [deliver, created, "✅ A candidate was created"],
    [deliver, { ...created, code: "PUSH_FAILED" } as const, "❌ A candidate was created, and not pushed"],
    [
      deliver,
      { ...created, outcome: "discarded", code: "NO_CHANGES" } as const,
      "❌ The change is discarded: NO_CHANGES",
    ],
    [deliver, { ...refused, code: "REPO_DIRTY" } as const, "❌ The delivery is refused: REPO_DIRTY"],
    [
      { ...asked, operation: "verify" } as const,
      { ...accepted, verdict: "CHECKED" } as const,
      "✅ The checks passed",
    ],
    [
      { ...asked, operation: "verify" } as const,
      { ...refused, verdict: "CHECKED" } as const,
      "❌ The checks did not pass",
    ],
    [
      { ...asked, operation: "verify" } as const,
      { ...refused, verdict: "BLOCKED" } as const,
      "❌ The checks are BLOCKED",
    ],
    [
      { ...asked, operation: "accept" } as const,
      { ...accepted, verdict: "ACCEPTED" } as const,
      "✅ The task is ACCEPTED",
    ],
    [
      { ...asked, operation: "accept" } as const,
      { ...refused, verdict: "FAILED" } as const,
      "❌ The task is FAILED",
    ],
    [null, { ...refused, code: "USAGE" } as const, "❌ The inputs are refused"],
  ])("of %j ending in %j", (request, ending, heading) => {
    expect(summaryOf(request, reportOf(ending))).toStartWith(`### ${heading}\n`);
  });
});

test("a candidate that was not pushed is not to be fetched", () => {
  const candidate = { ref: "refs/satyrn/candidates/a/head", commit: sha, pushedTo: null };
  const page = summaryOf(
    null,
    reportOf({ outcome: "candidate-created", code: "OK", status: 0, message: "", candidate }),
  );
  expect(page).toContain(`git show ${sha}`);
  expect(page).not.toContain("git fetch");
  expect(page).toContain("The input <code>push</code> keeps it.");
});

test("nor is that one for the input 'push', whose push was declined", () => {
  const candidate = { ref: "refs/satyrn/candidates/a/head", commit: sha, pushedTo: null };
  const ending = { outcome: "candidate-created", code: "PUSH_FAILED", status: 8, message: "no" } as const;
  expect(summaryOf(null, reportOf({ ...ending, candidate }))).not.toContain("<code>push</code>");
});

test("a word for a shell is quoted if it has to be", () => {
  expect(quoted("refs/satyrn/candidates/fix-1/head")).toBe("refs/satyrn/candidates/fix-1/head");
  expect(quoted("$(x)`y`'z'")).toBe("'$(x)`y`'\\''z'\\'''");
  expect(quoted("")).toBe("''");
});
