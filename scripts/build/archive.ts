/** Archives that depend on what is packed alone: no clock, no owner, no order of a file system. */

export interface Member {
  /** The path in the archive, ASCII, at most 100 bytes. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** Of the two libraries that Bun has the one whose output does not depend on the processor. */
const compression = { library: "libdeflate", level: 9 } as const;

/** A gzipped POSIX tar archive (ustar) of `members`, in their order. */
export function tarGz(members: readonly Member[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const member of members) {
    parts.push(tarHeader(member), member.bytes, new Uint8Array(-member.bytes.length & 511));
  }
  parts.push(new Uint8Array(1024));
  return Bun.gzipSync(Buffer.concat(parts), compression);
}

/** https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html, "ustar Interchange Format" */
function tarHeader({ path, bytes, executable }: Member): Uint8Array {
  const header = Buffer.alloc(512);
  header.write(path, 0, 100, "latin1");
  header.write(`${octal(executable ? 0o755 : 0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, "latin1");
  header.write(`${octal(bytes.length, 11)}\0${octal(epoch, 11)}\0`, 124, "latin1");
  header.write("        0", 148, "latin1");
  header.write("ustar\u000000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148, "latin1");
  return header;
}

/** 1980-01-01, the first moment that a ZIP archive can tell. */
const epoch = 315_532_800;

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

/** A ZIP archive of `members`, in their order. */
export function zip(members: readonly Member[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const member of members) {
    const name = Buffer.from(member.path, "latin1");
    const packed = Bun.deflateSync(member.bytes as Uint8Array<ArrayBuffer>, compression);
    const common = zipFields(member.bytes, packed.length, name.length);
    parts.push(zipRecord("PK\x03\x04", common), name, packed);
    directory.push(zipEntry(common, member.executable, offset), name);
    offset += 30 + name.length + packed.length;
  }
  const size = directory.reduce((total, part) => total + part.length, 0);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

/** The fields that a member's record and its entry in the directory share (PKWARE APPNOTE 4.3.7). */
function zipFields(bytes: Uint8Array, packed: number, name: number): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(8, 4);
  fields.writeUInt16LE(0x21, 8);
  fields.writeUInt32LE(Bun.hash.crc32(bytes), 10);
  fields.writeUInt32LE(packed, 14);
  fields.writeUInt32LE(bytes.length, 18);
  fields.writeUInt16LE(name, 22);
  return fields;
}

function zipRecord(signature: string, fields: Buffer): Buffer {
  return Buffer.concat([Buffer.from(signature, "latin1"), fields]);
}

/** Made by POSIX, so that the run bit counts (4.3.12). */
function zipEntry(fields: Buffer, executable: boolean, offset: number): Buffer {
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(((0o100000 | (executable ? 0o755 : 0o644)) << 16) >>> 0, 6);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([Buffer.from("PK\x01\x02\x14\x03", "latin1"), fields, tail]);
}
