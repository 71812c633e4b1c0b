import { expect, test } from "bun:test";
import { isFields, setField } from "../../src/fields.ts";

test.each([
  [{}, true],
  [{ a: 1 }, true],
  [Object.create(null), true],
  [null, false],
  [undefined, false],
  [[], false],
  ["a", false],
  [7, false],
  [Object(1.5), false],
  [() => {}, false],
])("whether %p has fields: %p", (value, has) => {
  expect(isFields(value)).toBe(has);
});

test.each(["a", "__proto__", "constructor", "0"])("a field may be named %s, and be set again", (name) => {
  const fields: Record<string, unknown> = {};
  setField(fields, name, 1);
  setField(fields, name, 2);
  expect(Object.entries(fields)).toEqual([[name, 2]]);
  expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  expect({ ...fields, [name]: 3 }).toEqual({ [name]: 3 });
  delete fields[name];
  expect(Object.keys(fields)).toEqual([]);
});
