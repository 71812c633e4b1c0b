/** Values with fields, where a key from outside may bear any name. */

/** A mapping, whose own keys can be asked for; `constructor` and `__proto__` are keys like any other. */
export interface Fields {
  readonly [key: string]: unknown;
}

/** Whether `value` is a mapping. A list is none, nor is a boxed number, which stands for a number. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Number);
}

/** Sets an own field, also one named `__proto__`, which plain assignment would take for the prototype. */
export function setField(fields: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") fields[key] = value;
  else Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
}
