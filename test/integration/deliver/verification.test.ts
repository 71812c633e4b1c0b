/** The contract's own `acceptance`, run on the committed candidate before it is published. */
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { receiptStatus } from "../../../src/delivery/receipt.ts";
import { deliverIn, type Scene, scene } from "../../support/delivery.ts";
import { git } from "../../support/repository.ts";

let at: Scene;
afterEach(() => at.dispose());

async function deliverWith(acceptance: string, command = "echo changed > a.txt") {
  at = scene(`id: fix-1\ntask: t\nacceptance: ${acceptance}\n`);
  const receipt = await deliverIn(at, command);
  return { receipt, verification: receipt.verification as Record<string, unknown> | null };
}

const check = (...argv: string[]) => `{verification_commands: [{argv: ${JSON.stringify(argv)}}]}`;

describe("verification", () => {
  test("is null without acceptance", async () => {
    at = scene();
    expect((await deliverIn(at, "echo changed > a.txt")).verification).toBeNull();
  });

  test("passes, with raw evidence that outlives the worktree", async () => {
    const { receipt, verification } = await deliverWith(check("sh", "-c", "cat a.txt; echo noise >&2"));
    expect(receipt.code).toBe("OK");
    expect(verification).toMatchObject({ passed: true, reasons: [] });
    expect(Object.keys(verification ?? {})).toEqual(["passed", "commands", "guards", "reasons"]);
    const commands = verification?.["commands"];
    const [record] = commands as { stdout: { path: string; sha256: string; bytes: number } }[];
    const output = readFileSync(record?.stdout.path ?? "", "utf8");
    expect(output).toBe("changed\n");
    expect(record?.stdout).toMatchObject({
      sha256: new Bun.CryptoHasher("sha256").update(output).digest("hex"),
      bytes: 8,
    });
  });

  test("and nothing of the environment is in the receipt, in what is kept, or in the candidate", async () => {
    const secret = `secret-${crypto.randomUUID()}`;
    at = scene(`id: fix-1\ntask: t\nacceptance: ${check("sh", "-c", 'test -n "$TOKEN"')}\n`);
    const receipt = await deliverIn(at, 'test -n "$TOKEN"; echo x > a.txt', { env: { TOKEN: secret } });
    expect([receipt.code, JSON.stringify(receipt).includes(secret)]).toEqual(["OK", false]);
    expect(git(at.repo, "cat-file", "-p", receipt.candidate_commit as string)).not.toContain(secret);
    expect(Bun.spawnSync(["grep", "-raF", secret, at.folder]).stdout.toString()).toBe("");
  });

  test("VERIFICATION_FAILED for a check: the commit is in the receipt, no ref is published", async () => {
    const { receipt, verification } = await deliverWith(check("sh", "-c", "exit 3"));
    expect([receipt.code, receipt.outcome, receiptStatus(receipt)]).toEqual([
      "VERIFICATION_FAILED",
      "discarded",
      21,
    ]);
    expect(receipt.message).toBe("failed: command 0 (no refs) exit 3, expected 0");
    expect(receipt.candidate_commit).not.toBeNull();
    expect(verification).toMatchObject({ passed: false, reasons: [receipt.message] });
    expect(git(at.repo, "for-each-ref", "refs/satyrn/")).toBe("");
  });

  test("VERIFICATION_FAILED for a guard", async () => {
    const guard =
      "{forbidden_patterns: [{pattern: '^\\+changed', description: no change, severity: disqualifier}]}";
    const { receipt } = await deliverWith(guard.replace("^", "(?m)^"));
    expect([receipt.code, receipt.message]).toEqual([
      "VERIFICATION_FAILED",
      "failed: guard forbidden_patterns/0 no change",
    ]);
  });

  test("a guard that holds passes", async () => {
    expect((await deliverWith("{required_files: [a.txt], forbidden_files: [src/b.txt]}")).receipt.code).toBe(
      "OK",
    );
  });

  test("VERIFICATION_FAILED when a check changes the worktree, also by a same-size edit", async () => {
    const { receipt } = await deliverWith(check("sh", "-c", "printf 'chinged\\n' > a.txt"));
    expect([receipt.code, receipt.message]).toEqual([
      "VERIFICATION_FAILED",
      "failed: source changed during checks: the worktree is no longer the candidate: a.txt",
    ]);
  });

  test("VERIFICATION_FAILED when a check leaves a repository", async () => {
    expect((await deliverWith(check("git", "init", "-q", "sub"))).receipt.code).toBe("VERIFICATION_FAILED");
  });

  test("a file that is ignored is no change", async () => {
    const { receipt } = await deliverWith(check("touch", "x.log"), "echo '*.log' > .gitignore");
    expect(receipt.code).toBe("OK");
  });

  test("COMMAND_CHANGED_GIT_STATE when a check changes what Git would run", async () => {
    const { receipt } = await deliverWith(
      check("sh", "-c", "echo '*.x' >> \"$(git rev-parse --git-path info/exclude)\""),
    );
    expect(receipt.code).toBe("COMMAND_CHANGED_GIT_STATE");
  });

  test("COMMAND_CHANGED_HEAD when a check commits", async () => {
    const commit = "git -c user.name=x -c user.email=x commit -q --allow-empty -m x";
    expect((await deliverWith(check("sh", "-c", commit))).receipt.code).toBe("COMMAND_CHANGED_HEAD");
  });

  test("a timed-out check is a failed one, and leaves nothing", async () => {
    const { receipt } = await deliverWith(
      "{verification_commands: [{cmd: 'sleep 60 & sleep 60', timeout_sec: 1}]}",
    );
    expect([receipt.code, receipt.message]).toEqual([
      "VERIFICATION_FAILED",
      "failed: command 0 (no refs) timeout",
    ]);
  });

  test("INTERRUPTED while a check runs", async () => {
    setTimeout(() => process.kill(process.pid, "SIGTERM"), 900);
    const { receipt } = await deliverWith(check("sleep", "60"));
    expect(receipt.code).toBe("INTERRUPTED");
  });

  test("a shape error is the check's", async () => {
    const { receipt } = await deliverWith("{verification_commands: [{argv: []}]}");
    expect([receipt.code, existsSync(at.repo)]).toEqual(["CONTRACT_MISSING_FIELD", true]);
  });
});
