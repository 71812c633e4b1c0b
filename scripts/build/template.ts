/** Bun's executable for a system, fetched, verified, and made inert to its own environment variables. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { hostTarget, suffix, type TargetName, targets } from "./targets.ts";

/**
 * The bytes to build `target` from: the running Bun's if they are the pinned ones, else from the registry
 * through `bun install`, with `folder` to work in. Throws if those are not the pinned ones.
 */
export async function inertTemplate(target: TargetName, folder: string, bun: string): Promise<Uint8Array> {
  if (target === hostTarget()) {
    const running = Buffer.from(await Bun.file(process.execPath).bytes());
    if (isPinned(target, running)) return neutralised(running);
  }
  return neutralised(Buffer.from(await Bun.file(await stockExecutable(target, folder, bun)).bytes()));
}

/** The path of Bun's own executable for `target`, fetched into `folder`. Throws if it is not the pinned one. */
export async function stockExecutable(target: TargetName, folder: string, bun: string): Promise<string> {
  const path = await fetched(target, folder, bun);
  mustBePinned(target, await Bun.file(path).bytes());
  return path;
}

/** Throws unless `bytes` are the pinned executable of `target`. */
export function mustBePinned(target: TargetName, bytes: Uint8Array): void {
  if (isPinned(target, bytes)) return;
  const { template, sha256 } = targets[target];
  throw new Error(`${template}: the executable has SHA-256 ${digestOf(bytes)}, not ${sha256}`);
}

function isPinned(target: TargetName, bytes: Uint8Array): boolean {
  return digestOf(bytes) === targets[target].sha256;
}

function digestOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

/**
 * `bytes` with the names of the variables that change what a compiled program is made unmatchable, in place: an
 * environment holds no NUL. Any other byte would make another name, which somebody can set, an equals sign included:
 * glibc's getenv(3) finds `a=b` in `a=b=c`. A C string that begins with NUL is the empty name, which it never finds.
 * Bun offers no switch for this, so the number of occurrences is asserted: another Bun must be looked at first.
 */
export function neutralised(bytes: Buffer): Buffer {
  for (const [name, expected] of Object.entries(hostileVariables)) {
    let found = 0;
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
      bytes[at] = 0;
      found++;
    }
    if (found !== expected)
      throw new Error(`${name} occurs ${found} times in Bun's executable, not ${expected}`);
  }
  return bytes;
}

/** Names and common beginnings of names, with how often each occurs: the same for every system. */
const hostileVariables = {
  BUN_BE_BUN: 1,
  BUN_OPTIONS: 2,
  BUN_INSPECT: 11,
  BUN_BYTECODE_: 4,
  JavaScriptCoreUseJIT: 1,
  WTF_numberOfProcessorCores: 1,
};

async function fetched(target: TargetName, folder: string, bun: string): Promise<string> {
  const { template } = targets[target];
  const project = join(folder, "fetched");
  mkdirSync(project, { recursive: true });
  await Bun.write(join(project, "package.json"), JSON.stringify({ dependencies: { [template]: bun } }));
  const argv = [
    process.execPath,
    "install",
    "--os=*",
    "--cpu=*",
    "--ignore-scripts",
    "--no-save",
    "--silent",
  ];
  const install = Bun.spawnSync(argv, { cwd: project, stderr: "pipe" });
  if (install.exitCode !== 0) throw new Error(`${template} ${bun}: ${install.stderr.toString().trim()}`);
  return join(project, "node_modules", template, "bin", `bun${suffix(target)}`);
}
