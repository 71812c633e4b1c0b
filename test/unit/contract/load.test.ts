import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadContract } from "../../../src/contract/load.ts";
import { accepted, refused } from "../../support/contracts.ts";
import { cpuTime } from "../../support/cpu.ts";

// What takes a second here takes ten on a machine that others use.
setDefaultTimeout(60_000);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "satyrn-contract-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("accepted", () => {
  test.each(accepted.map((fixture) => [fixture.name, fixture] as const))("%s", (_, { path, fields }) => {
    const loaded = loadContract(path);
    if (!loaded.ok) throw new Error(loaded.message);
    expect(JSON.parse(JSON.stringify(loaded.value.contract))).toEqual(fields);
  });
});

describe("refused", () => {
  test.each(refused.map((fixture) => [fixture.name, fixture] as const))("%s", (_, { path, refusal }) => {
    const loaded = loadContract(path);
    if (loaded.ok) throw new Error("accepted");
    expect(`${loaded.code}: ${loaded.message}`).toBe(refusal);
  });
});

test("the bytes are those of the file", () => {
  const bytes = Buffer.from("\ufeffid: a\r\ntask: b\r\n", "utf16le");
  expect(load(bytes)).toMatchObject({ ok: true, value: { bytes, contract: { id: "a", task: "b" } } });
});

describe("what is read", () => {
  test("a link to a regular file", () => {
    writeFileSync(join(folder, "target.yaml"), minimal);
    symlinkSync("target.yaml", join(folder, "link.yaml"));
    expect(loadContract(join(folder, "link.yaml"))).toMatchObject({ ok: true });
  });

  test("a file of exactly 1 MiB, and none larger", () => {
    const filler = "#".repeat(1024 * 1024 - minimal.length);
    expect(load(minimal + filler)).toMatchObject({ ok: true });
    expect(load(`${minimal + filler}#`)).toMatchObject({
      ok: false,
      code: "CONTRACT_UNREADABLE",
      message: expect.stringMatching(/^cannot read contract .*: larger than 1048576 bytes$/),
    });
  });

  test.each([
    ["a missing file", "nothing-here.yaml", "no such file or directory \\(ENOENT\\)"],
    ["a directory", ".", "is a directory"],
    ["a path through a file", "target.yaml/contract.yaml", "not a directory \\(ENOTDIR\\)"],
    ["a name with a NUL", "a\0b", "no file has a NUL in its name"],
    ["a name that is too long", "n".repeat(300), "name too long \\(ENAMETOOLONG\\)"],
    ["a loop of links", "loop", "too many symbolic links encountered \\(ELOOP\\)"],
  ])("not %s", (_, name, reason) => {
    if (name === "loop") symlinkSync("loop", join(folder, "loop"));
    expect(loadContract(join(folder, name))).toMatchObject({
      code: "CONTRACT_UNREADABLE",
      message: expect.stringMatching(new RegExp(`^cannot read contract .*: ${reason}$`)),
    });
  });

  test("not a device", () => {
    expect(loadContract("/dev/null")).toMatchObject({
      code: "CONTRACT_UNREADABLE",
      message: "cannot read contract /dev/null: not a regular file",
    });
  });

  test("a file of /proc, whose size is said to be 0", () => {
    expect(loadContract("/proc/self/limits")).toMatchObject({ code: "CONTRACT_MISSING_FIELD" });
  });
});

describe("the line of a refusal", () => {
  test.each([
    ["of YAML that is none", "id: a\ntask: [\n\n", 4],
    ["of a character that YAML forbids", "id: a\ntask: \u0007\n", 2],
    ["of a duplicate key", "id: a\ntask: b\nid: c\n", 3],
    ["of the first field of the wrong shape", "id: a\n\ntask: 7\nwritable_paths: x\n", 3],
    ["of the top level", "- a\n", 1],
  ])("is that %s", (_, text, line) => {
    expect(load(text)).toMatchObject({ ok: false, line });
  });

  test.each([
    ["a field is missing", "id: a\n"],
    ["the file is not text", Buffer.from([0xff, 0x41])],
  ])("is null if %s", (_, text) => {
    expect(load(text)).toMatchObject({ ok: false, line: null });
  });
});

