import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Arrow,
  arrows,
  arrowsOf,
  filesInCircles,
  floorsOfMap,
  reached,
  roomsOfTree,
  root,
  sourceFiles,
  wrongArrows,
  wrongOutsiders,
  yamlParser,
} from "../support/house.ts";

const house = arrows();
const design = readFileSync(join(root, "docs/design.md"), "utf8");
const floors = floorsOfMap(design);

function arrow(from: string, to: string, when: Arrow["when"] = "start"): Arrow {
  return { from, to, when };
}

describe("the map in docs/design.md", () => {
  test("shows every room of the tree, and no other", () => {
    expect(floors.flat().sort()).toEqual([...roomsOfTree()]);
  });

  test("is read floor by floor, a room a line", () => {
    const page =
      "# Design\n\n## The house\n\nWords.\n\n```\ncli/  flags\nmain.ts  start\n\nfiles/  bytes\n```\n";
    expect(floorsOfMap(page)).toEqual([["cli", "main.ts"], ["files"]]);
    expect(floorsOfMap("# Design\n").flat()).toEqual([]);
  });
});

test("the table in docs/design.md has a row for every dependency, and no other", async () => {
  const manifest: object = await Bun.file(join(root, "package.json")).json();
  const declared = Object.entries(manifest).flatMap(([field, value]) =>
    /dependencies$/i.test(field) ? Object.keys(value) : [],
  );
  const rows = [...design.matchAll(/^\| `([^`]+)` \|/gm)].map((row) => row[1] ?? "");
  expect(rows.sort()).toEqual(declared.sort());
});

describe("the imports of a file", () => {
  test("are told with when they are followed", () => {
    const text = [
      'import { readFileSync } from "node:fs";',
      'import type { Contract } from "../contract/load.ts";',
      'export {\n  type Check,\n  check,\n} from "./check.ts";',
      'export async function later() { return [readFileSync("x"), await import("../protocol/handler.ts")]; }',
      'export const ffi = () => require("bun:ffi");',
    ].join("\n");
    expect([...arrowsOf("cli/a.ts", text)].sort((one, other) => (one.to < other.to ? -1 : 1))).toEqual([
      arrow("cli/a.ts", "bun:ffi", "later"),
      arrow("cli/a.ts", "cli/check.ts"),
      arrow("cli/a.ts", "contract/load.ts", "type"),
      arrow("cli/a.ts", "node:fs"),
      arrow("cli/a.ts", "protocol/handler.ts", "later"),
    ]);
  });

  test("are found in every file that is no leaf", () => {
    const importing = new Set(house.map(({ from }) => from));
    expect(importing.size).toBeGreaterThan(sourceFiles().length * 0.8);
    expect(house.filter(({ when }) => when === "type").length).toBeGreaterThan(100);
  });
});

describe("an arrow between rooms", () => {
  test("leads down everywhere", () => {
    expect(wrongArrows(house, floors)).toEqual([]);
  });

  test.each([
    ["back up", arrow("repository/git.ts", "delivery/deliver.ts")],
    ["back up by a type alone", arrow("files/read.ts", "acceptance/schema.ts", "type")],
    ["back up when asked for", arrow("check.ts", "cli/start.ts", "later")],
    ["between operations", arrow("mutation/replace.ts", "delivery/deliver.ts")],
    ["from acceptance to delivery", arrow("acceptance/accept.ts", "delivery/deliver.ts")],
    ["from Pi's side to the engine", arrow("pi/edit.ts", "outcome.ts")],
    ["to Pi's side from elsewhere", arrow("delivery/deliver.ts", "pi/child.ts")],
    ["to a room that is not on the map", arrow("cli/start.ts", "attic/old.ts")],
  ])("is wrong if it leads %s", (_, wrong) => {
    expect(wrongArrows([wrong], floors)).toEqual([`${wrong.from} -> ${wrong.to}`]);
  });

  test.each([
    ["in a room", arrow("pi/edit.ts", "pi/text.ts")],
    ["down", arrow("cli/check.ts", "check.ts")],
    ["from delivery to acceptance", arrow("delivery/x.ts", "acceptance/candidate.ts")],
    ["from an operation to check", arrow("mutation/replace.ts", "check.ts")],
    ["from attempt to Pi's side", arrow("attempt/extensions.ts", "pi/edit.ts")],
  ])("is right if it leads %s", (_, right) => {
    expect(wrongArrows([right], floors)).toEqual([]);
  });
});

describe("a circle of files", () => {
  test("is nowhere", () => {
    expect(filesInCircles(house)).toEqual([]);
  });

  test("is seen, whatever is between", () => {
    const circle = [arrow("a.ts", "b.ts"), arrow("b.ts", "c.ts", "type"), arrow("c.ts", "a.ts", "later")];
    expect(filesInCircles([...circle, arrow("d.ts", "a.ts")])).toEqual(["a.ts", "b.ts", "c.ts"]);
    expect(filesInCircles(circle.slice(1))).toEqual([]);
  });
});

describe("what is not the engine's", () => {
  test("is imported where it may be", () => {
    expect(wrongOutsiders(house)).toEqual([]);
  });

  test.each([
    arrow("files/digest.ts", "node:crypto"),
    arrow("files/digest.ts", "node:crypto", "later"),
    arrow("process/libc.ts", "bun:ffi"),
    arrow("files/utf8.ts", "node:buffer"),
    arrow("files/digest.ts", "node:buffer", "later"),
    arrow("cli/arguments.ts", "citty"),
    arrow("mutation/replace.ts", yamlParser),
    arrow("contract/yaml.ts", "yaml"),
    arrow("protocol/requests.ts", "arktype"),
    arrow("pi/json.ts", "arktype"),
    arrow("cli/start.ts", "../package.json", "later"),
  ])("is refused: $from -> $to, $when", (wrong) => {
    expect(wrongOutsiders([wrong])).toEqual([`${wrong.from} -> ${wrong.to}`]);
  });

  test.each([
    arrow("files/read.ts", "node:fs"),
    arrow("process/libc.ts", "bun:ffi", "later"),
    arrow("files/utf8.ts", "node:buffer", "later"),
    arrow("cli/arguments.ts", "citty", "type"),
    arrow("pi/child.ts", "node:child_process"),
  ])("is accepted: $from -> $to, $when", (right) => {
    expect(wrongOutsiders([right])).toEqual([]);
  });
});

describe("what `check` and `protocol` load to answer a check", () => {
  const starts = ["main.ts", "cli/check.ts", "cli/protocol.ts", "check.ts"];
  const loaded = reached(starts, house, ["start"]);

  test("is the file system and the YAML parser, and nothing else of others", () => {
    const outside = [...loaded].filter((name) => !name.endsWith(".ts")).sort();
    expect(outside).toEqual([yamlParser, "node:fs", "node:path"]);
  });

  test("is none of what runs programs, asks Git, or performs another operation", () => {
    const rooms = new Set([...loaded].filter((name) => name.includes("/")).map((name) => name.split("/")[0]));
    for (const room of ["process", "delivery", "mutation", "attempt", "acceptance", "pi"]) {
      expect(rooms).not.toContain(room);
    }
    expect(loaded).not.toContain("repository/git.ts");
    expect(loaded).toContain("contract/yaml.ts");
  });

  test("is no text that another command prints", () => {
    const printed = /^cli\/(completion|schemas|licenses)/;
    expect([...loaded].filter((name) => printed.test(name))).toEqual([]);
    const asked = reached(["main.ts"], house, ["start", "later"]);
    expect(asked).toContain("cli/completion/fish.ts");
    expect(asked).toContain("cli/licenses.generated.ts");
  });

  test("would tell of more", () => {
    const planted = [...house, arrow("contract/text.ts", "process/libc.ts"), arrow("files/json.ts", "x")];
    const more = reached(starts, planted, ["start"]);
    expect(more).toContain("process/libc.ts");
    expect(more).toContain("x");
    expect(reached(["a.ts"], [arrow("a.ts", "b.ts", "later")], ["start"])).not.toContain("b.ts");
  });
});
