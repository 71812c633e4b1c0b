import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Type, type } from "arktype";
import fc from "fast-check";
import { generate } from "../../scripts/validators.ts";
import * as contractSchema from "../../src/contract/schema.ts";
import * as contract from "../../src/contract/validate.generated.ts";
import * as expectedSchema from "../../src/expected/schema.ts";
import * as expected from "../../src/expected/validate.generated.ts";
import { setField } from "../../src/fields.ts";
import type { Problem } from "../../src/problems.ts";
import * as protocolSchema from "../../src/protocol/schema.ts";
import * as protocol from "../../src/protocol/validate.generated.ts";

// What takes a second here takes ten on a machine that others use.
setDefaultTimeout(60_000);

type Validator = (value: unknown, problems: Problem[]) => boolean;

const pairs: readonly (readonly [string, Type<unknown>, Validator])[] = [
  ["Contract", contractSchema.Contract, contract.isContract],
  ["Expected", expectedSchema.Expected, expected.isExpected],
  ["Envelope", protocolSchema.Envelope, protocol.isEnvelope],
  ["CheckRequest", protocolSchema.CheckRequest, protocol.isCheckRequest],
  ["ReplaceRequest", protocolSchema.ReplaceRequest, protocol.isReplaceRequest],
  ["SingleReplaceRequest", protocolSchema.SingleReplaceRequest, protocol.isSingleReplaceRequest],
  ["TestRequest", protocolSchema.TestRequest, protocol.isTestRequest],
];

describe("a generated validator agrees with ArkType on verdict and places", () => {
  test.each(pairs)("%s", (_, schema, validate) => {
    const seen = { valid: 0, invalid: 0 };
    fc.assert(
      fc.property(candidates(schema.json), (value) => {
        const verdict = schema(asArkTypeShouldSee(value, schema.json));
        const problems: Problem[] = [];
        expect(validate(value, problems)).toBe(!(verdict instanceof type.errors));
        const places = problems.map((problem) => JSON.stringify(problem.path)).sort();
        expect(places).toEqual(verdict instanceof type.errors ? placesOf(verdict) : []);
        seen[problems.length === 0 ? "valid" : "invalid"]++;
      }),
      { numRuns: 2000 },
    );
    expect(seen.valid).toBeGreaterThan(60);
    expect(seen.invalid).toBeGreaterThan(200);
  });
});

describe("the generator", () => {
  test("compiles a closed object so that inherited names are undeclared keys like any other", () => {
    const closed = type({ "+": "reject", "id?": "string" });
    expect(closed(JSON.parse('{"toString":1}'))).toBeInstanceOf(type.errors);
    expect(generate({ Closed: closed })).toContain("undeclared(problems, [...path, key], value[key])");
  });

  test.each([
    ["a default", type({ id: "string = 'a'" })],
    ["an index signature", type({ "[string]": "string" })],
    ["a tuple", type(["string", "number"])],
    ["a union of objects", type({ a: "1" }).or({ b: "2" })],
    ["a pattern with flags", type(/a/i).describe("an a")],
    ["a bound without a description", type("string < 5")],
    ["an exclusive bound", type("number > 1").describe("more than 1")],
    ["another prototype", type("Date")],
    ["a bigint", type("bigint")],
    ["deleted keys", type({ "+": "delete", id: "string" })],
  ] as const)("stops at %s", (_, schema) => {
    expect(() => generate({ Schema: schema })).toThrow("Schema");
  });

  test("stops at a narrow or a morph, which JSON cannot hold", () => {
    expect(() => generate({ Schema: type("string").narrow(() => true) })).toThrow("Schema");
    expect(() => generate({ Schema: type("string").pipe((text) => text.length) })).toThrow("Schema");
  });
});

function placesOf(errors: InstanceType<typeof type.errors>): string[] {
  return [...errors].map((error) => JSON.stringify([...error.path])).sort();
}

