import { oneLine } from "../outcome.ts";
import type { UsageError } from "./arguments.ts";

/**
 * The milliseconds that `name`, a flag or an input, gives in seconds: a plain decimal above zero. No sign, no exponent, no
 * other notation.
 */
export function seconds(name: string, value: string): number | UsageError {
  const milliseconds = /^(\d+(\.\d*)?|\.\d+)$/.test(value) ? Number(value) * 1000 : Number.NaN;
  if (milliseconds > 0 && Number.isFinite(milliseconds)) return milliseconds;
  return {
    usage: `${name} must be seconds above zero, such as 90 or 0.5, not ${oneLine(JSON.stringify(value))}`,
  };
}
