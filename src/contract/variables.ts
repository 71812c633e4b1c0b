import type { Contract } from "./schema.ts";

/**
 * What a contract's command finds in its environment about the contract it runs under. `path` is where a copy
 * lies that nobody changes. A task that no variable can hold is left out.
 */
export function contractVariables(contract: Contract, path: string): Readonly<Record<string, string>> {
  const variables = { SATYRN_CONTRACT: path, SATYRN_CONTRACT_ID: contract.id, SATYRN_TASK: contract.task };
  return Object.fromEntries(Object.entries(variables).filter(([name, value]) => fits(name, value)));
}

/** Linux takes at most 128 KiB for one variable, its name and the closing NUL included (execve(2)). */
function fits(name: string, value: string): boolean {
  return !value.includes("\0") && name.length + 1 + Buffer.byteLength(value) < 128 * 1024;
}
