/** The contract: a small YAML file that bounds one change. */
import { beyondShape } from "../expected/shape.ts";
import { readRegularFile } from "../files/read.ts";
import { type CheckRefusalCode, oneLine, type Result, refusal, success } from "../outcome.ts";
import { describe, type Problem, placeOf } from "../problems.ts";
import type { Contract } from "./schema.ts";
import { decodeText } from "./text.ts";
import { isContract } from "./validate.generated.ts";
import { readYaml, type YamlDocument } from "./yaml.ts";

export type { Contract } from "./schema.ts";

export interface LoadedContract {
  readonly contract: Contract;
  /** The file, byte for byte as it was read. */
  readonly bytes: Uint8Array;
}

export type ContractRefusalCode = Exclude<CheckRefusalCode, "REPO_UNAVAILABLE">;

const maxBytes = 1024 * 1024;
const maxCommandBytes = 32 * 1024;

/**
 * Reads, parses and validates the contract at `path`, in this order: `CONTRACT_UNREADABLE`,
 * `CONTRACT_INVALID_YAML`, `CONTRACT_MISSING_FIELD`. The message of the last names every problem of the
 * file. Starts no process; writes nothing.
 */
export function loadContract(path: string): Result<LoadedContract, ContractRefusalCode> {
  const file = readRegularFile(path, maxBytes);
  if (!file.ok)
    return refusal("CONTRACT_UNREADABLE", `cannot read contract ${oneLine(path)}: ${file.message}`);
  const text = decodeText(file.value);
  const document = text.ok ? readYaml(text.value) : text;
  if (!document.ok) {
    return refusal(
      "CONTRACT_INVALID_YAML",
      oneLine(`contract ${path} is not valid YAML: ${document.message}`),
    );
  }
  const contract = validate(document.value);
  return contract.ok ? success({ contract: contract.value, bytes: file.value }) : contract;
}

function validate(document: YamlDocument): Result<Contract, "CONTRACT_MISSING_FIELD"> {
  const { value } = document;
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Number) {
    return refusal(
      "CONTRACT_MISSING_FIELD",
      oneLine(`contract top level must be a mapping, not ${describe(value)}`),
    );
  }
  const problems: Problem[] = [];
  if (isContract(value, problems)) {
    problems.push(...beyondSchema(value));
    if (problems.length === 0) return success(value);
  }
  const lines = problems.map((problem) => oneLine(explain(problem, document)));
  return refusal("CONTRACT_MISSING_FIELD", lines.join("; "));
}

/** What a schema cannot say; asked only of a contract that fits it. */
function beyondSchema({ test_command, acceptance }: Contract): readonly Problem[] {
  const problems: Problem[] = [];
  const size = (test_command ?? []).reduce((sum, word) => sum + Buffer.byteLength(word), 0);
  if (size > maxCommandBytes) {
    const expected = `at most ${maxCommandBytes} bytes together`;
    problems.push({ kind: "wrong", path: ["test_command"], expected, found: test_command });
  }
  if (acceptance !== undefined) {
    for (const problem of beyondShape(acceptance)) {
      problems.push({ ...problem, path: ["acceptance", ...problem.path] });
    }
  }
  return problems;
}

function explain({ kind, path, expected, found }: Problem, document: YamlDocument): string {
  const field = `contract field '${placeOf(path)}'`;
  if (kind === "missing") return `${field} is missing`;
  const location = document.locate(path);
  const place = location ? ` (${location.place})` : "";
  if (kind === "undeclared") return `${field} is unknown${place}`;
  return `${field} must be ${expected}, not ${describe(found, "a mapping")}${hintOf(found, expected, location?.source)}${place}`;
}

/** YAML takes `7`, `true` and `null` for values of their own; only quotes make them strings. */
function hintOf(found: unknown, expected: string, source: string | undefined): string {
  const isTyped =
    found === null || typeof found === "boolean" || typeof found === "number" || found instanceof Number;
  if (!isTyped || !source || !/\bstring\b/.test(expected) || /\blist\b/.test(expected)) return "";
  return ` - quote the value: ${JSON.stringify(source)}`;
}
