/** Protocol requests: any bytes end in one response of the closed list, and a file is changed as asked or not at all. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { handleProtocol } from "../../src/protocol/handler.ts";
import { below, oneOf, type Random } from "../support/random.ts";
import { mutate } from "./mutate.ts";
import { type Case, claim, claimOneLine, type Target, workFolder } from "./target.ts";

const files: Readonly<Record<string, string>> = {
  "src/app.py": "def login():\n    return None\n\n\ndef logout():\n    return None\n",
  "src/deep/crlf.txt": "one\r\ntwo\r\nthree\r\n",
  "src/aaa": "aaaa",
  "src/mixed.txt": "\ufeffé\r\n😀\n\u2028\n",
  "src/empty": "",
  "docs/read.md": "# not writable\n",
};
const words = [
  ...[
    '"version":1',
    '"operation":"replace"',
    '"edits":[',
    '"old_text":',
    '"new_text":""',
    '"path":',
    '"repo":',
  ],
  ...[
    '"expected_sha256":null',
    "{}",
    "[]",
    ",",
    ":",
    '"',
    "\\",
    "\\ud800",
    "\\u0000",
    "true",
    "1.0",
    "1e0",
    "-0",
  ],
];

export function protocol(): Target {
  const folder = workFolder();
  const repo = join(folder.path, "repo");
  const contract = join(folder.path, "contract.yaml");
  // Without a test command, so that no request can start a process.
  writeFileSync(contract, "id: a\ntask: t\nwritable_paths: [src/*]\n");
  const restore = () => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(repo, path)), { recursive: true });
      writeFileSync(join(repo, path), text);
    }
  };
  restore();
  return {
    make: (random) => {
      const request = requestFrom(random, repo, contract);
      const json = Buffer.from(JSON.stringify(request));
      const bytes = random() < 0.4 ? mutate(random, [json], words) : json;
      const check = async () => {
        try {
          await checkRequest(bytes, repo);
        } finally {
          restore();
        }
      };
      return { input: bytes, check } satisfies Case;
    },
    close: folder.remove,
  };
}

function requestFrom(random: Random, repo: string, contract: string): Record<string, unknown> {
  const path = oneOf(random, Object.keys(files));
  const text = files[path] ?? "";
  const piece = () => {
    const at = below(random, text.length + 1);
    return random() < 0.8 ? text.slice(at, at + 1 + below(random, 12)) : oneOf(random, pieces);
  };
  const edit = () => ({ old_text: piece(), new_text: random() < 0.5 ? oneOf(random, pieces) : piece() });
  const edits = Array.from({ length: 1 + below(random, 3) }, edit);
  const operation = oneOf(random, ["replace", "replace", "replace", "check", "test"]);
  const request: Record<string, unknown> = { version: 1, operation, repo, contract };
  if (operation === "replace") Object.assign(request, { path, expected_sha256: digest(text), edits });
  if (random() < 0.3) request[oneOf(random, Object.keys(request))] = oneOf(random, values);
  if (random() < 0.1) delete request[oneOf(random, Object.keys(request))];
  return request;
}

const pieces = [
  "a",
  "aa",
  "\n",
  "\r\n",
  "é",
  "$&",
  "$1",
  "\\n",
  "\ufeff",
  "\u2028",
  "return None",
  "",
  " ",
  "😀",
];
const values: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    1,
    1.5,
    "",
    "x",
    "\0",
    [],
    {},
    [{}],
    "../x",
    "src/../src/app.py",
    ".git/config",
    "/etc/passwd",
  ],
  ...[
    "src/.GIT/x",
    "src\\app.py",
    "src//app.py",
    "C:x",
    "nul",
    "src/git~1/x",
    "a".repeat(5000),
    "\ud800",
    "/",
    ".",
  ],
];

async function checkRequest(bytes: Uint8Array, repo: string): Promise<void> {
  const { response, exitStatus } = await handleProtocol(bytes);
  const { code, ok, message } = response;
  claimOneLine(message);
  claim(ok === (code === "OK") && ok === (message === ""), "ok, code and message disagree");
  claim((statuses[code] ?? 9) === exitStatus, `status ${exitStatus} for ${code}`);
  claim(!("result" in response) || code !== "INVALID_REQUEST", "an invalid request has a result");
  claim((response.result ?? null) === null || ok, "a refusal has a result");
  const line = JSON.stringify(response);
  claim(line.isWellFormed() && JSON.parse(line).code === code, "the response is no JSON text");
  const found = filesIn(repo);
  const request = ok && response.result ? JSON.parse(Buffer.from(bytes).toString("utf8")) : undefined;
  for (const [path, text] of Object.entries(files)) {
    const expected = request?.path === path ? edited(text, request) : text;
    claim(found[path] === expected, `${path} holds ${JSON.stringify(found[path])}`);
    if (request?.path === path) claim(response.result !== null, "no result");
  }
  claim(Object.keys(found).length === Object.keys(files).length, `files: ${Object.keys(found)}`);
}

const statuses: Readonly<Record<string, number>> = {
  OK: 0,
  CONTRACT_UNREADABLE: 3,
  CONTRACT_INVALID_YAML: 4,
  CONTRACT_MISSING_FIELD: 5,
  REPO_UNAVAILABLE: 6,
  INVALID_REQUEST: 7,
  TEST_COMMAND_UNAVAILABLE: 11,
  TEST_COMMAND_NOT_ALLOWED: 12,
};

interface Edit {
  readonly old_text: string;
  readonly new_text: string;
}

/** What a person gets who applies the edits by hand. */
function edited(text: string, request: { readonly edits?: readonly Edit[] } & Partial<Edit>): string {
  const edits = request.edits ?? [{ old_text: request.old_text ?? "", new_text: request.new_text ?? "" }];
  const isCrlf = text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
  const native = (piece: string) => (isCrlf ? piece.replace(/\r?\n/g, "\r\n") : piece);
  let result = text;
  for (const edit of edits) {
    const [old, next] = [native(edit.old_text), native(edit.new_text)];
    const at = result.indexOf(old);
    claim(at >= 0 && result.indexOf(old, at + 1) < 0, `${JSON.stringify(old)} is not there once`);
    result = result.slice(0, at) + next + result.slice(at + old.length);
  }
  return result;
}

function filesIn(repo: string): Readonly<Record<string, string>> {
  const names = readdirSync(repo, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path.slice(repo.length + 1), readFileSync(path, "utf8")]));
}

function digest(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}
