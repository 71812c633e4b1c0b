/** A folder under a contract, and replacements in it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Edit } from "../../src/mutation/edits.ts";
import {
  type ReplaceRequest,
  type ReplaceResult,
  type ReplaceSeams,
  replace,
} from "../../src/mutation/replace.ts";
import { temporaryFolder, writeFiles } from "./repository.ts";

export interface Bounded {
  /** The folder the contract bounds changes in. It holds `files`. */
  readonly repo: string;
  /** A folder beside it that no change may reach. */
  readonly outside: string;
  readonly contract: string;
  read(path: string): string;
  revision(path: string): string;
  /** Replaces in `path`, at its present revision unless `request` says otherwise. */
  replace(
    path: string,
    edits: readonly Edit[],
    request?: Partial<ReplaceRequest>,
    seams?: ReplaceSeams,
  ): ReplaceResult;
  dispose(): void;
}

/** `contract` is YAML beside `id` and `task`. */
export function bounded(
  files: Readonly<Record<string, string | Uint8Array>>,
  contract = 'writable_paths: ["*"]',
): Bounded {
  const { path: base, dispose } = temporaryFolder("satyrn bounded ");
  writeFiles(base, { "outside/victim": "victim\n", "repo/.keep": "" });
  const repo = join(base, "repo");
  writeFiles(repo, files);
  const contractPath = join(base, "contract.yaml");
  writeFileSync(contractPath, `id: bounded\ntask: change something\n${contract}\n`);
  const revision = (path: string) => sha256Of(readFileSync(join(repo, path)));
  return {
    repo,
    outside: join(base, "outside"),
    contract: contractPath,
    read: (path) => readFileSync(join(repo, path), "utf8"),
    revision,
    replace: (path, edits, request = {}, seams = {}) => {
      const expected = "expected_sha256" in request ? (request.expected_sha256 ?? null) : revision(path);
      return replace(
        { repo, contract: contractPath, path, edits, ...request, expected_sha256: expected },
        seams,
      );
    },
    dispose,
  };
}

export function edit(old_text: string, new_text: string): Edit {
  return { old_text, new_text };
}

export function sha256Of(bytes: Uint8Array | string): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

/** Every name in `folder`, hidden ones too, sorted. */
export function namesIn(folder: string): readonly string[] {
  return readdirSync(folder).sort();
}
