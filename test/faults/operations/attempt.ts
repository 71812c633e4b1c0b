/** An attempt whose Pi is a script that edits a file. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitStatus } from "../../../src/outcome.ts";
import { git, makeRepository } from "../../support/repository.ts";
import {
  differences,
  everythingIn,
  isPause,
  type Operation,
  type Run,
  struckRemoval,
  type World,
} from "../operation.ts";
import { copied, environmentIn, expectRecovered, privateFolders, recoverIn } from "./world.ts";

const lines = [
  '{"type":"turn_start"}',
  '{"type":"message_end","message":{"role":"assistant","stopReason":"stop"}}',
  '{"type":"agent_settled","aborted":false}',
];
const transcriptText = `${lines.join("\n")}\n`;
const pi = `#!/bin/sh
echo changed > src/app.py
printf '%s\\n' '${lines.join("' '")}'
`;

export const attempt: Operation = {
  name: "attempt",
  async world(): Promise<World> {
    const { path: folder, dispose } = await copied("attempt", (path) => {
      makeRepository(join(path, "repo"), { "src/app.py": "one\ntwo\n", "README.md": "hello\n" }, [
        "--template=",
      ]);
    });
    const repo = join(folder, "repo");
    const evidence = join(folder, "evidence");
    mkdirSync(evidence);
    writeFileSync(join(folder, "pi"), pi, { mode: 0o755 });
    writeFileSync(
      join(folder, "contract.yaml"),
      'id: fix-1\ntask: Count to two.\nwritable_paths: ["src/*"]\n',
    );
    const [transcript, patch] = [join(evidence, "transcript.jsonl"), join(evidence, "change.patch")];
    const env = {
      ...environmentIn(folder),
      SATYRN_PI: JSON.stringify([join(folder, "pi")]),
      SATYRN_ATTEMPT_TRANSCRIPT: transcript,
      SATYRN_ATTEMPT_PATCH: patch,
    };
    const look = () => everythingIn(repo, /^(\.git\/(objects|satyrn)|src\/app\.py)$/);
    const before = look();
    return {
      folder,
      cwd: repo,
      env,
      argv: ["attempt", "--model", "some/model", join(folder, "contract.yaml")],
      async interfere(release) {
        const problems: string[] = [];
        for (const { result, path } of await recoverIn(repo, env, problems)) {
          if (result !== "in_use")
            problems.push(`recover, beside an attempt that is stopped: ${result} ${path}`);
        }
        release();
        return problems;
      },
      async judge(run) {
        const problems: string[] = [...differences(before, look())];
        const isEdited = readFileSync(join(repo, "src/app.py"), "utf8") === "changed\n";
        const wholePatch = isEdited
          ? `${git(repo, "-c", "diff.autoRefreshIndex=false", "diff", "--binary")}\n`
          : "";
        expectTrue(run, { transcript, patch, wholePatch }, problems);
        const parts = () =>
          readdirSync(evidence)
            .filter((name) => name !== "transcript.jsonl" && name !== "change.patch")
            // What it says it left is for a person.
            .filter((name) => !run.stderr.includes(`${name} beside it could not be removed: `))
            .map((name) => join(evidence, name));
        const left = () => [...privateFolders(env), ...parts()].sort();
        const isNamed = run.stderr.includes("a temporary folder is left: ") || struckRemoval(run);
        if (!run.killed && left().length > 0 && !isNamed) problems.push(`left: ${left().join(", ")}`);
        const found = await expectRecovered(repo, env, left, problems);
        problems.push(...differences(before, look()));
        const has = existsSync(patch) ? "patch" : "no patch";
        return { problems, found: `${run.killed ? "killed" : `exit ${run.status}`}, ${has}, ${found}` };
      },
      dispose,
    };
  },
};

interface Evidence {
  readonly transcript: string;
  readonly patch: string;
  readonly wholePatch: string;
}

function expectTrue(run: Run, { transcript, patch, wholePatch }: Evidence, problems: string[]): void {
  const text = existsSync(transcript) ? readFileSync(transcript, "utf8") : undefined;
  const isWhole = text === transcriptText;
  if (text !== undefined && !transcriptText.startsWith(text))
    problems.push("the transcript is not what Pi printed");
  const made = existsSync(patch) ? readFileSync(patch, "utf8") : undefined;
  if (made !== undefined && made !== wholePatch) problems.push("the patch is not whole");
  if (run.killed) return;
  const isOk = run.status === 0;
  if (isOk && !(isWhole && made !== undefined)) problems.push("it exited 0, and its evidence is not whole");
  // A stderr that cannot be written changes nothing; of a stdout that cannot be, the status tells.
  const isStream = / (stderr|stdout)\b/.exec(run.at?.at ?? "")?.[1];
  if (isStream === "stdout" && run.status === 1) return;
  const [, name = ""] = /^satyrn-engine: (?:attempt )?([A-Z_]+): /m.exec(run.stderr) ?? [];
  const status: number | undefined = exitStatus[name as keyof typeof exitStatus];
  if (isStream !== "stderr" && run.status !== status)
    problems.push(`it exited ${run.status} and said ${run.stderr}`);
  if (isPause(run.at?.fault) && !isOk) problems.push(`released, it exited ${run.status}: ${run.stderr}`);
}
