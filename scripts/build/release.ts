/** What a release holds beside the executables. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Member, tarGz, zip } from "./archive.ts";
import { executableName, suffix, type TargetName } from "./targets.ts";

/** Packs the executable of `target` in `dist` with what belongs to it from `root`; gives the archive's path. */
export async function writeArchive(
  dist: string,
  root: string,
  version: string,
  target: TargetName,
): Promise<string> {
  const folder = `satyrn-engine-${version}-${target}`;
  const member = async (name: string, path: string, executable: boolean): Promise<Member> => ({
    path: `${folder}/${name}`,
    bytes: await Bun.file(path).bytes(),
    executable,
  });
  const members = [
    await member("LICENSE", join(root, "LICENSE"), false),
    await member("README.md", join(root, "README.md"), false),
    await member(`satyrn-engine${suffix(target)}`, join(dist, executableName(target)), true),
  ];
  const windows = target.startsWith("windows-");
  const path = join(dist, `${folder}${windows ? ".zip" : ".tar.gz"}`);
  await Bun.write(path, windows ? zip(members) : tarGz(members));
  return path;
}

/** Writes `SHA256SUMS`, which `sha256sum -c` checks, of every file of `dist` but itself; gives its path. */
export async function writeSums(dist: string): Promise<string> {
  const lines: string[] = [];
  for (const entry of readdirSync(dist, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name === sums) continue;
    const digest = new Bun.CryptoHasher("sha256").update(await Bun.file(join(dist, entry.name)).bytes());
    lines.push(`${digest.digest("hex")}  ${entry.name}\n`);
  }
  const path = join(dist, sums);
  await Bun.write(path, lines.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join(""));
  return path;
}

const sums = "SHA256SUMS";
