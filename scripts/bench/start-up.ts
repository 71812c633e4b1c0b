/** What a process costs that only answers: the version, `check`, and the protocol. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bench, type Call, contest, type Measurement, peak, type Row, run, timed } from "./measure.ts";

const line = "a program that writes one line";
const replaceFloor = "a program that replaces, with both digests and a sync";

interface Case {
  readonly name: string;
  readonly what: string;
  readonly target: string;
  readonly engine: (bench: Bench) => (round: number) => Call;
  readonly floorOf?: string;
  readonly floor?: (bench: Bench) => (round: number) => Call;
}

const cases: readonly Case[] = [
  {
    name: "version",
    what: "`--version`",
    target: "<= 1.3 x",
    engine: (bench) => () => ({ argv: [bench.engine, "--version"] }),
  },
  {
    name: "check-accepted",
    what: "`check`, 200 bytes, accepted",
    target: "<= 2.5 x",
    engine: (bench) => check(bench, contractOf(200), 0),
  },
  {
    name: "check-refused",
    what: "`check`, 200 bytes, refused",
    target: "<= 2.5 x",
    engine: (bench) => check(bench, contractOf(200).replace("task:", "tusk:"), 5),
  },
  {
    name: "check-4k",
    what: "`check`, 4 KB",
    target: "<= 6 x",
    engine: (bench) => check(bench, contractOf(4096), 0),
  },
  {
    name: "protocol-check",
    what: "`protocol` `check`",
    target: "<= 2.5 x",
    engine: (bench) => {
      const { repo, contract } = bounds(bench, contractOf(200));
      const stdin = JSON.stringify({ version: 1, operation: "check", repo, contract });
      return () => ({ argv: [bench.engine, "protocol"], stdin });
    },
  },
  {
    name: "replace-1k",
    what: "`protocol` `replace`, 1 KB",
    target: "<= 3 x",
    engine: (bench) => replacement(bench, 1024),
  },
  {
    name: "replace-10m",
    what: "`protocol` `replace`, 10 MB",
    target: "<= 1.3 x",
    engine: (bench) => replacement(bench, 10 * 1024 * 1024),
    floorOf: replaceFloor,
    floor: (bench) => bareReplacement(bench, 10 * 1024 * 1024),
  },
];

export const startUp: readonly Row[] = cases.map((one) => ({
  name: one.name,
  measure: (bench) => [time(bench, one), memory(bench, one)],
}));

function time(bench: Bench, one: Case): Measurement {
  const { engine, floor } = sides(bench, one);
  const medians = contest(bench.rounds, {
    engine: (round) => timed(() => run(engine(round))),
    floor: (round) => timed(() => run(floor(round))),
  });
  return { what: one.what, unit: "ms", ...medians, floorOf: one.floorOf ?? line, target: one.target };
}

function memory(bench: Bench, one: Case): Measurement {
  const { engine, floor } = sides(bench, one);
  const medians = contest(5, {
    engine: (round) => peak(bench, engine(round)),
    floor: (round) => peak(bench, floor(round)),
  });
  return {
    what: `${one.what}, peak`,
    unit: "MB",
    ...medians,
    floorOf: one.floorOf ?? line,
    target: "<= 2 x",
  };
}

function sides(bench: Bench, one: Case) {
  const bare = () => ({ argv: [bench.floors.line] });
  return { engine: one.engine(bench), floor: one.floor?.(bench) ?? bare };
}

/** A contract of so many bytes, with patterns and prose as contracts have them. */
function contractOf(bytes: number): string {
  const head = 'id: bench\nwritable_paths:\n  - "src/*"\n  - "bounded.txt"\ntask: |\n';
  const prose = "  Keep the public names, change the storage, and say in the log what was found.\n";
  const body = prose.repeat(Math.ceil((bytes - head.length) / prose.length));
  return `${(head + body).slice(0, bytes - 1).trimEnd()}\n`;
}

function bounds(bench: Bench, contract: string): { repo: string; contract: string } {
  const repo = join(bench.folder, "bounded");
  mkdirSync(repo, { recursive: true });
  const path = join(bench.folder, "contract.yaml");
  writeFileSync(path, contract);
  return { repo, contract: path };
}

function check(bench: Bench, text: string, status: number): (round: number) => Call {
  const { repo, contract } = bounds(bench, text);
  return () => ({ argv: [bench.engine, "check", "--repo", repo, contract], status });
}

const texts = ["the anchor is as it was\n", "the anchor was replaced\n"] as const;

/** Text of so many bytes with the anchor two thirds down. */
function fileOf(bytes: number, anchor: string): string {
  const filler = "a line of source, some sixty bytes of it, as files have them\n";
  const lines = filler.repeat(Math.ceil(bytes / filler.length));
  const seam = Math.floor((bytes * 2) / 3 / filler.length) * filler.length;
  return lines.slice(0, seam) + anchor + lines.slice(seam, bytes - anchor.length);
}

/** Replaces back and forth: the file a round finds is the one the last left. */
function replacement(bench: Bench, bytes: number): () => Call {
  const { repo, contract } = bounds(bench, contractOf(200));
  const request = { version: 1, operation: "replace", repo, contract, path: "bounded.txt" };
  const files = texts.map((text) => fileOf(bytes, text));
  const inputs = files.map((file, at) =>
    JSON.stringify({
      ...request,
      expected_sha256: new Bun.CryptoHasher("sha256").update(file).digest("hex"),
      old_text: texts[at],
      new_text: texts[1 - at],
    }),
  );
  writeFileSync(join(repo, "bounded.txt"), files[0] ?? "");
  let turn = 0;
  return () => ({ argv: [bench.engine, "protocol"], stdin: inputs[turn++ % 2] ?? "" });
}

function bareReplacement(bench: Bench, bytes: number): () => Call {
  const path = join(bench.folder, "bare.txt");
  writeFileSync(path, fileOf(bytes, texts[0]));
  let turn = 0;
  return () => {
    const at = turn++ % 2;
    return { argv: [bench.floors.replace, path, texts[at] ?? "", texts[1 - at] ?? ""] };
  };
}
