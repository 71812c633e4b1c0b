/**
 * Proves the executables for the systems that this machine is not, as far as it can start them:
 * `bun run prove [SYSTEM ...] [--prepare] [--short]`.
 *
 * A proof that cannot run here says in one line why, and what would help. `--prepare` gets what no package of
 * the system's brings, into the user's cache. `--short` runs a little of each.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { darwin } from "./proof/darwin.ts";
import { linuxArm64 } from "./proof/linux-arm64.ts";
import { linuxArm64Kernel } from "./proof/linux-arm64-kernel.ts";
import { linuxArm64Musl } from "./proof/linux-arm64-musl.ts";
import { linuxMusl } from "./proof/linux-musl.ts";
import type { Proof } from "./proof/proof.ts";
import { windows } from "./proof/windows.ts";
import { folderOfScript } from "./temporary.ts";
import type { Part } from "./tests.ts";

const proofs: readonly Proof[] = [linuxArm64, linuxArm64Kernel, linuxMusl, linuxArm64Musl, windows, darwin];
const words = process.argv.slice(2);
const [prepare, short] = ["--prepare", "--short"].map((flag) => words.includes(flag));
const wanted = words.filter((word) => word !== "--prepare" && word !== "--short");
const unknown = wanted.filter((word) => proofs.every(({ system }) => system !== word));
if (unknown.length > 0) {
  const accepted = proofs.map(({ system }) => system).join(", ");
  console.error(
    `prove: there is no proof of ${unknown.join(", ")}; accepted are ${accepted}, --prepare, --short`,
  );
  process.exit(2);
}

const folder = folderOfScript("proof");
const lines: string[] = [];
let passed = 0;
let failed = 0;
for (const proof of proofs.filter(({ system }) => wanted.length === 0 || wanted.includes(system))) {
  if (prepare) await proof.prepare?.();
  const obstacle = proof.obstacle();
  if (obstacle === undefined) {
    for (const part of await proveIn(proof)) {
      passed += part.passed;
      failed += part.failed;
      lines.push(row(proof.system, proof.means, part.what, counted(part)));
    }
  } else {
    const packages = proof.packages.length === 0 ? "" : ` (packages: ${proof.packages.join(" ")})`;
    console.log(`skipped: ${proof.system}: ${obstacle}${packages}`);
    lines.push(row(proof.system, proof.means, "not run", obstacle));
  }
  for (const gap of proof.unproven) lines.push(row(proof.system, "", "not proven", gap));
}
console.log(`\n${row("system", "by", "what", "")}\n${lines.join("\n")}\n`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function proveIn(proof: Proof): Promise<readonly Part[]> {
  const place = join(folder, proof.system);
  mkdirSync(place);
  return proof.prove(place, short === true);
}

function counted({ passed, failed, skipped, seconds }: Part): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped, ${seconds.toFixed(0)} s`;
}

function row(...[system = "", means = "", what = "", rest = ""]: readonly string[]): string {
  return `${system.padEnd(18)} ${means.padEnd(14)} ${what.padEnd(36)} ${rest}`.trimEnd();
}
