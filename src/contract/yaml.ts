/**
 * One YAML 1.2 document, core schema, as plain values.
 *
 * The parser's own conversion is left out: its duplicate check takes quadratic time, its alias limit counts a
 * scalar that is used often as a bomb, it prints warnings, and it hides what a scalar looked like.
 */
import { setField } from "../fields.ts";
import { success } from "../outcome.ts";
import type { Path } from "../problems.ts";
import { type Located, type Place, placeAt, refusalAt } from "./text.ts";
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "./yaml-parser.generated.js";

export interface YamlDocument {
  /** Plain values. Aliases share what they name; a number written with a fraction is a boxed `Number`. */
  readonly value: unknown;
  locate(path: Path): Location | undefined;
}

/** Where the value at a path stands. */
export interface Location {
  readonly place: Place;
  /** A scalar as it was written, without its quotes. */
  readonly source: string | undefined;
}

/** Collections within each other. */
const maxDepth = 1000;
/** Nodes that aliases to collections may add once they are expanded. */
const maxAliasedNodes = 100_000;

/** Reads the one document in `text`, which may be empty (null). `INVALID_YAML` says what is wrong and where. */
export function readYaml(text: string): Located<YamlDocument, "INVALID_YAML"> {
  const composed = compose(text);
  if (!composed.ok) return composed;
  const document = composed.value;
  const root = document.contents;
  const walk: Walk = {
    anchors: new Map(),
    aliased: 0,
    identities: new Map([[null, nothing.identity]]),
    fault: undefined,
  };
  const { value } = convert(root, walk, 0);
  if (walk.fault) return refusalAt("INVALID_YAML", walk.fault.problem, text, walk.fault.at);
  return success({ value, locate: (path) => locate(text, root, path) });
}

/** The parser's tree of the one document. It stops at the first token that is none. */
function compose(text: string): Located<Document, "INVALID_YAML"> {
  const refuse = (problem: string, at: number) => refusalAt("INVALID_YAML", shorten(problem), text, at);
  const composer = new Composer({ schema: "core", resolveKnownTags: false, uniqueKeys: false });
  let document: Document | undefined;
  for (const token of new Parser().parse(text)) {
    if (token.message !== undefined) return refuse(inWords(token.message, token.source), token.offset);
    for (const each of composer.next(token)) document ??= each;
    if (document) return refuse("a second document begins", token.offset);
  }
  for (const each of composer.end(true, text.length)) document ??= each;
  if (document === undefined) throw new Error("the composer gave no document");
  const fault = document.errors[0] ?? document.warnings.find(isFault);
  if (fault?.code === "RESOURCE_EXHAUSTION") return refuse("nested too deep", fault.pos[0]);
  if (fault) return refuse(inWords(fault.message, text.slice(...fault.pos)), fault.pos[0]);
  const { version } = document.directives.yaml;
  if (version !== "1.2") return refuse(`%YAML ${version} is not supported, only 1.2`, text.indexOf("%YAML"));
  return success(document);
}

/** The parser's message about `found`, without the names of its tokens, and with what the writer may have meant. */
function inWords(message: string, found: string): string {
  if (/^Unexpected [a-z-]+ (token|at node end)/.test(message)) {
    return `unexpected ${JSON.stringify(found.length > 40 ? `${found.slice(0, 40)}...` : found)}`;
  }
  const advice = advices.find(([words]) => words.test(message))?.[1];
  return advice === undefined ? message : `${message} (${advice})`;
}

const starAdvice = "a value that begins with * must be quoted";
const fieldAdvice = "a field is its name, a colon, a space and its value";
const advices: readonly (readonly [RegExp, string])[] = [
  [/^Alias cannot be/, starAdvice],
  [/^Unresolved tag: !/, "a value that begins with ! must be quoted"],
  [/^Plain value cannot start/, "quote the value"],
  [/^Invalid escape sequence/, "in double quotes a backslash is written \\\\"],
  [/^Nested mappings/, 'a value that holds ": " must be quoted; fields begin in the same column'],
  [/^Implicit (map )?keys need/, fieldAdvice],
];

/** A tag or `%YAML` version that is not understood; an unknown directive is ignored, as YAML asks. */
function isFault(warning: { readonly code: string; readonly message: string }): boolean {
  return warning.code !== "BAD_ALIAS" && !warning.message.startsWith("Unknown directive");
}

function shorten(message: string): string {
  return message.length > 200 ? `${message.slice(0, 200)}...` : message;
}

interface Walk {
  /** The last finished node of each name; undefined while the node is still open. */
  readonly anchors: Map<string, Converted | undefined>;
  aliased: number;
  /** The number of each node that is unlike those before it. */
  readonly identities: Map<unknown, number>;
  fault: { readonly problem: string; readonly at: number } | undefined;
}

