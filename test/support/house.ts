/** The house as it stands: what its files import, and the rules that say which imports are right. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";

export interface Arrow {
  /** A file below `src`, with slashes. */
  readonly from: string;
  /** Another file below `src`; or as it is written, if it leads elsewhere. */
  readonly to: string;
  /** `type` leaves no trace in what runs; `start` runs when the file is loaded; `later` when it is asked for. */
  readonly when: "type" | "start" | "later";
}

export const root = join(import.meta.dir, "../..");

/** Every TypeScript file below `src`. */
export function sourceFiles(): readonly string[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((name) => name.split(sep).join("/"))
    .filter((name) => name.endsWith(".ts"))
    .sort();
}

/** The names of the rooms of the tree: the folders and files that stand in `src` itself. */
export function roomsOfTree(): readonly string[] {
  return readdirSync(join(root, "src")).sort();
}

/** Every import of every source file. */
export function arrows(): readonly Arrow[] {
  return sourceFiles().flatMap((file) => arrowsOf(file, readFileSync(join(root, "src", file), "utf8")));
}

/** The imports of one file with this text. */
export function arrowsOf(from: string, text: string): readonly Arrow[] {
  const running = new Bun.Transpiler({ loader: "ts" }).scanImports(text).map(({ path, kind }): Arrow => {
    return { from, to: target(from, path), when: kind === "import-statement" ? "start" : "later" };
  });
  const named = [...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)"/gm)].map((found) =>
    target(from, found[1] ?? ""),
  );
  const ran = new Set(running.map(({ to }) => to));
  return [...running, ...named.filter((to) => !ran.has(to)).map((to): Arrow => ({ from, to, when: "type" }))];
}

function target(from: string, written: string): string {
  if (!written.startsWith(".")) return written;
  const path = relative(join(root, "src"), join(root, "src", posix.dirname(from), written));
  return path.split(sep).join("/");
}

/** One floor a list, from the top; each names its rooms. */
export type Floors = readonly (readonly string[])[];

/** The floors that the map draws: a room a line, its name first, and a blank line between floors. */
export function floorsOfMap(page: string): Floors {
  const map = /## The house\n.*?```\n(.*?)```/s.exec(page)?.[1] ?? "";
  return map.split(/\n\n/).map((floor) =>
    floor
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(" ", 1)[0]?.replace(/\/$/, "") ?? ""),
  );
}

/**
 * The arrows that do not lead down: between two rooms of one floor, to a floor above, or from and to what no
 * floor holds. Beside the map, `delivery` asks `acceptance`, and nobody but `attempt` knows `pi`.
 */
export function wrongArrows(all: readonly Arrow[], floors: Floors): readonly string[] {
  const floorOf = new Map(floors.flatMap((rooms, floor) => rooms.map((name) => [name, floor] as const)));
  const inside = all.filter(({ to }) => isSource(to));
  return inside
    .filter((arrow) => {
      const [from, to] = [roomOf(arrow.from), roomOf(arrow.to)];
      if (from === to) return false;
      if (from === "pi" || (to === "pi" && from !== "attempt")) return true;
      if (from === "delivery" && to === "acceptance") return false;
      const [above, below] = [floorOf.get(from), floorOf.get(to)];
      return above === undefined || below === undefined || above >= below;
    })
    .map(spoken);
}

function roomOf(file: string): string {
  return file.split("/", 1)[0] ?? file;
}

function isSource(path: string): boolean {
  return path.endsWith(".ts") && !path.startsWith("..");
}

function spoken({ from, to }: Arrow): string {
  return `${from} -> ${to}`;
}

/** Files that lead back to themselves, types included. */
export function filesInCircles(all: readonly Arrow[]): readonly string[] {
  const files = [...new Set(all.map(({ from }) => from))];
  return files.filter((file) =>
    targets(all, file).some((next) => reached([next], all, ["type", "start", "later"]).has(file)),
  );
}

function targets(all: readonly Arrow[], file: string): readonly string[] {
  return all.filter(({ from }) => from === file).map(({ to }) => to);
}

/** All that is reached from `starts`, these included, over the arrows of the kinds in `when`. */
export function reached(
  starts: readonly string[],
  all: readonly Arrow[],
  when: readonly Arrow["when"][],
): ReadonlySet<string> {
  const byFile = Map.groupBy(
    all.filter((arrow) => when.includes(arrow.when)),
    ({ from }) => from,
  );
  const found = new Set(starts);
  for (const file of found) for (const { to } of byFile.get(file) ?? []) found.add(to);
  return found;
}

/** What the engine uses of the package `yaml`, which nothing imports itself. */
export const yamlParser = "contract/yaml-parser.generated.js";

/**
 * Imports of what is not the engine's, where they may not stand. The engine takes `node:fs` and `node:path` when
 * a file is loaded, since any other built-in costs every start, and its dependencies only in the one file that is
 * there for them. What Pi loads runs on Node and has nothing installed beside it.
 */
export function wrongOutsiders(all: readonly Arrow[]): readonly string[] {
  return all.filter((arrow) => !isSource(arrow.to) && !isAllowed(arrow)).map(spoken);
}

function isAllowed({ from, to, when }: Arrow): boolean {
  if (roomOf(from) === "pi") return to.startsWith("node:");
  if (to === "node:fs" || to === "node:path") return true;
  if (to === "bun:ffi") return when === "later";
  // Taken by `require` when a large file is met, and then 0.4 ms well spent.
  if (to === "node:buffer") return from === "files/utf8.ts" && when === "later";
  if (to === yamlParser) return from === "contract/yaml.ts";
  if (to === "arktype") return /[/-]schema\.ts$/.test(from);
  if (to === "citty") return when === "type" || from === "cli/help.ts";
  return to === "../package.json" && from === "version.ts" && when === "later";
}
