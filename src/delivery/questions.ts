/** The first questions to the repository: they depend on nothing but where that is. */
import { type Result, refusal, success } from "../outcome.ts";
import { readConfiguration } from "../repository/configuration.ts";
import { lintRepository } from "../repository/directory.ts";
import type { GitContext } from "../repository/git.ts";
import { locateGit, resolveSource, type Source, type SourceRefusalCode } from "../repository/preflight.ts";
import { systemFailure } from "../system-error.ts";
import type { DeliverRequest } from "./job.ts";

export interface Question {
  readonly git: GitContext;
  readonly source: Promise<Result<Source, SourceRefusalCode>>;
  readonly configuration: ReturnType<typeof readConfiguration>;
}

export type Asked = Result<Question, "REPO_UNAVAILABLE" | "GIT_FAILED">;

/** Starts two Git processes that only read; or says, without any, that there is no repository or no Git. */
export function askRepository({ repo, base, env, interruption }: DeliverRequest): Asked {
  const directory = lintRepository(repo);
  if (!directory.ok) return directory;
  const located = attempted(() => locateGit(repo, env, interruption.signal));
  if (!located.ok) return located;
  const source = resolveSource(located.value, base);
  const configuration = readConfiguration(located.value);
  return success({ git: located.value, source, configuration });
}

function attempted<Value>(step: () => Result<Value, "GIT_FAILED">): Result<Value, "GIT_FAILED"> {
  try {
    return step();
  } catch (error) {
    return refusal("GIT_FAILED", systemFailure(error));
  }
}
