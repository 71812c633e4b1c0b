/** What Git prints, with names that nobody would choose: read back as it was, and never more than it was. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transcriptReader } from "../../src/attempt/transcript.ts";
import { decidingFiles, isPlain, parseConfiguration } from "../../src/repository/configuration.ts";
import { indexDifferences, indexedStats } from "../../src/repository/index-file.ts";
import { changesFrom, parseRawDiff } from "../../src/repository/stage.ts";
import { parseStatus } from "../../src/repository/status.ts";
import { below, oneOf, type Random } from "../support/random.ts";
import { mutate } from "./mutate.ts";
import { type Case, claim, type Target } from "./target.ts";

const fixtures = join(import.meta.dir, "../../fixtures/indexes");

export function gitOutput(): Target {
  const indexes = readdirSync(fixtures).filter((name) => name.endsWith(".index"));
  const seeds = indexes.map((name) => readFileSync(join(fixtures, name)));
  const cases: readonly ((random: Random) => Case)[] = [
    status,
    rawDiff,
    configuration,
    (random) => {
      const bytes = mutate(random, seeds, ["DIRC", "\0\0\0\u0004", "\u0001", "\0"]);
      const hash = oneOf(random, [20, 32]);
      return { input: bytes, check: () => checkIndex(bytes, hash) };
    },
    transcript,
  ];
  return { make: (random) => oneOf(random, cases)(random) };
}

function status(random: Random): Case {
  const id = (digit: string) => digit.repeat(40);
  const paths: string[] = [];
  const record = () => {
    const path = name(random);
    const kind = oneOf(random, ["1", "u", "?", "!", "#"]);
    if (kind === "#") return "# branch.upstream origin/1 2 3";
    if (kind !== "!") paths.push(path);
    if (kind === "1") return `1 .M N... 100644 100644 100644 ${id("1")} ${id("2")} ${path}`;
    if (kind === "u") return `u UU N... 100644 100644 100644 100644 ${id("1")} ${id("2")} ${id("3")} ${path}`;
    return `${kind} ${path}`;
  };
  const records = Array.from({ length: below(random, 6) }, record);
  const head = oneOf(random, [id("a"), undefined]);
  const text = [`# branch.oid ${head ?? "(initial)"}`, ...records].map((each) => `${each}\0`).join("");
  const check = () => {
    const read = parseStatus(Buffer.from(text));
    const expected = { head, paths: [...new Set(paths)] };
    claim(Bun.deepEquals(read, expected), `read as ${JSON.stringify(read)}`);
  };
  return { input: text, check };
}

function rawDiff(random: Random): Case {
  const changes = Array.from({ length: below(random, 6) }, () => ({
    path: name(random),
    oldMode: oneOf(random, ["000000", "100644", "160000"]),
    newMode: oneOf(random, ["100755", "120000", "000000"]),
    oldId: oneOf(random, ["1", "0"]).repeat(oneOf(random, [40, 64])),
  }));
  const line = ({ path, oldMode, newMode, oldId }: (typeof changes)[number]) =>
    `:${oldMode} ${newMode} ${oldId} ${"2".repeat(oldId.length)} M\0${path}\0`;
  const bytes = Buffer.from(changes.map(line).join(""));
  const check = () => {
    const read = changesFrom(parseRawDiff(bytes));
    claim(read.ok, "refused");
    const sorted = changes.toSorted((one, other) =>
      Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)),
    );
    claim(Bun.deepEquals(read.value, sorted), `read as ${JSON.stringify(read.value)}`);
  };
  return { input: bytes, check };
}

function configuration(random: Random): Case {
  const entries = Array.from({ length: below(random, 6) }, () => ({
    scope: oneOf(random, ["system", "global", "local", "worktree", "command"]),
    origin: `${oneOf(random, ["file:", "blob:", "command line:"])}${name(random)}`,
    setting: `core.${name(random)}${oneOf(random, ["", "\n", `\n${name(random)}`])}`,
  }));
  const bytes = Buffer.from(
    entries.map(({ scope, origin, setting }) => `${scope}\0${origin}\0${setting}\0`).join(""),
  );
  const check = () => {
    const read = parseConfiguration(bytes);
    const latin1 = (text: string) => Buffer.from(text).toString("latin1");
    const own = entries.filter(({ scope }) => scope !== "command");
    claim(
      Bun.deepEquals(
        read.settings,
        own.map(({ setting }) => latin1(setting)),
      ),
      "other settings",
    );
    const origins = new Set(own.map(({ scope, origin }) => `${scope} ${latin1(origin)}`));
    claim(
      Bun.deepEquals(
        read.origins.map(({ scope, origin }) => `${scope} ${origin}`),
        [...origins],
      ),
      "other origins",
    );
    const files = decidingFiles(read, "/r/.git", { HOME: "/h" });
    claim(isPlain(read) || read.settings.length > 0, "nothing is set, and yet not plain");
    claim(
      files === undefined || read.settings.every((setting) => !/^include/i.test(setting)),
      "with includes",
    );
  };
  return { input: bytes, check };
}

/** A name that Git can hold: any bytes but NUL. */
function name(random: Random): string {
  const parts = Array.from({ length: 1 + below(random, 6) }, () => oneOf(random, bits));
  return parts.join("");
}

const bits = [
  "a",
  " ",
  "  ",
  "\n",
  "\t",
  "\r",
  '"',
  "\\",
  ":",
  "?",
  "#",
  "1 ",
  "u ",
  "/",
  "é",
  "😀",
  "\u2028",
  "-",
  "M",
];

function checkIndex(bytes: Buffer, hash: number): void {
  const all = new Set(["a.txt", "src/b.txt", ""]);
  const stats = indexedStats(bytes, hash, all);
  for (const key of stats?.keys() ?? []) claim(all.has(key), `a path nobody asked for: ${key}`);
  const same = indexDifferences(bytes, bytes, hash);
  claim(same === undefined || same.length === 0, "an index that differs from itself");
}

/** The story does not depend on how the stream was cut. */
function transcript(random: Random): Case {
  const bytes = mutate(
    random,
    [Buffer.from(story)],
    ["\n", '{"type":"turn_start"}\n', '"isError":true', "null\n"],
  );
  const check = () => {
    const whole = transcriptReader(500);
    whole.hear(bytes);
    const cut = transcriptReader(500);
    for (let at = 0; at < bytes.length; ) {
      const end = at + 1 + below(random, 60);
      cut.hear(bytes.subarray(at, end));
      at = end;
    }
    const [one, other] = [whole.end(), cut.end()];
    claim(Bun.deepEquals(one, other), `${JSON.stringify(one)} or ${JSON.stringify(other)}`);
  };
  return { input: bytes, check };
}

const story = [
  { type: "turn_start" },
  { type: "tool_execution_start", toolName: "edit" },
  { type: "tool_execution_end", toolName: "edit", isError: true },
  { type: "message_end", message: { role: "assistant", stopReason: "error", errorMessage: "é 😀" } },
  { type: "agent_settled", aborted: false },
]
  .map((event) => `${JSON.stringify(event)}\n`)
  .join("");