describe("aliases", () => {
  const nine = (name: string) => `[${Array(9).fill(name).join(", ")}]`;
  const bomb = ["a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]"];
  for (const [from, to] of ["ab", "bc", "cd", "de", "ef"]) bomb.push(`${to}: &${to} ${nine(`*${from}`)}`);

  test("that expand to more than 100,000 nodes are a bomb", () => {
    expect(load(`${minimal}${bomb.join("\n")}\n`)).toMatchObject({
      code: "CONTRACT_INVALID_YAML",
      message: expect.stringMatching(/aliases expand to more than 100000 nodes at line 8, column \d+$/),
    });
  });

  test("that add exactly 100,000 nodes are none, and one node more is", () => {
    const ten = `ten: &ten [${"1, ".repeat(9)}]\n`;
    const others = "five: &five [1, 2, 3, 4]\nsix: &six [1, 2, 3, 4, 5]\n";
    const use = (last: string) => `use: [${"*ten, ".repeat(9999)}*five, ${last}]\n`;
    expect(load(minimal + ten + others + use("*five"))).toMatchObject({ ok: true });
    expect(load(minimal + ten + others + use("*six"))).toMatchObject({
      message: expect.stringMatching(/aliases expand to more than 100000 nodes at line 6, column \d+$/),
    });
  });

  test("of a mapping add its keys as well, which may be lists", () => {
    const load12 = (times: number) =>
      load(`${minimal}x: &x {? [${"1, ".repeat(9)}] : y}\nuse: [${"*x, ".repeat(times)}]\n`);
    expect(load12(8333)).toMatchObject({ ok: true });
    expect(load12(8334)).toMatchObject({ message: expect.stringContaining("more than 100000 nodes") });
  });

  test("that expand to fewer are none", () => {
    expect(load(`${minimal}${bomb.slice(0, -1).join("\n")}\n`)).toMatchObject({ ok: true });
  });

  test("of a scalar are none, however many", () => {
    expect(load(`${minimal}x: &x word\ny: [${"*x, ".repeat(120_000)}]\n`)).toMatchObject({ ok: true });
  });
});

test.each([
  ["a tag", `x: !${"t".repeat(5000)} a\n`],
  ["an alias", `x: *${"a".repeat(5000)}\n`],
  ["a key that occurs twice", `? "${"k".repeat(5000)}"\n? "${"k".repeat(5000)}"\n`],
  ["what is not expected", `x: "a" ${"b".repeat(5000)}\n`],
])("a message is short, however long %s is", (_, text) => {
  const loaded = load(text);
  if (loaded.ok) throw new Error("accepted");
  expect(loaded.code).toBe("CONTRACT_INVALID_YAML");
  expect(loaded.message.replace(folder, "")).toMatch(/^.{80,350}$/);
  expect(loaded.message).toContain("...");
});

test("of what is not expected 40 characters are told", () => {
  const found = (size: number) => load(`x: "a" ${"b".repeat(size)}\n`);
  expect(found(40)).toMatchObject({ message: expect.stringContaining(`unexpected "${"b".repeat(40)}" at`) });
  expect(found(41)).toMatchObject({
    message: expect.stringContaining(`unexpected "${"b".repeat(40)}..." at`),
  });
});

describe("nesting", () => {
  test.each([
    ["flow lists", (depth: number) => `x: ${"[".repeat(depth)}${"]".repeat(depth)}\n`],
    ["flow mappings", (depth: number) => `x: ${"{a: ".repeat(depth)}${"}".repeat(depth)}\n`],
    ["block lists", (depth: number) => `x:\n  ${"- ".repeat(depth)}\n`],
  ])("of %s is taken to 1,000 and refused beyond, without a crash", (_, nest) => {
    // The top mapping is one level itself.
    expect(load(minimal + nest(999))).toMatchObject({ ok: true });
    expect(load(minimal + nest(1000))).toMatchObject({
      message: expect.stringContaining("nested deeper than 1000"),
    });
    expect(load(minimal + nest(30_000))).toMatchObject({
      message: expect.stringContaining("nested too deep"),
    });
  });
});

test("a file of errors ends at the first", () => {
  const started = cpuTime();
  expect(load("]".repeat(1_000_000))).toMatchObject({ code: "CONTRACT_INVALID_YAML" });
  expect(cpuTime() - started).toBeLessThan(2000);
});

test("a list of wrong values is told in part, at once", () => {
  const started = cpuTime();
  const loaded = load(`${minimal}writable_paths: [${"1, ".repeat(100_000)}]\n`);
  if (loaded.ok) throw new Error("accepted");
  expect(loaded.message.split("; ")).toHaveLength(51);
  expect(loaded.message).toEndWith("; and 99950 more problems");
  expect(cpuTime() - started).toBeLessThan(5000);
});

describe("test_command", () => {
  const command = (size: number) => `${minimal}test_command: [ü, ${"x".repeat(size - 2)}]\n`;

  test("of exactly 32 KiB is taken, counted in bytes of UTF-8", () => {
    expect(load(command(32 * 1024))).toMatchObject({ ok: true });
  });

  test("of one byte more is refused", () => {
    expect(load(command(32 * 1024 + 1))).toMatchObject({
      code: "CONTRACT_MISSING_FIELD",
      message:
        "contract field 'test_command' must be at most 32768 bytes together, not 32769 (line 3, column 15)",
    });
  });
});

const minimal = "id: fix-login\ntask: Keep the session alive\n";

function load(content: string | Uint8Array) {
  const path = join(folder, "contract.yaml");
  writeFileSync(path, content);
  return loadContract(path);
}
