import { describe, expect, test } from "bun:test";
import { adHoc, linkerSigned, readSignature, signAdHoc } from "../../../scripts/build/mach-o.ts";

const signatureAt = 5 * 4096 + 100;

/** The smallest executable with a place for a signature: a text segment, a link segment, and a stale signature. */
function executable(memory = 0x1000): Buffer {
  const file = Buffer.alloc(signatureAt + 16);
  for (let at = 512; at < signatureAt; at++) file[at] = at * 7;
  file.writeUInt32LE(0xfeedfacf, 0);
  file.writeUInt32LE(2, 12);
  file.writeUInt32LE(3, 16);
  const segment = (at: number, name: string, offset: number, size: number) => {
    file.writeUInt32LE(0x19, at);
    file.writeUInt32LE(72, at + 4);
    file.write(name, at + 8, "latin1");
    file.writeBigUInt64LE(BigInt(memory), at + 32);
    file.writeBigUInt64LE(BigInt(offset), at + 40);
    file.writeBigUInt64LE(BigInt(size), at + 48);
  };
  segment(32, "__TEXT", 0, 4096);
  segment(104, "__LINKEDIT", 4096, file.length - 4096);
  file.writeUInt32LE(0x1d, 176);
  file.writeUInt32LE(16, 180);
  file.writeUInt32LE(signatureAt, 184);
  file.writeUInt32LE(16, 188);
  return file;
}

describe("a signature", () => {
  test("is ad hoc, of everything before it, and every page has its hash", () => {
    const signed = signAdHoc(executable(), "satyrn-engine");
    expect(readSignature(signed)).toEqual({
      identifier: "satyrn-engine",
      flags: adHoc | linkerSigned,
      codeLimit: signatureAt,
      pageSize: 4096,
      badPages: [],
    });
  });

  test.each([0, 4095, 4096, 3 * 4096 + 7, signatureAt - 1])("tells that byte %i was changed", (at) => {
    const signed = signAdHoc(executable(), "satyrn-engine");
    // Byte 0 makes it no executable at all; one beside it is in the same page.
    const changed = at === 0 ? 5 : at;
    signed[changed] = (signed[changed] ?? 0) ^ 1;
    expect(readSignature(signed).badPages).toEqual([Math.floor(at / 4096)]);
  });

  test("of a signed executable replaces the one before, byte for byte the same", () => {
    const once = signAdHoc(executable(), "satyrn-engine");
    expect(signAdHoc(once, "satyrn-engine").equals(once)).toBe(true);
    expect(readSignature(signAdHoc(once, "another")).identifier).toBe("another");
  });

  test("has its place in the file and in memory", () => {
    const signed = signAdHoc(executable(), "satyrn-engine");
    expect(signed.readUInt32LE(184) + signed.readUInt32LE(188)).toBe(signed.length);
    expect(Number(signed.readBigUInt64LE(104 + 40) + signed.readBigUInt64LE(104 + 48))).toBe(signed.length);
    expect(Number(signed.readBigUInt64LE(104 + 32))).toBe(2 * 0x4000);
    const roomy = signAdHoc(executable(0x100000), "satyrn-engine");
    expect(Number(roomy.readBigUInt64LE(104 + 32))).toBe(0x100000);
  });
});

test.each([
  ["is no executable", "no thin 64-bit Mach-O executable", (file: Buffer) => file.fill(0, 0, 4)],
  ["is a library", "no thin 64-bit Mach-O executable", (file: Buffer) => file.writeUInt32LE(6, 12)],
  ["has no place for a signature", "no place for a signature", (file: Buffer) => file.writeUInt32LE(2, 16)],
  ["has something behind it", "not the end of the file", (file: Buffer) => file.writeUInt32LE(8, 188)],
])("what %s is not signed", (_, problem, change) => {
  const file = executable();
  expect(() => signAdHoc(file, "satyrn-engine")).not.toThrow();
  change(file);
  expect(() => signAdHoc(file, "satyrn-engine")).toThrow(problem);
});

test("a signature of another kind is not read as one", () => {
  expect(() => readSignature(executable())).toThrow("of no known kind");
});
