import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import {
  everyEntry,
  indexDifferences,
  indexedStats,
  statOffset,
} from "../../../src/repository/index-file.ts";

const fixtures = join(import.meta.dir, "../../../fixtures/indexes");
const latin1 = (path: string) => Buffer.from(path).toString("latin1");

describe("an index that Git wrote, as git ls-files --debug reads it", () => {
  for (const file of readdirSync(fixtures).filter((name) => name.endsWith(".index"))) {
    const index = readFileSync(join(fixtures, file));
    const expected: object = JSON.parse(
      readFileSync(join(fixtures, file.replace(".index", ".json")), "utf8"),
    );
    const hashLength = file.startsWith("sha256") ? 32 : 20;
    const names = Object.keys(expected).map(latin1);

    test(file, () => {
      const stats = indexedStats(index, hashLength, new Set(names));
      expect(Object.fromEntries(stats ?? [])).toEqual(
        Object.fromEntries(Object.entries(expected).map(([name, stat]) => [latin1(name), stat])),
      );
    });
    test(`${file}: entry by entry, if its paths are whole`, () => {
      const isWhole = !file.endsWith("version-4.index");
      expect(listed(index, hashLength)).toEqual(
        isWhole ? [true, indexedStats(index, hashLength, new Set(names)) ?? new Map()] : [false, new Map()],
      );
    });
    test(`${file}: only what was asked for`, () => {
      expect([...(indexedStats(index, hashLength, new Set(["a.txt", "none"]))?.keys() ?? [])]).toEqual([
        "a.txt",
      ]);
    });
    test(`${file}: cut anywhere, or read with another hash, it is undefined or a part, never a crash`, () => {
      for (let length = 0; length < index.length - hashLength; length++) {
        const stats = indexedStats(index.subarray(0, length), hashLength, new Set(names));
        expect(names).toEqual(expect.arrayContaining([...(stats?.keys() ?? [])]));
        const [, visited] = listed(index.subarray(0, length), hashLength);
        expect(names).toEqual(expect.arrayContaining([...visited.keys()]));
      }
      expect(listed(index, 52 - hashLength)[0]).toBe(false);
      expect(indexedStats(index, 52 - hashLength, new Set(names))).toBeUndefined();
    });
  }

  test.each([["", "DIRX", "DIRC\0\0\0\u0001\0\0\0\0", "DIRC\0\0\0\u0005\0\0\0\0"]])(
    "%j is no known index",
    (text) => {
      expect(indexedStats(Buffer.from(text), 20, new Set())).toBeUndefined();
      expect(listed(Buffer.from(text), 20)).toEqual([false, new Map()]);
    },
  );
});

/** What `everyEntry` says and shows, as `indexedStats` has it. */
function listed(index: Buffer, hashLength: number): [boolean, Map<string, object>] {
  const found = new Map<string, object>();
  const all = everyEntry(index, hashLength, (at, path) => {
    const number = (field: keyof typeof statOffset) => index.readUInt32BE(at + statOffset[field]);
    found.set(index.toString("latin1", path, index.indexOf(0, path)), {
      ctime: [number("changed"), number("changedNs")],
      mtime: [number("modified"), number("modifiedNs")],
      ino: number("inode"),
      size: number("size"),
    });
    return true;
  });
  return [all, found];
}

test("entries are looked at until one does not hold", () => {
  const index = readFileSync(join(fixtures, "version-2.index"));
  let looks = 0;
  expect(everyEntry(index, 20, () => ++looks < 2)).toBe(false);
  expect(looks).toBe(2);
});

interface Entry {
  readonly name: string;
  readonly numbers: readonly number[];
  readonly extended: boolean;
  readonly mode?: number;
  /** The byte that the object id is made of. */
  readonly id?: number;
  /** Beside the length of the name. */
  readonly flags?: number;
  readonly moreFlags?: number;
}

