/** The executables for macOS, of which no other system starts one: what they are, and that their signature holds. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { adHoc, linkerSigned, readSignature, signAdHoc } from "../../scripts/build/mach-o.ts";

const folder = process.env["SATYRN_TEST_EXECUTABLES"];
if (folder === undefined)
  throw new Error("SATYRN_TEST_EXECUTABLES names no folder: run `bun run prove darwin`");

interface LoadCommands {
  readonly processor: number;
  readonly libraries: readonly string[];
  readonly leastSystem: string;
}

/** Of `mach-o/loader.h`: LC_LOAD_DYLIB and LC_BUILD_VERSION. */
function loadCommands(file: Buffer): LoadCommands {
  const libraries: string[] = [];
  let leastSystem = "";
  let at = 32;
  for (let left = file.readUInt32LE(16); left > 0; left--, at += file.readUInt32LE(at + 4)) {
    const kind = file.readUInt32LE(at);
    if (kind === 0xc) {
      const name = at + file.readUInt32LE(at + 8);
      libraries.push(file.toString("latin1", name, file.indexOf(0, name)));
    }
    if (kind === 0x32) leastSystem = `${file.readUInt16LE(at + 14)}.${file[at + 13]}`;
  }
  return { processor: file.readUInt32LE(4), libraries, leastSystem };
}

describe.each([
  ["darwin-x64", 0x1000007],
  ["darwin-arm64", 0x100000c],
])("%s", (target, processor) => {
  const file = readFileSync(join(folder, target));

  test("is an executable for its processor, macOS 13, with the system's libraries alone", () => {
    const found = loadCommands(file);
    expect(found).toMatchObject({ processor, leastSystem: "13.0" });
    expect(found.libraries.filter((name) => !/^\/(?:usr\/lib|System\/Library)\//.test(name))).toEqual([]);
    expect(found.libraries).toContain("/usr/lib/libSystem.B.dylib");
  });

  test("is signed ad hoc, and every page has the hash that the signature gives", () => {
    const { identifier, flags, codeLimit, badPages } = readSignature(file);
    expect({ identifier, flags, badPages }).toEqual({
      identifier: "satyrn-engine",
      flags: adHoc | linkerSigned,
      badPages: [],
    });
    expect(file.length - codeLimit).toBeLessThan(1024 * 1024);
  });

  test("has a signature that one changed byte breaks", () => {
    for (const at of [4096, Math.floor(file.length / 2)]) {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(readSignature(changed).badPages).toEqual([Math.floor(at / 4096)]);
    }
  });

  test("is the same bytes when it is built again", () => {
    expect(readFileSync(join(folder, `${target}-again`)).equals(file)).toBe(true);
  });
});

test("Bun's own signature for arm64 is what is written here in its place, byte for byte", async () => {
  const outfile = join(folder, "plain");
  const entry = join(folder, "plain.ts");
  await Bun.write(entry, 'console.log("plain")\n');
  await Bun.build({ entrypoints: [entry], compile: { target: "bun-darwin-arm64", outfile } });
  const plain = readFileSync(outfile);
  expect(readSignature(plain)).toMatchObject({ identifier: "a.out", badPages: [] });
  expect(signAdHoc(plain, "a.out").equals(plain)).toBe(true);
});
