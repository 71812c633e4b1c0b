/** The JSON form of an ArkType type, read strictly into the few shapes the project's schemas use. */

/** Everything carries what would be accepted at its place, in words. */
export type Node =
  /** `test` is the source of an expression that is true of an acceptable `value`. */
  | { readonly kind: "leaf"; readonly expected: string; readonly test: string }
  | {
      readonly kind: "list";
      readonly expected: string;
      readonly item: Node;
      readonly min?: number;
      readonly max?: number;
    }
  | {
      readonly kind: "object";
      readonly expected: string;
      /** Whether a key that is not declared is a problem. */
      readonly closed: boolean;
      readonly fields: readonly Field[];
    };

interface Field {
  readonly key: string;
  readonly optional: boolean;
  readonly value: Node;
}

type Json = Readonly<Record<string, unknown>>;

/** Reads one node; throws on anything it does not know, naming `place`. */
export function readNode(json: unknown, place: string): Node {
  if (typeof json === "string") return readNode({ domain: json }, place);
  if (Array.isArray(json)) return readUnion(json, undefined, place);
  if (!isJson(json)) throw new Error(`${place}: ${JSON.stringify(json)} is not a schema`);
  const described = json["meta"] === undefined ? undefined : stringAt(json, "meta", place);
  if ("branches" in json) {
    only(json, ["branches", "meta"], place);
    if (!Array.isArray(json["branches"])) throw new Error(`${place}: branches must be a list`);
    return readUnion(json["branches"], described, place);
  }
  if ("unit" in json) {
    only(json, ["unit", "meta"], place);
    const unit = literal(json["unit"], place);
    return { kind: "leaf", expected: described ?? unit, test: `value === ${unit}` };
  }
  if ("proto" in json) return readList(json, described, place);
  if ("domain" in json) {
    const domain = rule(json["domain"], place);
    if (domain === "string") return readString(json, described, place);
    if (domain === "number") return readNumber(json, described, place);
    if (domain === "object") return readObject(json, described, place);
    throw new Error(`${place}: domain ${JSON.stringify(domain)} is not supported`);
  }
  only(json, ["meta"], place);
  return { kind: "leaf", expected: described ?? "anything", test: "true" };
}

/** Branches are told apart by the value alone, so that a problem stands at the union's own place. */
function readUnion(branches: readonly unknown[], described: string | undefined, place: string): Node {
  const nodes = branches.map((branch) => readNode(branch, place));
  const tests = nodes.map((node) => {
    if (node.kind !== "leaf") throw new Error(`${place}: a union of lists or objects is not supported`);
    return node.test;
  });
  return {
    kind: "leaf",
    expected: described ?? nodes.map((node) => node.expected).join(" or "),
    test: tests.map((test) => (test.includes("&&") ? `(${test})` : test)).join(" || "),
  };
}

function readString(json: Json, described: string | undefined, place: string): Node {
  only(json, ["domain", "minLength", "maxLength", "pattern", "meta"], place);
  const tests = [`typeof value === "string"`];
  const min = bound(json, "minLength", place);
  const max = bound(json, "maxLength", place);
  if (min !== undefined) tests.push(`value.length >= ${min}`);
  if (max !== undefined) tests.push(`value.length <= ${max}`);
  for (const pattern of listAt(json, "pattern", place)) {
    const source = rule(pattern, place, ["flags"]);
    const flags = isJson(pattern) ? (pattern["flags"] ?? "") : "";
    if (typeof source !== "string" || flags !== "")
      throw new Error(`${place}: a pattern with flags is not supported`);
    tests.push(`/${new RegExp(source).source}/.test(value)`);
  }
  const plain = min === 1 && tests.length === 2 ? "a non-empty string" : "a string";
  return { kind: "leaf", expected: described ?? needWords(plain, tests, place), test: tests.join(" && ") };
}