/** Writes an index as the format says; Git's own bytes are in the fixtures. */
function encode(version: 2 | 3 | 4, entries: readonly Entry[], extensions = Buffer.alloc(0)): Buffer {
  const parts = [Buffer.from("DIRC"), words([version, entries.length])];
  let previous = "";
  for (const { name, numbers, extended, mode = 0o100644, id = 0xff, ...more } of entries) {
    const length = Math.min(Buffer.byteLength(name, "latin1"), 0xfff);
    const flags = length | (extended && version > 2 ? 0x4000 : 0) | (more.flags ?? 0);
    const [csec = 0, cnsec = 0, msec = 0, mnsec = 0, ino = 0, size = 0] = numbers;
    const fixed = Buffer.concat([
      words([csec, cnsec, msec, mnsec, 1, ino, mode, 0, 0, size]),
      Buffer.alloc(20, id),
      Buffer.from([flags >> 8, flags & 0xff]),
      Buffer.alloc(extended && version > 2 ? 2 : 0, more.moreFlags ?? 0),
    ]);
    if (version === 4) {
      let common = 0;
      while (common < name.length && name[common] === previous[common]) common++;
      parts.push(fixed, offset(previous.length - common), Buffer.from(`${name.slice(common)}\0`, "latin1"));
    } else {
      const text = Buffer.from(name, "latin1");
      parts.push(fixed, text, Buffer.alloc(8 - ((fixed.length + text.length) % 8)));
    }
    previous = name;
  }
  return Buffer.concat([...parts, extensions, Buffer.alloc(20)]);
}

function words(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [at, number] of numbers.entries()) bytes.writeUInt32BE(number, at * 4);
  return bytes;
}

/** The variable-length number of pack offsets. */
function offset(value: number): Buffer {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift(0x80 | (--rest & 0x7f));
  return Buffer.from(bytes);
}

const name = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 40 }),
    fc.integer({ min: 4090, max: 4100 }).map((n) => "n".repeat(n)),
  )
  .map((text) => latin1(text).replaceAll("\0", "x"));
const entry = fc.record({
  name,
  numbers: fc.array(fc.integer({ min: 0, max: 0xffff_ffff }), { minLength: 6, maxLength: 6 }),
  extended: fc.boolean(),
});

test.each([2, 3, 4] as const)("version %i: what was written is what is read", (version) => {
  fc.assert(
    fc.property(fc.uniqueArray(entry, { selector: ({ name }) => name, maxLength: 20 }), (entries) => {
      const sorted = entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
      const stats = indexedStats(encode(version, sorted), 20, new Set(sorted.map(({ name }) => name)));
      expect([...(stats ?? [])]).toEqual(
        sorted.map(({ name, numbers: [a = 0, b = 0, c = 0, d = 0, ino = 0, size = 0] }) => [
          name,
          { ctime: [a, b], mtime: [c, d], ino, size },
        ]),
      );
      const [whole, found] = listed(encode(version, sorted), 20);
      expect([whole, [...found]]).toEqual(version === 4 ? [false, []] : [true, [...(stats ?? [])]]);
    }),
  );
});

