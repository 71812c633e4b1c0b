/** Every target of the fuzzer, by name. */
import { acceptance } from "./acceptance.ts";
import { contracts } from "./contracts.ts";
import { gitOutput } from "./git-output.ts";
import { pathPatterns } from "./path-patterns.ts";
import { paths } from "./paths.ts";
import { protocol } from "./protocol.ts";
import { python } from "./python.ts";
import { pythonPatterns } from "./python-patterns.ts";
import type { Target } from "./target.ts";

export const targets: Readonly<Record<string, () => Target>> = {
  contracts,
  protocol,
  acceptance,
  "git-output": gitOutput,
  "path-patterns": pathPatterns,
  "python-patterns": pythonPatterns,
  paths,
};

/** Why the target cannot run on this machine; undefined if it can. */
export function unavailable(name: string): string | undefined {
  const needsPython = ["path-patterns", "python-patterns", "paths"].includes(name);
  return needsPython && python === null ? "python3, its oracle, is not there" : undefined;
}
