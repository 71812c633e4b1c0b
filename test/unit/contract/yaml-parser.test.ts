import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as library from "yaml";
import type * as types from "../../../src/contract/yaml-parser.generated.d.ts";
import * as parser from "../../../src/contract/yaml-parser.generated.js";

const file = join(import.meta.dir, "../../../src/contract/yaml-parser.generated.js");

test("it has the licence of what it is made from", () => {
  expect(readFileSync(file, "utf8")).toContain("Copyright Eemeli Aro");
});

test("the module has all that is declared of it, and nothing else", () => {
  expect(Object.keys(parser).sort()).toEqual(["Composer", "Parser", "isAlias", "isMap", "isScalar", "isSeq"]);
});

test("it needs no other module, and reads no environment", () => {
  const text = readFileSync(file, "utf8");
  expect(text).not.toMatch(/^import |\brequire\(|\bimport\(|\bprocess\b/m);
});

// Compiled, not run: what the library says of itself fits what is declared of it.
type Narrow<Class> = Class extends new (...given: infer _) => infer Made ? Made : never;
export const parsed = (given: ReturnType<Narrow<typeof library.Parser>["parse"]>): Iterable<types.Token> =>
  given;
export const composed = (given: library.Document.Parsed): types.Document => given;
export const guards = (node: library.ParsedNode): types.Node => node;

test("it composes what the library composes", () => {
  for (const text of [
    "a: 1\n",
    "- [x, *y]\n- &y {b: 'c'}\n",
    "a: |\n  text\nb: !t 1\n",
    "%YAML 1.1\n---\na\n",
    "a: [\n",
  ]) {
    const read = ({ Composer, Parser }: Pick<typeof library, "Composer" | "Parser">) => {
      const composer = new Composer({ schema: "core", resolveKnownTags: false, uniqueKeys: false });
      const documents = [...new Parser().parse(text)].flatMap((token) => [...composer.next(token)]);
      const [document] = [...documents, ...composer.end(true, text.length)];
      return {
        contents: document?.contents?.toJSON?.() ?? null,
        faults: [document?.errors, document?.warnings].map(String),
      };
    };
    expect(read(parser as unknown as typeof library)).toEqual(read(library));
  }
});