function readNumber(json: Json, described: string | undefined, place: string): Node {
  only(json, ["domain", "min", "max", "divisor", "meta"], place);
  const tests = [`typeof value === "number"`, "!Number.isNaN(value)"];
  const min = bound(json, "min", place);
  const max = bound(json, "max", place);
  const divisor = bound(json, "divisor", place);
  if (divisor !== undefined) tests.push(`value % ${divisor} === 0`);
  if (min !== undefined) tests.push(`value >= ${min}`);
  if (max !== undefined) tests.push(`value <= ${max}`);
  const expected = described ?? needWords("a number", tests.slice(1), place);
  return { kind: "leaf", expected, test: tests.join(" && ") };
}

/** A string or number with bounds needs a description of its own; nobody should read a rendered pattern. */
function needWords(plain: string, tests: readonly string[], place: string): string {
  if (tests.length > (plain === "a non-empty string" ? 2 : 1))
    throw new Error(`${place}: describe() what is accepted`);
  return plain;
}

function readList(json: Json, described: string | undefined, place: string): Node {
  only(json, ["proto", "sequence", "minLength", "maxLength", "meta"], place);
  const proto = isJson(json["proto"]) ? json["proto"]["proto"] : json["proto"];
  if (proto !== "Array") throw new Error(`${place}: only the prototype Array is supported`);
  if (isJson(json["sequence"]) && "variadic" in json["sequence"])
    throw new Error(`${place}: only lists of one kind are supported`);
  const min = bound(json, "minLength", place);
  const max = bound(json, "maxLength", place);
  return {
    kind: "list",
    expected: described ?? "a list",
    item: readNode(json["sequence"] ?? {}, `${place}[]`),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  };
}

function readObject(json: Json, described: string | undefined, place: string): Node {
  only(json, ["domain", "required", "optional", "undeclared", "meta"], place);
  if (json["undeclared"] !== undefined && json["undeclared"] !== "reject")
    throw new Error(`${place}: undeclared ${JSON.stringify(json["undeclared"])} is not supported`);
  const fields = (["required", "optional"] as const).flatMap((list) =>
    listAt(json, list, place).map((entry): Field => {
      if (!isJson(entry)) throw new Error(`${place}: a field must be an object`);
      only(entry, ["key", "value"], place);
      const key = stringAt(entry, "key", place);
      return { key, optional: list === "optional", value: readNode(entry["value"], `${place}.${key}`) };
    }),
  );
  return {
    kind: "object",
    expected: described ?? "an object",
    closed: json["undeclared"] === "reject",
    fields,
  };
}

/** The value of a constraint, which stands alone or as `{rule, meta}` once described. */
function rule(constraint: unknown, place: string, more: readonly string[] = []): unknown {
  if (!isJson(constraint)) return constraint;
  only(constraint, ["rule", "domain", "meta", ...more], place);
  return constraint["rule"] ?? constraint["domain"];
}

function bound(json: Json, key: string, place: string): number | undefined {
  if (json[key] === undefined) return undefined;
  const value = rule(json[key], place);
  if (typeof value !== "number") throw new Error(`${place}: ${key} must be a number`);
  return value;
}

function literal(unit: unknown, place: string): string {
  if (unit === null || typeof unit === "boolean" || typeof unit === "number" || typeof unit === "string")
    return JSON.stringify(unit);
  throw new Error(`${place}: the unit ${String(unit)} is not supported`);
}

function listAt(json: Json, key: string, place: string): readonly unknown[] {
  const value = json[key] ?? [];
  if (!Array.isArray(value)) throw new Error(`${place}: ${key} must be a list`);
  return value;
}

function stringAt(json: Json, key: string, place: string): string {
  const value = json[key];
  if (typeof value !== "string") throw new Error(`${place}: ${key} must be a string`);
  return value;
}

function only(json: Json, known: readonly string[], place: string): void {
  for (const key of Object.keys(json))
    if (!known.includes(key)) throw new Error(`${place}: the schema key ${key} is not supported`);
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
