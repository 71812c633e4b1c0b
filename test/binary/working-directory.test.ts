/** A working directory that has no name to begin a path with: absolute paths work, relative ones are refused. */
import { afterAll, describe, expect, test as testAnywhere } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectNothingLeft, scene } from "../support/delivery.ts";
import { engine } from "../support/engine.ts";
import { needing } from "../support/means.ts";
import { gitEnvironment } from "../support/repository.ts";

const at = scene();
afterAll(() => at.dispose());
const reason = "the working directory it is relative to is gone or has a name that is not UTF-8";
const cannotRead = `CONTRACT_UNREADABLE: cannot read contract contract.yaml: ${reason}`;
const unavailable = `REPO_UNAVAILABLE: repository . is not available: ${reason}`;

/** The shell hands the folder it stands in on. It would hand on the name in PWD, too, which a delivery refuses. */
const wrappers = {
  "that was deleted": 'mkdir gone && cd gone && rmdir "$PWD" && exec "$@"',
  "whose name is not UTF-8": 'd=$(printf "d\\377") && mkdir -p "$d" && cd "$d" && exec env -u PWD "$@"',
};

for (const [kind, script] of Object.entries(wrappers)) {
  const test = kind.includes("UTF-8") ? needing("names that are bytes") : needing("a POSIX shell");
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}, stdin = "") =>
    engine(args, {
      wrapper: ["sh", "-c", script, "sh"],
      cwd: at.folder,
      env: { ...gitEnvironment(), TMPDIR: at.temporary, ...env },
      stdin,
    });

  describe(`in a working directory ${kind}`, () => {
    test("absolute paths work", async () => {
      expect(await run(["check", "--repo", at.repo, at.contract])).toMatchObject({ status: 0, stderr: "" });
      const delivered = await run(["deliver", "--repo", at.repo, at.contract, "--", "true"]);
      expect(JSON.parse(delivered.stdout)).toMatchObject({ code: "NO_CHANGES", repository: at.repo });
      expect(await run(["recover", "--repo", at.repo])).toMatchObject({ status: 0, stderr: "" });
    });

    test.each([
      ["check", 3, cannotRead, ["check", "--repo", at.repo, "contract.yaml"]],
      ["check", 6, unavailable, ["check", "--repo", ".", at.contract]],
      ["deliver", 3, cannotRead, ["deliver", "--repo", ".", "contract.yaml", "--", "true"]],
      ["deliver", 6, unavailable, ["deliver", "--repo", ".", at.contract, "--", "true"]],
      ["attempt", 3, cannotRead, ["attempt", "--model", "m", "contract.yaml"]],
      ["attempt", 6, unavailable, ["attempt", "--model", "m", at.contract]],
      ["recover", 6, unavailable, ["recover", "--repo", "."]],
      [
        "verify",
        20,
        `ACCEPTANCE_BLOCKED: task packet p.json: cannot be read: ${reason}`,
        ["verify", "--packet", "p.json"],
      ],
      [
        "accept",
        20,
        `ACCEPTANCE_BLOCKED: task packet p.json: cannot be read: ${reason}`,
        ["accept", "--packet", "p.json", "--submission", "s.json"],
      ],
    ])("%s, with status %i, refuses a relative one", async (command, status, refusal, args) => {
      const refused = await run(args);
      expect(refused).toMatchObject({ status, stderr: `satyrn-engine: ${refusal}\n` });
      if (command === "deliver") {
        expect(JSON.parse(refused.stdout)).toMatchObject({ outcome: "refused", repository: "." });
      }
      expectNothingLeft(at);
    });

    test("the protocol's check refuses a relative one", async () => {
      const request = { version: 1, operation: "check", repo: ".", contract: at.contract };
      const { status, stdout, stderr } = await run(["protocol"], {}, JSON.stringify(request));
      expect({ status, stderr, ...JSON.parse(stdout) }).toMatchObject({
        status: 6,
        stderr: "",
        code: "REPO_UNAVAILABLE",
      });
    });

    test.each([
      ["CONTRACT_UNREADABLE", 3, "contract.yaml"],
      ["REPO_UNAVAILABLE", 6, at.contract],
    ])("a step of a workflow is refused with %s", async (code, status, contract) => {
      for (const name of ["output", "summary"]) writeFileSync(join(at.folder, name), "");
      const step = await run(["action"], {
        GITHUB_OUTPUT: join(at.folder, "output"),
        GITHUB_STEP_SUMMARY: join(at.folder, "summary"),
        RUNNER_TEMP: at.folder,
        SATYRN_ACTION_OPERATION: "check",
        SATYRN_ACTION_CONTRACT: contract,
      });
      expect(step).toMatchObject({ status, stderr: "" });
      expect(step.stdout).toContain(code);
    });
  });
}

testAnywhere("in any other, relative paths start there", async () => {
  const run = await engine(["check", "--repo", "repo", "contract.yaml"], { cwd: at.folder });
  expect(run).toMatchObject({ status: 0, stderr: "" });
});
