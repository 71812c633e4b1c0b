/**
 * Tries every fault at every boundary, and prints what was tried as tables: `bun test/faults/table.ts [operation...]`.
 * With `--write` they take their place in `docs/faults.md`. Ends with 1 if anything was not as it must be.
 *
 * What is asked between runs, `recover` above all, is asked of the executable that the build made.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile, executable as released } from "../../build.ts";
import { temporaryFolder } from "../support/repository.ts";
import { compileFaulty } from "./build.ts";
import { callOf } from "./faults.ts";
import { type Cell, type Matrix, runMatrix } from "./matrix.ts";
import type { Fault } from "./seam/boundary.ts";

const page = join(import.meta.dir, "../../docs/faults.md");
const columns: readonly (readonly [title: string, faults: readonly Fault[]])[] = [
  ["killed", ["kill before", "kill midway", "kill after"]],
  ["`ENOSPC`", ["ENOSPC"]],
  ["`EACCES`", ["EACCES"]],
  ["`EIO`", ["EIO"]],
  ["`EMFILE`", ["EMFILE"]],
  ["`ENOMEM`", ["ENOMEM"]],
  ["full from there on", ["ENOSPC on"]],
  ["no descriptor from there on", ["EMFILE on"]],
  ["paused", ["pause"]],
  ["Git fails", ["git fails", "git fails late", "git is killed"]],
];

if (import.meta.main) {
  const words = process.argv.slice(2);
  const matrices = await runAll(words.filter((word) => word !== "--write"));
  if (matrices.length === 0) process.exit();
  const text = tablesOf(matrices);
  console.log(text);
  if (words.includes("--write")) writeInto(page, text);
  process.exit(matrices.every(({ cells }) => cells.every(isWell)) ? 0 : 1);
}

/** What was tried, as Markdown. */
export function tablesOf(matrices: readonly Matrix[]): string {
  return [summary(matrices), ...matrices.map(table), endings(matrices)].join("\n");
}

/** Puts the tables where they belong in the page at `path`. */
export function writeInto(path: string, tables: string): void {
  const [before = "", after = ""] = readFileSync(path, "utf8").split(
    /(?<=<!-- tables -->\n).*(?=<!-- end -->)/s,
  );
  writeFileSync(path, `${before}\n${tables}\n${after}`);
}

async function runAll(wanted: readonly string[]): Promise<readonly Matrix[]> {
  const { path: folder, dispose } = temporaryFolder();
  const executable = join(folder, "faulty");
  try {
    await compile("src/main.ts", process.env["SATYRN_TEST_EXECUTABLE"] || released);
    const { operations } = await import("./operations/all.ts");
    const names = operations(executable).map(({ name }) => name);
    const unknown = wanted.filter((word) => !names.includes(word));
    if (unknown.length > 0) {
      console.error(`table: no operation is called ${unknown.join(", ")}; there are ${names.join(", ")}`);
      process.exitCode = 2;
      return [];
    }
    await compileFaulty(executable);
    const done: Matrix[] = [];
    for (const operation of operations(executable)) {
      if (wanted.length > 0 && !wanted.includes(operation.name)) continue;
      done.push(await runMatrix(operation, { all: true, executable, onCell: tellIfWrong }));
    }
    return done;
  } finally {
    dispose();
  }
}

function isWell({ problems }: Cell): boolean {
  return problems.length === 0;
}

function tellIfWrong(cell: Cell): void {
  if (!isWell(cell)) console.error(`${cell.at}: ${cell.fault}: ${cell.problems.join("; ")}`);
}

function summary(all: readonly Matrix[]): string {
  const rows = all.map(({ operation, boundaries, cells, seconds }) => {
    const wrong = cells.filter((cell) => !isWell(cell)).length;
    return [`\`${operation}\``, boundaries.length, cells.length, wrong, Math.round(seconds)];
  });
  const total = [1, 2, 3, 4].map((column) => rows.reduce((sum, row) => sum + Number(row[column]), 0));
  return rendered(["operation", "boundaries", "runs", "wrong", "seconds"], [...rows, ["all", ...total]]);
}

/** How many runs there were, by the kind of call and the fault. */
function table({ operation, boundaries, cells }: Matrix): string {
  const calls = [...new Set(boundaries.map(kindOf))];
  const rows = calls.map((call) => {
    const here = cells.filter(({ at }) => kindOf(at) === call);
    const counts = columns.map(([, faults]) => here.filter(({ fault }) => faults.includes(fault)).length);
    return [
      call,
      boundaries.filter((at) => kindOf(at) === call).length,
      ...counts.map((count) => count || ""),
    ];
  });
  const heads = ["call", "boundaries", ...columns.map(([title]) => title)];
  return `### \`${operation}\`\n\n${rendered(heads, rows)}`;
}

function kindOf(boundary: string): string {
  const call = callOf(boundary);
  return boundary.startsWith("spawn git ") ? "spawn Git" : call;
}

function endings(all: readonly Matrix[]): string {
  const rows = all.flatMap(({ operation, cells }) => {
    const found = Map.groupBy(cells, (cell) => cell.found);
    return [...found].map(([ending, some]): Row => [`\`${operation}\``, ending, some.length]);
  });
  return `### How the runs ended\n\n${rendered(["operation", "ending", "runs"], rows)}`;
}

type Row = readonly (string | number)[];

function rendered(heads: readonly string[], rows: readonly Row[]): string {
  const isNumeric = (column: number) => rows.some((row) => typeof row[column] === "number");
  const lines = [heads, heads.map((_, column) => (isNumeric(column) ? "---:" : "---")), ...rows];
  return `${lines.map((row) => `| ${row.join(" | ")} |`).join("\n")}\n`;
}
