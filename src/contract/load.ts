/** The contract: a small YAML file that bounds one change. */
import { beyondShape } from "../expected/shape.ts";
import { isExpected } from "../expected/validate.generated.ts";
import { type Fields, isFields } from "../fields.ts";
import { readRegularFile } from "../files/read.ts";
import { type CheckRefusalCode, oneLine, refusal, success } from "../outcome.ts";
import { describe, mismatch, type Problem, placeOf } from "../problems.ts";
import type { Contract } from "./schema.ts";
import { decodeText, inWords, type Located } from "./text.ts";
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
 * file, and its line is that of the first. Starts no process; writes nothing.
 */
export function loadContract(path: string): Located<LoadedContract, ContractRefusalCode> {
  const file = readRegularFile(path, maxBytes);
  if (!file.ok) {
    const message = `cannot read contract ${oneLine(path)}: ${file.message}`;
    return { ...refusal("CONTRACT_UNREADABLE", message), line: null };
  }
  const text = decodeText(file.value);
  const document = text.ok ? readYaml(text.value) : text;
  if (!document.ok) {
    const message = oneLine(`contract ${path} is not valid YAML: ${document.message}`);
    return { ...refusal("CONTRACT_INVALID_YAML", message), line: document.line };
  }
  const contract = validate(document.value);
  return contract.ok ? success({ contract: contract.value, bytes: file.value }) : contract;
}

function validate(document: YamlDocument): Located<Contract, "CONTRACT_MISSING_FIELD"> {
  const { value } = document;
  if (!isFields(value)) {
    const message = `contract top level must be a mapping, not ${describe(value)}`;
    return { ...refusal("CONTRACT_MISSING_FIELD", oneLine(message)), line: 1 };
  }
  const problems: Problem[] = [];
  const fits = isContract(value, problems);
  problems.push(...beyondSchema(value));
  if (fits && problems.length === 0) return success(value);
  const lines = problems.slice(0, maxProblems).map((problem) => oneLine(explain(problem, document)));
  if (problems.length > maxProblems) lines.push(`and ${problems.length - maxProblems} more problems`);
  return { ...refusal("CONTRACT_MISSING_FIELD", lines.join("; ")), line: firstLine(problems, document) };
}

/** What is missing stands nowhere. */
function firstLine(problems: readonly Problem[], document: YamlDocument): number | null {
  for (const { path } of problems.slice(0, maxProblems)) {
    const location = document.locate(path);
    if (location !== undefined) return location.place.line;
  }
  return null;
}

/** More would be read by nobody, and finding the place of each takes time. */
const maxProblems = 50;

function explain(problem: Problem, document: YamlDocument): string {
  const { path, expected, found } = problem;
  const location = document.locate(path);
  const isTyped = typeof found !== "string" && /^a (non-empty )?string/.test(expected);
  const hint = isTyped && location ? hintOf(location.source) : "";
  const place = location ? ` (${inWords(location.place)})` : "";
  return `contract field '${placeOf(path)}' ${mismatch(problem, "a mapping")}${hint}${place}`;
}

/** YAML takes `7`, `true` and `null` for values of their own; only quotes make them strings. */
function hintOf(source: string | undefined): string {
  if (!source) return "";
  return source.length > 80 ? " - quote the value" : ` - quote the value: ${JSON.stringify(source)}`;
}

/** What a schema cannot say, also of a contract that breaks it elsewhere. */
function beyondSchema({ test_command, acceptance }: Fields): readonly Problem[] {
  const problems: Problem[] = [];
  const size = Array.isArray(test_command) ? byteLength(test_command) : 0;
  if (size > maxCommandBytes) {
    const expected = `at most ${maxCommandBytes} bytes together`;
    problems.push({ kind: "size", path: ["test_command"], expected, found: size });
  }
  if (isExpected(acceptance, [])) {
    for (const problem of beyondShape(acceptance)) {
      problems.push({ ...problem, path: ["acceptance", ...problem.path] });
    }
  }
  return problems;
}

function byteLength(words: readonly unknown[]): number {
  return words.reduce(
    (sum: number, word) => sum + (typeof word === "string" ? Buffer.byteLength(word) : 0),
    0,
  );
}
