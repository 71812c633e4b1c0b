/**
 * The contract's shape. The one source: types are inferred from it, and `bun run generate` compiles it to
 * `validate.generated.ts`, which is what the executable loads.
 *
 * Unknown fields are ignored, so that contracts can grow; `acceptance` alone is closed.
 */
import { type } from "arktype";
import { Expected } from "../expected/schema.ts";

const visible = type(/[^\t\n\v\f\r ]/).describe("a string that is not blank");
const text = type("string > 0").describe("a non-empty string");

export const Contract = type({
  /** Stable identity; names the candidate ref. */
  id: visible,
  /** The change to make. */
  task: visible,
  /** Patterns a change may touch. Omitted: nothing bounds a delivery, and no replacement is possible. */
  "writable_paths?": text.array().readonly().describe("a list of non-empty strings"),
  /** argv of the one test command an attempt may run. */
  "test_command?": text.array().readonly().atLeastLength(1).describe("a non-empty list of non-empty strings"),
  /** Checks and guards that a delivery runs on its candidate. */
  "acceptance?": Expected.describe("a mapping"),
}).readonly();

export type Contract = typeof Contract.infer;
