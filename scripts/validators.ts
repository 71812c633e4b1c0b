/**
 * Compiles every `src/<room>/schema.ts` to plain functions in `validate.generated.ts` beside it.
 *
 * Building an ArkType scope costs some twenty bare starts, so the executable holds what this makes and
 * nothing of ArkType. The input is a type's public JSON form; a key or kind that is not known here stops the
 * generation, so that no part of a schema is dropped in silence. The property test in
 * `test/unit/validators.test.ts` compares verdict and places with ArkType's own. The one difference is meant:
 * ArkType takes a list for an object, here it is wrong where an object belongs.
 */
import { dirname, join } from "node:path";
import { type Node, readNode } from "./schema-json.ts";

const root = join(import.meta.dir, "..");

/** The generated files, by their paths. */
export async function validators(): Promise<Readonly<Record<string, string>>> {
  const schemas = [...new Bun.Glob("src/*/schema.ts").scanSync(root)].sort();
  const texts = schemas.map(async (schema) => {
    const text = generate(await import(join(root, schema)));
    return [join(dirname(schema), "validate.generated.ts"), text] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

/** The text of `validate.generated.ts` for the exports of one `schema.ts`. */
export function generate(exports: Readonly<Record<string, { readonly json: unknown }>>): string {
  const functions = new Map<string, { name: string; text: string }>();
  const names = new Set(reserved);
  const validators: string[] = [];
  for (const [name, { json }] of Object.entries(exports)) {
    const checker = define(readNode(json, name), name, functions, names);
    validators.push(`/** Whether \`value\` is a ${name}; adds to \`problems\` what it lacks. */
export function is${name}(value: unknown, problems: Problem[]): value is ${name} {
  const before = problems.length;
  ${checker}(value, [], problems);
  return problems.length === before;
}`);
  }
  const body = [...validators, ...[...functions.values()].map((each) => each.text)].join("\n\n");
  const used = ["missing", "undeclared", "wrong"].filter((name) => body.includes(`${name}(`));
  return `// Made from schema.ts by \`bun run generate\`. Do not edit.
import { isFields } from "../fields.ts";
import { ${used.map((name) => `${name}, `).join("")}type Path, type Problem } from "../problems.ts";
import type { ${Object.keys(exports).join(", ")} } from "./schema.ts";

${body}
`;
}

/** What the generated functions call and bind themselves. */
const reserved = [
  "missing",
  "undeclared",
  "wrong",
  "isFields",
  "value",
  "path",
  "problems",
  "index",
  "item",
  "key",
];

type Functions = Map<string, { name: string; text: string }>;

/** Emits the function that checks `node`, once per distinct node, and gives its name. */
function define(node: Node, hint: string, functions: Functions, names: Set<string>): string {
  const key = JSON.stringify(node);
  const known = functions.get(key);
  if (known) return known.name;
  const name = freshName(node.kind === "object" ? hint : node.expected, names);
  const entry = { name, text: "" };
  functions.set(key, entry);
  entry.text = `function ${name}(value: unknown, path: Path, problems: Problem[]): void {
${bodyOf(node, hint, (child, childHint) => define(child, childHint, functions, names))}
}`;
  return name;
}

function bodyOf(node: Node, hint: string, checkerOf: (child: Node, hint: string) => string): string {
  const refuse = `wrong(problems, path, ${JSON.stringify(node.expected)}, value)`;
  switch (node.kind) {
    case "leaf":
      return `  if (!(${node.test})) ${refuse};`;
    case "list": {
      const bounds = ["!Array.isArray(value)"];
      if (node.min !== undefined) bounds.push(`value.length < ${node.min}`);
      if (node.max !== undefined) bounds.push(`value.length > ${node.max}`);
      const checker = checkerOf(node.item, `${hint} item`);
      return `  if (${bounds.join(" || ")}) return ${refuse};
  for (const [index, item] of value.entries()) ${checker}(item, [...path, index], problems);`;
    }
    case "object": {
      const lines = [`  if (!isFields(value)) return ${refuse};`];
      for (const { key, optional, value } of node.fields) {
        const name = JSON.stringify(key);
        const place = `[...path, ${name}]`;
        lines.push(
          `  if (Object.hasOwn(value, ${name})) ${checkerOf(value, key)}(value[${name}], ${place}, problems);`,
        );
        if (!optional) lines.push(`  else missing(problems, ${place}, ${JSON.stringify(value.expected)});`);
      }
      if (node.closed) {
        const known = JSON.stringify(node.fields.map((field) => field.key));
        lines.push(`  for (const key of Object.keys(value)) {
    if (!${known}.includes(key)) undeclared(problems, [...path, key], value[key]);
  }`);
      }
      return lines.join("\n");
    }
  }
}

/** `a list of non-empty strings` becomes `listOfNonEmptyStrings`. */
function freshName(phrase: string, names: Set<string>): string {
  const words = phrase.replace(/^(a|an|the) /, "").match(/[A-Za-z0-9]+/g) ?? ["value"];
  const camel = words.map((word, at) => (at === 0 ? lowerFirst(word) : upperFirst(word))).join("");
  const base = /^[0-9]/.test(camel) ? `value${camel}` : camel;
  let name = base;
  for (let n = 2; names.has(name); n++) name = `${base}${n}`;
  names.add(name);
  return name;
}

function lowerFirst(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1);
}

function upperFirst(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
