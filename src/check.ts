/** `check`: may this contract bound a change in this repository? */
import { type Contract, type ContractRefusalCode, loadContract } from "./contract/load.ts";
import { lintRepository } from "./repository/directory.ts";

export interface CheckRequest {
  /** Path of the working tree's root. */
  readonly repo: string;
  /** Path of the contract file. */
  readonly contract: string;
}

/** The contract is there once it has been read, parsed and validated; `bytes` are the file's, as they were read. */
export type CheckResult =
  | { readonly code: "OK"; readonly message: ""; readonly contract: Contract; readonly bytes: Uint8Array }
  | { readonly code: "REPO_UNAVAILABLE"; readonly message: string; readonly contract: Contract }
  | {
      readonly code: ContractRefusalCode;
      readonly message: string;
      /** The line of the contract, from 1, that the message is about, or is first about; null if it is about none. */
      readonly line: number | null;
    };

/**
 * Accepts the contract, or gives the first refusal: `CONTRACT_UNREADABLE`, `CONTRACT_INVALID_YAML`,
 * `CONTRACT_MISSING_FIELD`, `REPO_UNAVAILABLE`, in this order. Reads two names and touches nothing else: no
 * process, no network.
 */
export function check(request: CheckRequest): CheckResult {
  const loaded = loadContract(request.contract);
  if (!loaded.ok) return { code: loaded.code, message: loaded.message, line: loaded.line };
  const { contract, bytes } = loaded.value;
  const repository = lintRepository(request.repo);
  if (!repository.ok) return { code: repository.code, message: repository.message, contract };
  return { code: "OK", message: "", contract, bytes };
}
