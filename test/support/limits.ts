/** The executable where something is short: a file system that is small, full or read-only, or few descriptors. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Receipt } from "../../src/delivery/receipt-schema.ts";
import type { Scene } from "./delivery.ts";
import { executable } from "./engine.ts";
import { gitEnvironment, temporaryFolder } from "./repository.ts";

/** Begins a mount namespace, whose mounts end with its last process. */
export const namespace =
  process.getuid?.() === 0 ? ["unshare", "--mount"] : ["unshare", "--map-root-user", "--mount"];

/** Why no file system can be mounted here; undefined if one can. */
export const noMounts = ((): string | undefined => {
  if (process.platform !== "linux" || Bun.which("unshare") === null) return "there is no unshare";
  const { path, dispose } = temporaryFolder();
  const probe = Bun.spawnSync([...namespace, "mount", "-t", "tmpfs", "none", path], { stderr: "pipe" });
  dispose();
  return probe.exitCode === 0
    ? undefined
    : `no file system may be mounted: ${probe.stderr.toString().trim()}`;
})();

export interface Limited {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined if none was printed. */
  readonly receipt: Receipt | undefined;
  /** What there was of the caller's side before, and after. */
  readonly before: string;
  readonly after: string;
  /** Whatever an operation may not leave: in `TMPDIR`, of registrations, locks, keeps, halves. */
  readonly left: string;
  /** What `git fsck` says. */
  readonly broken: string;
}

export interface Limit {
  /** Shell that sets the place up. It finds `$SCENE`, `$REPO` and `$TMPDIR`, and may move the last two. */
  readonly place: string;
  /** Shell that runs the engine, as `$ENGINE`. */
  readonly run: string;
}

/** Sets the place up, runs the engine in it, and looks at it before and after. */
export function runLimited(at: Scene, { place, run }: Limit): Limited {
  const out = join(at.folder, `out ${crypto.randomUUID()}`);
  mkdirSync(out);
  const env = {
    ...gitEnvironment(),
    SCENE: at.folder,
    REPO: at.repo,
    TMPDIR: at.temporary,
    OUT: out,
    ENGINE: executable,
  };
  const script = `${place}\n${looks}\nlook > "$OUT/before"\n(${run}) > "$OUT/stdout" 2> "$OUT/stderr"
echo $? > "$OUT/status"\nlook > "$OUT/after"\nleft > "$OUT/left"\nbroken > "$OUT/broken" 2>&1`;
  const shell = Bun.spawnSync([...namespace, "sh", "-uc", script], { env, cwd: at.folder, stderr: "pipe" });
  const read = (name: string) => readFileSync(join(out, name), "utf8");
  if (shell.exitCode !== 0) throw new Error(`the place could not be set up: ${shell.stderr.toString()}`);
  const stdout = read("stdout");
  return {
    status: Number(read("status")),
    stdout,
    stderr: read("stderr"),
    receipt: stdout.startsWith('{"version":1,"outcome"') ? (JSON.parse(stdout) as Receipt) : undefined,
    before: read("before"),
    after: read("after"),
    left: read("left"),
    broken: read("broken"),
  };
}

const looks = `
set -e
look() {
  git -C "$REPO" for-each-ref refs/heads
  md5sum < "$REPO/.git/index"
  cat "$REPO/.git/HEAD" "$REPO/.git/config"
  (cd "$REPO"; find . -path ./.git -prune -o -type f -exec md5sum {} + | sort)
}
left() {
  cd "$REPO/.git"
  find "$TMPDIR" -mindepth 1 -name 'satyrn*'
  find . -path './worktrees/*' -o -path './satyrn/*' -name 'satyrn-*'
  find . -name '*.lock' ! -path ./satyrn/worktrees.lock -o -name '*.keep' -o -name 'tmp_*' -o -name '*.idx-whole'
  find . -path './satyrn/receipts/*' -type f ! -name '*.json' -o -path './satyrn/receipts/*' -type f -size 0
}
broken() { cd "$SCENE"; git -C "$REPO" fsck --full --strict --no-dangling 2>&1 | grep -v '^notice: HEAD' || true; }
set +e
`;

/** Shell that delivers by a contract of this id, `command` being a line of the shell. */
export function delivering(at: Scene, id: string, command: string, contract = ""): string {
  const path = join(at.folder, `${id}.yaml`);
  writeFileSync(path, `id: ${id}\ntask: t\n${contract}`);
  return `exec "$ENGINE" deliver --repo "$REPO" --timeout 60 "$SCENE/${id}.yaml" -- sh -c '${command}'`;
}
