/** What a delivery costs beside the same Git work done by hand. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git, gitEnvironment, makeRepository, writeFiles } from "../../test/support/repository.ts";
import {
  type Bench,
  type Call,
  contest,
  countGit,
  type Measurement,
  peak,
  type Row,
  run,
  timed,
} from "./measure.ts";

const byHand = "the bare sequence of Git commands";

export const delivery: readonly Row[] = [
  atSize(10, "<= 1.8 x"),
  atSize(1000, "<= 0.95 x"),
  atSize(10_000, "<= 0.85 x"),
  { ...atSize(100_000, "<= 0.85 x"), slow: true },
  { name: "deliver-output", measure: (bench) => [outputMemory(bench)] },
  { name: "deliver-together", measure: together },
];

function atSize(files: number, target: string): Row {
  const name = `deliver-${files}`;
  const what = `\`deliver\`, ${files.toLocaleString("en")} files`;
  return {
    name,
    measure: (bench) => {
      const scene = makeScene(bench, name, files);
      const medians = contest(bench.rounds, {
        engine: (round) => timed(() => run(deliver(scene, `engine-${round}`))),
        floor: (round) => timed(() => run(bare(scene, `bare-${round}`))),
      });
      const processes = countGit(bench, (env) => {
        const call = deliver(scene, "counted");
        run({ ...call, env: { ...call.env, ...env } });
      });
      scene.dispose();
      return [
        { what, unit: "ms", ...medians, floorOf: byHand, target },
        { what: `${what}: Git processes`, unit: "processes", engine: processes, target: "<= 20" },
      ];
    },
  };
}

interface Scene {
  readonly bench: Bench;
  readonly folder: string;
  readonly repo: string;
  readonly temporary: string;
  readonly env: Readonly<Record<string, string>>;
  dispose(): void;
}

/** A new repository of so many files of some 1 KB, a hundred in a folder. */
function makeScene(bench: Bench, name: string, files: number): Scene {
  const folder = join(bench.folder, name);
  const temporary = join(folder, "tmp");
  mkdirSync(temporary, { recursive: true });
  const contents: Record<string, string> = {};
  for (let file = 0; file < files; file++) {
    contents[`part-${Math.floor(file / 100)}/file-${file}.txt`] =
      `${file}\n${"some text of the file\n".repeat(45)}`;
  }
  const repo = join(folder, "repo");
  makeRepository(repo, {});
  // Else Git begins a collection of its own accord after the commit, and fails the one that is asked for.
  git(repo, "config", "gc.auto", "0");
  git(repo, "config", "maintenance.auto", "false");
  writeFiles(repo, contents);
  git(repo, "add", "-A");
  git(repo, "commit", "-q", "-m", "files");
  git(repo, "gc", "--quiet");
  // Older than the index, as in a tree that somebody works in: else Git reads every file again.
  const index = join(repo, ".git/index");
  run({ argv: ["touch", "-d", "2 seconds", index] });
  const env = { ...gitEnvironment(), TMPDIR: temporary };
  return { bench, folder, repo, temporary, env, dispose: () => rmSync(folder, { recursive: true }) };
}

const command = ["sh", "-c", "echo changed > part-0/file-0.txt; echo new > new.txt"];

function deliver(scene: Scene, id: string, words: readonly string[] = command): Call {
  const contract = join(scene.folder, `${id}.yaml`);
  writeFileSync(contract, `id: ${id}\ntask: change one file and add one\n`);
  return {
    argv: [scene.bench.engine, "deliver", "--repo", scene.repo, contract, "--", ...words],
    env: scene.env,
  };
}

function bare(scene: Scene, id: string): Call {
  const script = `set -e
git worktree add --quiet --detach "$W" HEAD
(cd "$W" && "$@")
git -C "$W" add -A
tree=$(git -C "$W" write-tree)
commit=$(git commit-tree "$tree" -p HEAD -m "candidate: $ID")
git update-ref "refs/bench/$ID/head" "$commit" ""
git worktree remove --force "$W"`;
  return {
    argv: ["sh", "-c", `cd '${scene.repo}' && ${script}`, "sh", ...command],
    env: { ...scene.env, W: join(scene.temporary, id), ID: id },
  };
}

const gigabyte = "head -c 1000000000 /dev/zero; echo changed > part-0/file-0.txt";

/** Its output goes where it costs nothing. */
function outputMemory(bench: Bench): Measurement {
  const scene = makeScene(bench, "output", 10);
  const { argv, env } = deliver(scene, "loud", ["sh", "-c", gigabyte]);
  const quiet = ["sh", "-c", 'exec "$@" 2> /dev/null', "sh", ...argv];
  const engine = peak(bench, { argv: quiet, env });
  scene.dispose();
  return { what: "engine while a command prints 1 GB, peak", unit: "MB", engine, target: "flat, <= 120 MB" };
}

const atOnce = 20;
const concurrentRounds = 30;

/** Deliveries at once beside the same in turn, and what of them failed or was left. */
function together(bench: Bench): readonly Measurement[] {
  const scene = makeScene(bench, "together", 10);
  let failures = 0;
  const batch = (name: string, separator: string) => {
    const lines = Array.from({ length: atOnce }, (_, each) => {
      const { argv } = deliver(scene, `${name}-${each}`);
      return `${argv.map((word) => `'${word}'`).join(" ")} > /dev/null 2>&1 || echo failed ${separator}`;
    });
    const script = `${lines.join("\n")}\nwait`;
    // Each candidate is a pack of its own, and every Git process looks at every pack.
    git(scene.repo, "gc", "--quiet");
    return timed(() => {
      failures += run({ argv: ["sh", "-c", script], env: scene.env }).split("\n").length - 1;
    });
  };
  const medians = contest(concurrentRounds, {
    engine: (round) => batch(`at-once-${round}`, "&"),
    floor: (round) => batch(`in-turn-${round}`, ""),
  });
  const registered = git(scene.repo, "worktree", "list").split("\n").length - 1;
  const packs = readdirSync(join(scene.repo, ".git/objects/pack")).filter((name) => name.endsWith(".keep"));
  const left = readdirSync(scene.temporary).length + registered + packs.length;
  scene.dispose();
  const what = `${atOnce} deliveries at once`;
  const all = (concurrentRounds + 1) * atOnce * 2;
  return [
    { what, unit: "ms", ...medians, floorOf: `${atOnce} in turn`, target: "<= 0.7 x on two cores" },
    {
      what: `${what}: failures of ${all}, and things left`,
      unit: "failures",
      engine: failures + left,
      target: "0",
    },
  ];
}
