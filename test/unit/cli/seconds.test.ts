import { describe, expect, test } from "bun:test";
import { seconds } from "../../../src/cli/seconds.ts";

describe("a time limit in seconds", () => {
  const taken = { "1": 1000, "30": 30_000, "0.5": 500, ".25": 250, "2.": 2000, "007": 7000, "1000000": 1e9 };
  for (const [value, milliseconds] of Object.entries(taken)) {
    test(`taken: ${value}`, () => expect(seconds("--timeout", value)).toBe(milliseconds));
  }
  const refused = [
    "0",
    "0.0",
    "-1",
    "+1",
    "NaN",
    "Infinity",
    "1e3",
    "0x10",
    "1_000",
    "1,5",
    " 1",
    "1s",
    ".",
    "",
    "٣",
  ];
  for (const value of [...refused, "9".repeat(400)]) {
    test(`refused: ${value.slice(0, 10)}`, () => {
      const usage = `--timeout must be seconds above zero, such as 90 or 0.5, not ${JSON.stringify(value)}`;
      expect(seconds("--timeout", value)).toEqual({ usage });
    });
  }
});
