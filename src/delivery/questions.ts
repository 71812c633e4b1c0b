/** The first question to the repository: it depends on nothing but where that is. */
import { type Result, refusal, success } from "../outcome.ts";
import { lintRepository } from "../repository/directory.ts";
import type { GitContext } from "../repository/git.ts";
import { locateGit, resolveSource, type Source, type SourceRefusalCode } from "../repository/preflight.ts";
import { systemFailure } from "../system-error.ts";
import type { DeliverRequest } from "./job.ts";

export interface Question {
  readonly git: GitContext;
  readonly source: Promise<Result<Source, SourceRefusalCode>>;
  /** Ends what runs with `git`, for who does not want the answer. */
  abandon(): Promise<void>;
}

export type Asked = Result<Question, "REPO_UNAVAILABLE" | "GIT_FAILED">;

/** Starts a Git process that only reads; or says, without any, that there is no repository or no Git. */
export function askRepository({ repo, base, env, interruption }: DeliverRequest): Asked {
  const directory = lintRepository(repo);
  if (!directory.ok) return directory;
  const abandoned = new AbortController();
  const told = AbortSignal.any([interruption.signal, abandoned.signal]);
  const located = attempted(() => locateGit(repo, env, told));
  if (!located.ok) return located;
  const source = resolveSource(located.value, base);
  const abandon = async () => {
    abandoned.abort();
    await source;
  };
  return success({ git: located.value, source, abandon });
}

function attempted<Value>(step: () => Result<Value, "GIT_FAILED">): Result<Value, "GIT_FAILED"> {
  try {
    return step();
  } catch (error) {
    return refusal("GIT_FAILED", systemFailure(error));
  }
}
