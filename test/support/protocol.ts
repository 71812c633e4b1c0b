/**
 * The request and response pairs of `fixtures/protocol`. In each file:
 *
 * - `contract` is written to a file that `$CONTRACT` names; without it there is no such file.
 * - `worktree` maps paths to texts; they are written to a folder that `$WORKTREE` names. `after` is what the
 *   folder holds afterwards; without it, what it held before.
 * - `request` is sent as JSON, `request_text` as it stands, `request_base64` as bytes.
 * - `response` is the object to expect, `exit_status` what mirrors it.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface ProtocolFixture {
  readonly name: string;
  /** Whether answering it takes a process. */
  readonly startsProcess: boolean;
}

export interface PreparedFixture {
  readonly request: Uint8Array;
  readonly response: unknown;
  readonly exitStatus: number;
  /** The worktree's files as they should be afterwards, and as they are. */
  readonly expectedFiles: Files;
  readonly files: () => Files;
  readonly remove: () => void;
}

type Files = Readonly<Record<string, string>>;

interface Pair {
  readonly contract?: string;
  readonly worktree?: Files;
  readonly after?: Files;
  readonly request?: unknown;
  readonly request_text?: string;
  readonly request_base64?: string;
  readonly response: { readonly code: string; readonly result?: unknown };
  readonly exit_status: number;
}

const folder = join(import.meta.dir, "../../fixtures/protocol");

export const protocolFixtures: readonly ProtocolFixture[] = readdirSync(folder)
  .sort()
  .map((file) => {
    const { request, response } = read(file);
    const isTest = typeof request === "object" && request !== null && "operation" in request;
    return {
      name: file.replace(".json", ""),
      startsProcess: isTest && request.operation === "test" && response.code === "OK",
    };
  });

/** Lays out what the pair needs in a temporary folder. */
export function prepare({ name }: ProtocolFixture): PreparedFixture {
  const pair = read(`${name}.json`);
  const root = realpathSync(mkdtempSync(join(tmpdir(), "satyrn-protocol-")));
  const worktree = join(root, "worktree");
  const contract = join(root, "contract.yaml");
  mkdirSync(worktree);
  if (pair.contract !== undefined) writeFileSync(contract, pair.contract);
  const before = pair.worktree ?? {};
  for (const [path, text] of Object.entries(before)) {
    mkdirSync(dirname(join(worktree, path)), { recursive: true });
    writeFileSync(join(worktree, path), text);
  }
  const fill = (value: unknown) => substitute(value, { $WORKTREE: worktree, $CONTRACT: contract });
  return {
    request: requestOf(pair, fill),
    response: fill(pair.response),
    exitStatus: pair.exit_status,
    expectedFiles: pair.after ?? before,
    files: () => filesIn(worktree),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function read(file: string): Pair {
  return JSON.parse(readFileSync(join(folder, file), "utf8")) as Pair;
}

function requestOf(pair: Pair, fill: (value: unknown) => unknown): Uint8Array {
  if (pair.request_base64 !== undefined) return Buffer.from(pair.request_base64, "base64");
  // The text is JSON: a path stands in it as JSON writes it.
  const inJson = (name: string) => JSON.stringify(fill(name)).slice(1, -1);
  if (pair.request_text !== undefined)
    return Buffer.from(pair.request_text.replace(/\$WORKTREE|\$CONTRACT/g, inJson));
  return Buffer.from(JSON.stringify(fill(pair.request)));
}

function substitute(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string")
    return value.replace(/\$WORKTREE|\$CONTRACT/g, (name) => names[name] ?? name);
  if (Array.isArray(value)) return value.map((item) => substitute(item, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, names)]));
}

/** Folder by folder: the runtime's own walk passes over hidden folders under Wine. */
function filesIn(root: string, prefix = ""): Files {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(join(root, prefix), { withFileTypes: true })) {
    const path = prefix + entry.name;
    if (entry.isDirectory()) Object.assign(files, filesIn(root, `${path}/`));
    if (entry.isFile()) files[path] = readFileSync(join(root, path), "utf8");
  }
  return files;
}