interface Converted {
  readonly value: unknown;
  /** Nodes once aliases are expanded. A scalar's alias adds nothing. */
  readonly size: number;
  /** The same number for nodes that YAML takes for equal (YAML 1.2.2, 3.2.1.3), and for no others. */
  readonly identity: number;
}

const nothing: Converted = { value: null, size: 1, identity: 0 };

/** The plain value of `node`; after the first fault, which ends the reading, whatever comes first. */
function convert(node: Node | null, walk: Walk, depth: number): Converted {
  if (node === null || walk.fault) return nothing;
  if (isAlias(node)) return followAlias(node.source, node.range[0], walk);
  if (depth === maxDepth && !isScalar(node))
    return faultAt(walk, `nested deeper than ${maxDepth}`, node.range[0]);
  const { anchor } = node;
  if (anchor !== undefined) walk.anchors.set(anchor, undefined);
  const converted = isScalar(node)
    ? convertScalar(node, walk)
    : isSeq(node)
      ? convertList(node, walk, depth + 1)
      : convertMapping(node, walk, depth + 1);
  if (anchor !== undefined) walk.anchors.set(anchor, converted);
  return converted;
}

function followAlias(name: string, at: number, walk: Walk): Converted {
  const target = walk.anchors.get(name);
  if (target === undefined) {
    const why = walk.anchors.has(name)
      ? "stands inside the node it names"
      : `names no earlier anchor (${starAdvice})`;
    return faultAt(walk, `the alias *${shorten(name)} ${why}`, at);
  }
  if (target.size > 1) walk.aliased += target.size;
  if (walk.aliased > maxAliasedNodes)
    return faultAt(walk, `aliases expand to more than ${maxAliasedNodes} nodes`, at);
  return target;
}

function convertScalar({ value, source, range }: Scalar, walk: Walk): Converted {
  if (typeof value === "string" && !value.isWellFormed()) return faultAt(walk, "a lone surrogate", range[0]);
  const isFraction = typeof value === "number" && !integer.test(source);
  const identity = identify(walk, typeof value === "string" ? `"${value}` : value);
  return { value: isFraction ? Object(value) : value, size: 1, identity };
}

/** The core schema's three ways to write an integer. */
const integer = /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/;

function convertList(node: YAMLSeq, walk: Walk, depth: number): Converted {
  const list: unknown[] = [];
  const identities: number[] = [];
  let size = 1;
  for (const item of node.items) {
    const converted = convert(item, walk, depth);
    size += converted.size;
    identities.push(converted.identity);
    list.push(converted.value);
  }
  return { value: list, size, identity: identify(walk, `[${identities}`) };
}

function convertMapping(node: YAMLMap, walk: Walk, depth: number): Converted {
  const fields: Record<string, unknown> = {};
  const identities = new Map<number, number>();
  let size = 1;
  for (const { key, value } of node.items) {
    const name = convert(key, walk, depth);
    if (identities.has(name.identity))
      return faultAt(walk, `duplicate key ${JSON.stringify(written(key))}`, key.range[0]);
    const converted = convert(value, walk, depth);
    identities.set(name.identity, converted.identity);
    size += name.size + converted.size;
    setField(fields, typeof name.value === "string" ? name.value : written(key), converted.value);
  }
  // The order of keys tells nothing (YAML 1.2.2, 3.2.1.1).
  const sorted = [...identities].sort(([one], [other]) => one - other);
  return { value: fields, size, identity: identify(walk, `{${sorted}`) };
}

/** The number for what `described` describes: a collection by its kind and the numbers in it. */
function identify({ identities }: Walk, described: unknown): number {
  const known = identities.get(described);
  if (known !== undefined) return known;
  identities.set(described, identities.size);
  return identities.size - 1;
}

/** The name of the field with this key, unless an alias names it. */
function nameOf(key: Node): string {
  return isScalar(key) && typeof key.value === "string" ? key.value : written(key);
}

function written(key: Node): string {
  if (isAlias(key)) return `*${shorten(key.source)}`;
  if (isScalar(key)) return shorten(key.source);
  return isSeq(key) ? "[...]" : "{...}";
}

function faultAt(walk: Walk, problem: string, at: number): Converted {
  walk.fault ??= { problem, at };
  return nothing;
}

function locate(text: string, root: Node | null, path: Path): Location | undefined {
  let node: Node | null | undefined = root;
  for (const step of path) {
    // What an alias names stands elsewhere.
    if (isAlias(node)) break;
    if (isSeq(node) && typeof step === "number") node = node.items[step];
    else if (isMap(node)) node = node.items.findLast(({ key }) => nameOf(key) === step)?.value;
    else return undefined;
  }
  if (!node) return undefined;
  return {
    place: placeAt(text, node.range[0]),
    source: isScalar(node) ? node.source : undefined,
  };
}