describe("where two indexes differ", () => {
  const numbers = [1, 2, 3, 4, 5, 6];
  const file = (name: string, more: Partial<Entry> = {}): Entry => ({
    name,
    numbers,
    extended: false,
    ...more,
  });
  const extension = (name: string, length = 0) =>
    Buffer.concat([Buffer.from(name), words([length]), Buffer.alloc(length)]);
  const none = "0".repeat(40);
  const id = "ff".repeat(20);
  const between = (before: Buffer, after: Buffer) =>
    indexDifferences(before, after, 20)?.map(({ path, ...rest }) => ({
      path: path.toString("latin1"),
      ...rest,
    }));

  test("is each path that is new, gone, of another mode or of other content, and no other", () => {
    const before = [file("gone"), file("mode"), file("same"), file("sub/text")];
    const after = [
      file("a"),
      file("mode", { mode: 0o100755 }),
      file("same", { numbers: [9, 9, 9, 9, 9, 9] }),
      file("sub/text", { id: 1 }),
      file("z", { mode: 0o120000 }),
    ];
    expect(between(encode(2, before), encode(2, after))).toEqual([
      { path: "a", oldMode: "000000", newMode: "100644", oldId: none },
      { path: "gone", oldMode: "100644", newMode: "000000", oldId: id },
      { path: "mode", oldMode: "100644", newMode: "100755", oldId: id },
      { path: "sub/text", oldMode: "100644", newMode: "100644", oldId: id },
      { path: "z", oldMode: "000000", newMode: "120000", oldId: none },
    ]);
    expect(between(encode(2, before), encode(2, before))).toEqual([]);
    expect(between(encode(2, []), encode(3, []))).toEqual([]);
  });

  test("whatever they hold, is what looking up each path finds", () => {
    const held = fc.record({
      name,
      numbers: fc.constant(numbers),
      extended: fc.boolean(),
      mode: fc.constantFrom(0o100644, 0o100755, 0o120000, 0o160000),
      id: fc.constantFrom(1, 2),
    });
    const version = fc.constantFrom(2 as const, 3 as const);
    const entries = fc.uniqueArray(held, { selector: ({ name }) => name, maxLength: 12 });
    fc.assert(
      fc.property(entries, entries, fc.array(fc.boolean()), version, version, (some, more, taken, v, w) => {
        const sorted = (list: readonly Entry[]) =>
          list.toSorted((one, other) =>
            Buffer.compare(Buffer.from(one.name, "latin1"), Buffer.from(other.name, "latin1")),
          );
        const kept = some.filter((_, at) => taken[at]);
        const before = new Map(sorted(some).map((each) => [each.name, each]));
        const after = new Map(sorted([...kept, ...more]).map((each) => [each.name, each]));
        const mode = (entry: Entry | undefined) => (entry?.mode ?? 0).toString(8).padStart(6, "0");
        const expected = sorted([...new Map([...before, ...after]).values()]).flatMap(({ name }) => {
          const [old, now] = [before.get(name), after.get(name)];
          if (old?.mode === now?.mode && old?.id === now?.id) return [];
          return [
            { path: name, oldMode: mode(old), newMode: mode(now), oldId: `0${old?.id ?? 0}`.repeat(20) },
          ];
        });
        expect(between(encode(v, [...before.values()]), encode(w, [...after.values()]))).toEqual(expected);
      }),
    );
  });

  const whole = encode(2, [file("a"), file("b")]);
  test.each([
    ["of version 4", encode(4, [file("a")])],
    ["that is cut", whole.subarray(0, whole.length - 21)],
    ["that is empty", Buffer.alloc(0)],
    [
      "that counts more entries than it has",
      Buffer.concat([whole.subarray(0, 8), words([3]), whole.subarray(12)]),
    ],
    ["that counts fewer", Buffer.concat([whole.subarray(0, 8), words([1]), whole.subarray(12)])],
    ["that is split", encode(2, [file("a")], extension("link", 40))],
    ["with folders in place of files, by its extension", encode(3, [file("a")], extension("sdir"))],
    ["with a folder in place of files", encode(3, [file("a/", { mode: 0o040000 })])],
    [
      "with a merge that is not done",
      encode(2, [file("a", { flags: 0x1000 }), file("a", { flags: 0x2000 })]),
    ],
    ["with a path that is only to be added", encode(3, [file("a", { extended: true, moreFlags: 0x20 })])],
    [
      "with an extension that is longer than it",
      encode(2, [file("a")], extension("TREE", 4).subarray(0, 10)),
    ],
  ])("only Git can tell of one %s", (_, index) => {
    expect(indexDifferences(index, whole, 20)).toBeUndefined();
    expect(indexDifferences(whole, index, 20)).toBeUndefined();
  });

  test("extensions of other kinds, and a path that is not checked out, change nothing", () => {
    const index = encode(
      3,
      [file("a", { extended: true, moreFlags: 0x40 }), file("b")],
      Buffer.concat([extension("TREE", 5), extension("EOIE", 24)]),
    );
    expect(indexDifferences(whole, index, 20)).toEqual([]);
  });
});
