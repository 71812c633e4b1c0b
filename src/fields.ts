/** Values with fields, where a key from outside may bear any name. */

/** A value whose own keys can be asked for; `constructor` and `__proto__` are keys like any other. */
export interface Fields {
  readonly [key: string]: unknown;
}

export function isFields(value: unknown): value is Fields {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** Sets an own field, also one named `__proto__`, which plain assignment would take for the prototype. */
export function setField(fields: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") fields[key] = value;
  else Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
}
