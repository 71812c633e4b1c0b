/** Lowercase hex SHA-256 of a file's exact bytes. */
export type Sha256 = string & { readonly sha256: unique symbol };

/** The SHA-256 of `bytes`. */
export function sha256(bytes: Uint8Array): Sha256 {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex") as Sha256;
}
