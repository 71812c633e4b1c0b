/** What a release holds beside the executables. */
import { join } from "node:path";
import { loadAll } from "../../src/cli/commands.ts";
import { shells } from "../../src/cli/completion/shells.ts";
import { type Member, tarGz, zip } from "./archive.ts";
import { packedReadme } from "./readme.ts";
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
  const commands = await loadAll();
  const completions = Object.values(shells).map(({ file, script }) => ({
    path: `${folder}/completions/${file}`,
    bytes: Buffer.from(script(commands)),
    executable: false,
  }));
  const members = [
    await member("LICENSE", join(root, "LICENSE"), false),
    { path: `${folder}/README.md`, bytes: Buffer.from(await packedReadme(root)), executable: false },
    ...completions,
    await member(`satyrn-engine${suffix(target)}`, join(dist, executableName(target)), true),
  ];
  const windows = target.startsWith("windows-");
  const path = join(dist, `${folder}${windows ? ".zip" : ".tar.gz"}`);
  await Bun.write(path, windows ? zip(members) : tarGz(members));
  return path;
}

/**
 * Writes `SHA256SUMS` into `dist`, which `sha256sum -c` checks, of the files there called `names` and of no
 * other: what an earlier build left is not part of this one. Gives its path.
 */
export async function writeSums(dist: string, names: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const name of [...names].sort()) {
    const digest = new Bun.CryptoHasher("sha256").update(await Bun.file(join(dist, name)).bytes());
    lines.push(`${digest.digest("hex")}  ${name}\n`);
  }
  const path = join(dist, "SHA256SUMS");
  await Bun.write(path, lines.join(""));
  return path;
}
