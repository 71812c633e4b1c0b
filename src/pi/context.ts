/** The mutation context: what an attempt tells the tools in its Pi, through one environment variable. */
import { isAbsolute } from "node:path";
import type { Environment } from "./child.ts";
import { readRegular } from "./file.ts";
import { isObject, isRevision, isStrings, jsonObject } from "./json.ts";
import { reasonOf } from "./text.ts";

export interface MutationContext {
  /** Root of the worktree. */
  readonly repo: string;
  /** The frozen contract. */
  readonly contract: string;
  /** SHA-256 of each writable file, by path relative to the root. */
  readonly revisions: ReadonlyMap<string, string>;
  readonly writablePaths: readonly string[];
  /** The one command `bash` may run, or null. */
  readonly testCommand: readonly string[] | null;
}

const contextVariable = "SATYRN_MUTATION_CONTEXT";

/** Bytes of a context file; above what any attempt writes. */
const fileLimit = 64 * 1024 * 1024;

/**
 * The context that `SATYRN_MUTATION_CONTEXT` holds, as JSON or as `@` and the absolute path of a file with it;
 * undefined if the variable is unset or empty; `{problem}` if it holds anything but a valid context.
 */
export function readContext(environment: Environment): MutationContext | { problem: string } | undefined {
  const value = environment[contextVariable];
  if (!value) return undefined;
  const context = contextOf(value);
  return typeof context === "string" ? { problem: `${contextVariable}: ${context}` } : context;
}

function contextOf(value: string): MutationContext | string {
  const path = value.startsWith("@") ? value.slice(1) : undefined;
  if (path !== undefined && !isAbsolute(path)) return `'${path}' is not an absolute path`;
  let bytes: Uint8Array;
  try {
    bytes = path === undefined ? new TextEncoder().encode(value) : readRegular(path, fileLimit);
  } catch (error) {
    return reasonOf(error);
  }
  const object = jsonObject(bytes);
  if (object === undefined) return "not one JSON object";
  const { version, repo, contract, revisions, writable_paths, test_command } = object;
  if (version !== 1) return `version is ${JSON.stringify(version)}, not 1`;
  if (typeof repo !== "string" || !isAbsolute(repo)) return "repo is not an absolute path";
  if (typeof contract !== "string" || !isAbsolute(contract)) return "contract is not an absolute path";
  if (!isObject(revisions)) return "revisions is not an object";
  const known = new Map<string, string>();
  for (const [path, revision] of Object.entries(revisions)) {
    if (!isRevision(revision)) return `revisions has no SHA-256 for '${path}'`;
    known.set(path, revision);
  }
  if (!isStrings(writable_paths)) return "writable_paths is not a list of strings";
  if (test_command !== null && (!isStrings(test_command) || test_command.length === 0)) {
    return "test_command is neither null nor a list of strings";
  }
  return { repo, contract, revisions: known, writablePaths: writable_paths, testCommand: test_command };
}
