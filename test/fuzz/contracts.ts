/** Contract files: any bytes end in a verdict of the closed list, and the same contract is read however it is written. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Contract, loadContract } from "../../src/contract/load.ts";
import { mutate } from "./mutate.ts";
import { claim, claimOneLine, type Target, workFolder } from "./target.ts";

const fixtures = join(import.meta.dir, "../../fixtures/contracts");
const words = [
  ...[
    "id: ",
    "task: ",
    "writable_paths:\n",
    "test_command: ",
    "acceptance:\n",
    "  - ",
    "- ",
    ": ",
    "? ",
    "---\n",
  ],
  ...[
    "...\n",
    "&a ",
    "*a",
    "!!str ",
    "!!binary ",
    "!<x> ",
    "|\n",
    ">-\n",
    "|9\n",
    "# x\n",
    "%YAML 1.2\n",
    "<<: *a\n",
  ],
  ...[
    "{",
    "}",
    "[",
    "]",
    ", ",
    '"',
    "'",
    "\\u0000",
    "\\ud83d",
    "\\x07",
    "~",
    "yes",
    "0x1f",
    ".inf",
    "\t",
    "  ",
    "  ",
  ],
  ...["verification_commands:\n", "forbidden_patterns:\n", "pattern: '(a+)+$'\n", "max_deps_added: 1.0\n"],
];

export function contracts(): Target {
  const seeds = ["accepted", "refused"].flatMap((folder) => {
    const names = readdirSync(join(fixtures, folder)).filter((name) => name.endsWith(".yaml"));
    return names
      .map((name) => readFileSync(join(fixtures, folder, name)))
      .filter(({ length }) => length < 20_000);
  });
  const folder = workFolder();
  const path = join(folder.path, "contract.yaml");
  const load = (bytes: Uint8Array | string) => {
    writeFileSync(path, bytes);
    return loadContract(path);
  };
  return {
    make: (random) => {
      const bytes = mutate(random, seeds, words);
      return { input: bytes, check: () => checkContract(bytes, load) };
    },
    close: folder.remove,
  };
}

function checkContract(
  bytes: Buffer,
  load: (bytes: Uint8Array | string) => ReturnType<typeof loadContract>,
): void {
  const read = load(bytes);
  if (!read.ok) {
    claim(codes.has(read.code), `code ${read.code}`);
    claimOneLine(read.message);
    return;
  }
  const { contract } = read.value;
  claim(/[^\t\n\v\f\r ]/.test(contract.id) && /[^\t\n\v\f\r ]/.test(contract.task), "a blank id or task");
  const json = JSON.stringify(contract).replace(/[\u007f-\u009f\ufeff\ufffe\uffff]/g, escaped);
  claimSame(contract, load(Buffer.from(json)), "as JSON, which is YAML");
  const text = decoded(bytes);
  if (text === undefined) return;
  claimSame(contract, load(`\ufeff${text}`), "after a byte order mark");
  const wide = Buffer.from(`\ufeff${text}`, "utf16le");
  if (wide.length <= 1024 * 1024) claimSame(contract, load(wide), "in UTF-16");
  if (!text.includes("\r"))
    claimSame(contract, load(text.replaceAll("\n", "\r\n")), "with CRLF line endings");
}

/** YAML takes these unescaped between quotes; the engine, which shows them to nobody, takes them nowhere. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const codes: ReadonlySet<string> = new Set(["CONTRACT_INVALID_YAML", "CONTRACT_MISSING_FIELD"]);

function claimSame(contract: Contract, other: ReturnType<typeof loadContract>, how: string): void {
  claim(other.ok, `refused ${how}: ${other.ok || other.message}`);
  const fields = ({ id, task, writable_paths, test_command, acceptance }: Contract) =>
    JSON.stringify({ id, task, writable_paths, test_command, acceptance });
  claim(fields(contract) === fields(other.value.contract), `another contract ${how}`);
}

/** The text of UTF-8 bytes that begin with no mark; undefined for all others. */
function decoded(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8");
  return text.startsWith("\ufeff") || !Buffer.from(text).equals(bytes) ? undefined : text;
}
