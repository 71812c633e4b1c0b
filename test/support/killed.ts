/** The compiled executable, killed in the middle of a delivery, and what it left. */
import { expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Receipt } from "../../src/delivery/receipt-schema.ts";
import type { Finding } from "../../src/recovery/recover.ts";
import type { Scene } from "./delivery.ts";
import { engine, executable } from "./engine.ts";
import { git, gitEnvironment, snapshot } from "./repository.ts";
import { runningWith } from "./tree.ts";

export const change = "echo changed > a.txt; mkdir new; echo x > new/c";

export interface Delivery {
  readonly id: string;
  readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  /** Is in the environment of every process of the delivery. */
  readonly mark: string;
}

/** Starts a delivery of `id` by the executable. */
export function startDelivery(
  at: Scene,
  id: string,
  script: string,
  env: Readonly<Record<string, string>> = {},
): Delivery {
  const contract = join(at.folder, `${id}.yaml`);
  writeFileSync(contract, `id: ${id}\ntask: change a file\n`);
  const mark = `killed-${crypto.randomUUID()}`;
  const argv = ["deliver", "--repo", at.repo, "--timeout", "60", contract, "--", "sh", "-c", script];
  const child = Bun.spawn([executable, ...argv], {
    env: { ...gitEnvironment(), TMPDIR: at.temporary, SATYRN_TEST_MARK: mark, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  return { id, child, mark };
}

/**
 * An environment in which the `at`th Git process of the engine, before or after its work, kills the engine with
 * SIGKILL; Git itself goes on, as it does in life. `steps` receives what each Git process was asked.
 */
export function steppingGit(folder: string, at: number, when: "before" | "after") {
  const programs = join(folder, "programs");
  const steps = join(folder, `steps-${when}-${at}`);
  mkdirSync(programs, { recursive: true });
  mkdirSync(steps);
  const wrapper = join(programs, "git");
  if (!existsSync(wrapper)) writeFileSync(wrapper, steppingScript, { mode: 0o755 });
  const env = {
    PATH: `${programs}:${process.env["PATH"]}`,
    STEP_GIT: Bun.which("git") ?? "",
    STEP_FOLDER: steps,
    STEP_AT: String(at),
    STEP_WHEN: when,
  };
  const asked = (): string => {
    const words = readFileSync(join(steps, String(at), "asked"), "utf8").split("\n");
    return words.find((word, index) => !word.startsWith("-") && words[index - 1] !== "-c") ?? "";
  };
  return { env, asked };
}

const steppingScript = `#!/bin/sh
n=1
while ! mkdir "$STEP_FOLDER/$n" 2>/dev/null; do n=$((n + 1)); done
printf '%s\\n' "$@" > "$STEP_FOLDER/$n/asked"
[ "$n:before" = "$STEP_AT:$STEP_WHEN" ] && kill -9 "$PPID"
"$STEP_GIT" "$@"
status=$?
[ "$n:after" = "$STEP_AT:$STEP_WHEN" ] && kill -9 "$PPID"
exit $status
`;

/** What a scene looked like before a delivery, and what in it belongs to others. */
export interface Before {
  readonly state: Record<string, string>;
  readonly left: readonly string[];
}

export function lookBefore(at: Scene): Before {
  return { state: snapshot(at.repo), left: leftIn(at) };
}

/**
 * Proves what a delivery that was killed may leave: the caller's side as it was, the candidate absent or whole,
 * no receipt but a true one, and nothing that `recover` does not name; then that `recover` leaves nothing. Says in
 * a few words what there was.
 */
export async function expectRecoverable(at: Scene, delivery: Delivery, before: Before): Promise<string> {
  const printed = await delivery.child.stdout.text();
  await delivery.child.exited;
  await until(() => runningWith(delivery.mark).every((line) => !/\bgit\b/.test(line)));

  const ref = `refs/satyrn/candidates/${delivery.id}/head`;
  const refs = git(at.repo, "for-each-ref", "--format=%(objectname)", ref);
  if (refs !== "") expectComplete(at, refs);
  if (printed !== "") {
    const receipt = JSON.parse(printed) as Receipt;
    expect([receipt.code, receipt.candidate_commit]).toEqual(["OK", refs]);
  }
  const after = withoutRef(snapshot(at.repo), ref);
  expect({ ...after, worktrees: "" }).toEqual({ ...before.state, worktrees: "" });

  const left = leftIn(at).filter((path) => !before.left.includes(path));
  for (const path of left) passTenSecondsIfEmpty(path);
  const foreseen = await recoverIn(at, "--dry-run");
  expect(pathsOf(foreseen, "recoverable")).toEqual(left);
  expect(leftIn(at).filter((path) => !before.left.includes(path))).toEqual(left);
  const running = runningWith(delivery.mark).length;
  expect(pathsOf(await recoverIn(at), "recovered")).toEqual(left);

  expect(leftIn(at)).toEqual(before.left as string[]);
  expect(withoutRef(snapshot(at.repo), ref)).toEqual(before.state);
  expect(runningWith(delivery.mark)).toEqual([]);
  expect(await recoverIn(at).then((found) => pathsOf(found, "recovered"))).toEqual([]);

  const folders = left.filter((path) => !path.endsWith(".keep")).length;
  const registered = after["worktrees"] === before.state["worktrees"] ? "" : " worktree";
  const kept = left.length > folders ? " pack" : "";
  const what = `${folders > 0 ? " folder" : ""}${registered}${kept}${running > 0 ? " processes" : ""}`;
  return `${refs === "" ? "no candidate" : "candidate"}; ${what === "" ? "nothing left" : `recovered${what}`}`;
}

/** An engine that is killed before it wrote its record leaves an empty folder, which nobody takes at once. */
function passTenSecondsIfEmpty(path: string): void {
  if (path.endsWith(".keep") || readdirSync(path).some((name) => name !== "owner.json.new")) return;
  const past = Date.now() / 1000 - 11;
  utimesSync(path, past, past);
}

/** Every object of the candidate is there, and it is the change on the base. */
function expectComplete(at: Scene, commit: string): void {
  git(at.repo, "rev-list", "--objects", commit);
  git(at.repo, "fsck", "--full", "--strict", "--no-dangling", commit);
  expect(git(at.repo, "rev-parse", `${commit}^@`)).toBe(git(at.repo, "rev-parse", "HEAD"));
  expect(git(at.repo, "diff", "--name-only", "HEAD", commit)).toBe("a.txt\nnew/c");
}

function withoutRef(state: Record<string, string>, ref: string): Record<string, string> {
  const lines = (state["refs"] ?? "").split("\n").filter((line) => !line.startsWith(`${ref} `));
  return { ...state, refs: lines.join("\n") };
}

/** Private folders and keep files, sorted. */
function leftIn(at: Scene): string[] {
  const packs = join(at.repo, ".git/objects/pack");
  const names = existsSync(packs) ? readdirSync(packs) : [];
  // The keep file stands for its pack; a part without one would be found by nobody.
  const isWhole = (name: string) => names.includes(name.replace(/\.pack$/, ".idx"));
  const keeps = names.filter((name) => {
    if (/\.(idx|rev)$/.test(name) || (name.endsWith(".pack") && isWhole(name))) return false;
    return name.endsWith(".keep") || !names.includes(name.replace(/\.[^.]*$/, ".keep"));
  });
  const folders = readdirSync(at.temporary).map((name) => join(at.temporary, name));
  return [...keeps.map((name) => join(packs, name)), ...folders].sort();
}

/** Runs `recover` in the scene's repository; every line it prints, as it prints them. */
export async function recoverIn(at: Scene, ...flags: readonly string[]): Promise<readonly Finding[]> {
  const run = await engine(["recover", "--repo", at.repo, ...flags], {
    env: { ...gitEnvironment(), TMPDIR: at.temporary },
  });
  expect([run.status, run.stderr]).toEqual([0, ""]);
  return run.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Finding)
    .filter(({ path }) => path.startsWith(at.folder));
}

export function pathsOf(findings: readonly Finding[], result: Finding["result"]): string[] {
  return findings.flatMap((finding) => (finding.result === result ? [finding.path] : [])).sort();
}

/** Waits until `condition` holds, ten seconds at most. */
export async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 10) {
    if (waited > 10_000) throw new Error("what was waited for did not come");
    await Bun.sleep(10);
  }
}
