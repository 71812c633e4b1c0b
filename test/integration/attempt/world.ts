/** A worktree, a contract outside of it, and programs that take Pi's place. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EngineRun, engine, executable } from "../../support/engine.ts";
import { makeRepository, temporaryFolder } from "../../support/repository.ts";

export const contractText = 'id: fix-1\ntask: Count to two.\nwritable_paths: ["src/*"]\n';

/** The lines of a run that went well. */
export const goodLines = [
  '{"type":"turn_start"}',
  '{"type":"tool_execution_start","toolName":"edit"}',
  '{"type":"tool_execution_end","toolName":"edit","isError":false}',
  '{"type":"message_end","message":{"role":"assistant","stopReason":"stop"}}',
  '{"type":"agent_settled","aborted":false}',
];

export interface World {
  readonly folder: string;
  readonly worktree: string;
  readonly contract: string;
  /** Temporary files of the engine go here. */
  readonly temporary: string;
  readonly transcript: string;
  readonly patch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Makes `script` (sh) the Pi to run. `$OUT` says the lines of a good run. */
  pi(script: string): void;
  attempt(args?: readonly string[], env?: Readonly<Record<string, string | undefined>>): Promise<EngineRun>;
  start(
    args?: readonly string[],
    env?: Readonly<Record<string, string | undefined>>,
  ): Bun.Subprocess<"ignore", "pipe", "pipe">;
  written(path: string): string | null;
  /** What the engine left in its temporary folder. */
  left(): readonly string[];
  dispose(): void;
}

export function world(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  contractSource = contractText,
): World {
  const { path: folder, dispose } = temporaryFolder("satyrn attempt ");
  const [worktree, temporary, evidence] = [
    join(folder, "worktree"),
    join(folder, "tmp"),
    join(folder, "evidence"),
  ];
  makeRepository(worktree, { "src/app.py": "one\ntwo\n", "README.md": "hello\n", ...files });
  for (const path of [temporary, evidence]) mkdirSync(path);
  const contract = join(folder, "contract.yaml");
  writeFileSync(contract, contractSource);
  const script = join(folder, "pi");
  const env = {
    SATYRN_PI: JSON.stringify([script]),
    SATYRN_MODEL: undefined,
    SATYRN_ATTEMPT_TRANSCRIPT: join(evidence, "transcript.jsonl"),
    SATYRN_ATTEMPT_PATCH: join(evidence, "change.patch"),
    TMPDIR: temporary,
    OUT: goodLines.join("\n"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
  };
  const pi = (body: string): void => {
    writeFileSync(script, `#!/bin/sh\n${body}\n`);
    chmodSync(script, 0o755);
  };
  pi('printf "%s\\n" "$OUT"');
  const argv = (args: readonly string[]) => ["attempt", "--model", "some/model", ...args, contract];
  return {
    ...{ folder, worktree, contract, temporary, env, pi, dispose },
    transcript: env.SATYRN_ATTEMPT_TRANSCRIPT,
    patch: env.SATYRN_ATTEMPT_PATCH,
    attempt: (args = [], more = {}) => engine(argv(args), { cwd: worktree, env: { ...env, ...more } }),
    start: (args = [], more = {}) =>
      Bun.spawn([executable, ...argv(args)], {
        cwd: worktree,
        env: { ...process.env, ...env, ...more },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      }),
    written: (path) => (existsSync(path) ? readFileSync(path, "utf8") : null),
    left: () => readdirSync(temporary),
  };
}
