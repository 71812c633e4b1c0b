/**
 * The signature of a macOS executable: read, checked, and written anew, ad hoc, as Apple's linker does it.
 *
 * The layouts are those of `mach-o/loader.h` (load commands, little-endian) and of `kern/cs_blobs.h` in XNU
 * (signatures, big-endian).
 */

/** What a signature says, and of which bytes. */
export interface Signature {
  readonly identifier: string;
  readonly flags: number;
  /** Bytes from the beginning that are hashed, page by page. */
  readonly codeLimit: number;
  readonly pageSize: number;
  /** The pages whose bytes do not have the hash that the signature gives. */
  readonly badPages: readonly number[];
}

export const adHoc = 0x2;
/** Made by a linker: there is nothing but the hashes, no requirements and no entitlements. */
export const linkerSigned = 0x20000;

/** The signature of a thin 64-bit executable. Throws if there is none, or it is of a kind that is not known. */
export function readSignature(file: Buffer): Signature {
  const { signature } = layoutOf(file);
  const at = codeDirectoryAt(file, signature.offset);
  const field = (offset: number) => file.readUInt32BE(at + offset);
  const [hashes, identifier, count, codeLimit] = [field(16), field(20), field(28), field(32)];
  const [hashSize, hashType, pageBits] = [file[at + 36], file[at + 37], file[at + 39] ?? 0];
  if (hashSize !== hashLength || hashType !== sha256Type) throw new Error("its pages have no SHA-256 hashes");
  const pageSize = 2 ** pageBits;
  const found = pageHashes(file, codeLimit, pageSize);
  const kept = (page: number) => file.subarray(at + hashes + page * hashLength).subarray(0, hashLength);
  const badPages = found.flatMap((hash, page) => (page < count && hash.equals(kept(page)) ? [] : [page]));
  return {
    identifier: file.toString("latin1", at + identifier, file.indexOf(0, at + identifier)),
    flags: field(12),
    codeLimit,
    pageSize,
    badPages,
  };
}

/** `file` with a signature of its own in place of the one it has: ad hoc, the pages' hashes and nothing else. */
export function signAdHoc(file: Buffer, identifier: string): Buffer {
  const { signature, linkedit, text } = layoutOf(file);
  const pages = Math.ceil(signature.offset / signedPage);
  const hashes = directoryHeader + identifier.length + 1;
  const size = blobHeader + hashes + pages * hashLength;
  const signed = Buffer.concat([file.subarray(0, signature.offset), Buffer.alloc(size)]);

  signed.writeUInt32LE(size, signature.command + 12);
  const inFile = signature.offset + size - linkedit.offset;
  signed.writeBigUInt64LE(BigInt(inFile), linkedit.command + 48);
  const inMemory = linkedit.command + 32;
  if (signed.readBigUInt64LE(inMemory) < inFile)
    signed.writeBigUInt64LE(BigInt(Math.ceil(inFile / memoryPage) * memoryPage), inMemory);

  const write = (at: number, ...words: readonly number[]) => {
    for (const [index, word] of words.entries())
      signed.writeUInt32BE(word, signature.offset + at + index * 4);
  };
  write(0, embeddedSignature, size, 1, codeDirectorySlot, blobHeader);
  const [special, code] = [0, pages];
  const counts = [hashes, directoryHeader, special, code, signature.offset];
  write(blobHeader, codeDirectory, size - blobHeader, version, adHoc | linkerSigned, ...counts);
  signed.set([hashLength, sha256Type, 0, Math.log2(signedPage)], signature.offset + blobHeader + 36);
  const segment = signature.offset + blobHeader + 64;
  signed.writeBigUInt64BE(BigInt(text.offset), segment);
  signed.writeBigUInt64BE(BigInt(text.size), segment + 8);
  signed.writeBigUInt64BE(mainBinary, segment + 16);
  signed.write(identifier, signature.offset + blobHeader + directoryHeader, "latin1");
  const first = signature.offset + blobHeader + hashes;
  for (const [page, hash] of pageHashes(signed, signature.offset, signedPage).entries())
    signed.set(hash, first + page * hashLength);
  return signed;
}

interface Layout {
  readonly signature: Place;
  readonly linkedit: Place;
  readonly text: Place;
}

/** Where the load command stands, and which bytes of the file it is about. */
interface Place {
  readonly command: number;
  readonly offset: number;
  readonly size: number;
}

function layoutOf(file: Buffer): Layout {
  if (file.length < 32 || file.readUInt32LE(0) !== magic64 || file.readUInt32LE(12) !== executableType)
    throw new Error("it is no thin 64-bit Mach-O executable");
  const places = new Map<string, Place>();
  let command = 32;
  for (let left = file.readUInt32LE(16); left > 0; left--, command += file.readUInt32LE(command + 4)) {
    const kind = file.readUInt32LE(command);
    if (kind === codeSignatureCommand)
      places.set("signature", {
        command,
        offset: file.readUInt32LE(command + 8),
        size: file.readUInt32LE(command + 12),
      });
    if (kind === segmentCommand)
      places.set(file.toString("latin1", command + 8, command + 24).replace(/\0.*$/s, ""), {
        command,
        offset: Number(file.readBigUInt64LE(command + 40)),
        size: Number(file.readBigUInt64LE(command + 48)),
      });
  }
  const [signature, linkedit, text] = ["signature", "__LINKEDIT", "__TEXT"].map((name) => places.get(name));
  if (signature === undefined || linkedit === undefined || text === undefined)
    throw new Error("it has no place for a signature");
  if (signature.offset + signature.size !== file.length)
    throw new Error("its signature is not the end of the file");
  return { signature, linkedit, text };
}

function codeDirectoryAt(file: Buffer, signature: number): number {
  if (file.readUInt32BE(signature) !== embeddedSignature)
    throw new Error("its signature is of no known kind");
  for (let index = 0; index < file.readUInt32BE(signature + 8); index++) {
    const at = signature + file.readUInt32BE(signature + 16 + 8 * index);
    if (file.readUInt32BE(at) === codeDirectory) return at;
  }
  throw new Error("its signature has no code directory");
}

function pageHashes(file: Buffer, limit: number, pageSize: number): readonly Buffer[] {
  const hashes: Buffer[] = [];
  for (let at = 0; at < limit; at += pageSize) {
    const page = file.subarray(at, Math.min(at + pageSize, limit));
    hashes.push(new Bun.CryptoHasher("sha256").update(page).digest());
  }
  return hashes;
}

const magic64 = 0xfeedfacf;
const executableType = 2;
const segmentCommand = 0x19;
const codeSignatureCommand = 0x1d;
const embeddedSignature = 0xfade0cc0;
const codeDirectory = 0xfade0c02;
const codeDirectorySlot = 0;
/** The first version with the place of the executable segment, which ends its header. */
const version = 0x20400;
const directoryHeader = 88;
/** Of a signature of one part. */
const blobHeader = 20;
const sha256Type = 2;
const hashLength = 32;
const signedPage = 4096;
/** Of Apple arm64; a multiple of x86-64's. */
const memoryPage = 0x4000;
const mainBinary = 1n;