/** ArkType takes a list for an object without its fields; here a list is wrong where an object belongs. */
function asArkTypeShouldSee(value: unknown, json: unknown): unknown {
  if (typeof json !== "object" || json === null || typeof value !== "object" || value === null) return value;
  const { proto, sequence, domain, required, optional } = json as Json;
  if (proto && Array.isArray(value)) return value.map((item) => asArkTypeShouldSee(item, sequence));
  if (ruleOf(domain) !== "object") return value;
  if (Array.isArray(value)) return "a list";
  const copy: Record<string, unknown> = { ...value };
  for (const { key, value: field } of [...(required ?? []), ...(optional ?? [])]) {
    if (Object.hasOwn(copy, key)) copy[key] = asArkTypeShouldSee(copy[key], field);
  }
  return copy;
}

/** Values that fit, values that nearly fit, and junk. */
function candidates(json: unknown): fc.Arbitrary<unknown> {
  const fitting = fittingValue(json);
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat(2), key, junk), { minLength: 1, maxLength: 3 });
  const damaged = fc.tuple(fitting, damage).map(([value, steps]) => steps.reduce(damagedBy, value));
  return fc.oneof({ weight: 2, arbitrary: fitting }, { weight: 4, arbitrary: damaged }, junk);
}

const key = fc.constantFrom(
  "id",
  "version",
  "edits",
  "x",
  "0",
  "__proto__",
  "constructor",
  "toString",
  "length",
);

const junk: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(
      null,
      undefined,
      true,
      false,
      0,
      1,
      -0,
      1.5,
      NaN,
      Infinity,
      "",
      " ",
      "check",
      "replace",
    ),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 18 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map(objectOf),
  ),
})).value;

function objectOf(entries: readonly (readonly [string, unknown])[]): unknown {
  const object = {};
  for (const [name, value] of entries) setField(object, name, value);
  return object;
}

/** Derived from the JSON form itself, not from the generator's reading of it. */
function fittingValue(json: unknown): fc.Arbitrary<unknown> {
  if (typeof json === "string") return fittingValue({ domain: json });
  if (Array.isArray(json)) return fc.oneof(...json.map(fittingValue));
  const { branches, unit, proto, sequence, minLength, maxLength, pattern, domain, required, optional } =
    json as Json;
  if (branches) return fittingValue(branches);
  if (unit !== undefined) return fc.constant(unit);
  const limits = { minLength: numberOf(minLength, 0), maxLength: numberOf(maxLength, 5) };
  if (proto) return fc.array(fittingValue(sequence), limits);
  if (ruleOf(domain) === "object") {
    const model: Record<string, fc.Arbitrary<unknown>> = {};
    for (const field of [...(required ?? []), ...(optional ?? [])])
      model[field.key] = fittingValue(field.value);
    return fc.record(model, { requiredKeys: (required ?? []).map((field) => field.key) });
  }
  if (pattern?.[0]) return fc.stringMatching(new RegExp(String(ruleOf(pattern[0]))));
  return fc.string(limits);
}

interface Json {
  readonly [key: string]: unknown;
  readonly branches?: readonly unknown[];
  readonly pattern?: readonly unknown[];
  readonly required?: readonly { readonly key: string; readonly value: unknown }[];
  readonly optional?: readonly { readonly key: string; readonly value: unknown }[];
}

function ruleOf(constraint: unknown): unknown {
  if (typeof constraint !== "object" || constraint === null) return constraint;
  const { rule, domain } = constraint as Json;
  return rule ?? domain;
}

function numberOf(constraint: unknown, otherwise: number): number {
  return constraint === undefined ? otherwise : Number(ruleOf(constraint));
}

/** `value` with one of its places replaced, deleted, or given one more key. */
function damagedBy(
  value: unknown,
  [pick, kind, name, replacement]: readonly [number, number, string, unknown],
): unknown {
  if (typeof value !== "object" || value === null || pick % 5 === 0) return replacement;
  const keys = Object.keys(value);
  const place = keys[pick % Math.max(keys.length, 1)];
  if (Array.isArray(value)) {
    const list: unknown[] = [...value];
    if (kind === 2 || place === undefined) return [...list, replacement];
    if (kind === 1) return list.slice(1);
    const at = Number(place);
    return list.with(at, damagedBy(list[at], [pick >> 3, pick % 3, name, replacement]));
  }
  const copy: Record<string, unknown> = { ...value };
  if (kind === 2 || place === undefined) setField(copy, name, replacement);
  else if (kind === 1) delete copy[place];
  else setField(copy, place, damagedBy(copy[place], [pick >> 3, pick % 3, name, replacement]));
  return copy;
}
