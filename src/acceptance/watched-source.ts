/** The questions about a source after its checks ran, which may have changed what Git itself would answer. */
import { type Result, success } from "../outcome.ts";
import { type GitState, gitState, stateDrift } from "../repository/git-state.ts";
import { type SourceQuestion, sourceProblems } from "./source.ts";
import type { Task } from "./task.ts";

export interface WatchedSource {
  /** Remembers the state that decides what Git runs, sees or hides. Must come before the first check. */
  remember(): Promise<Result<null, "GIT_FAILED">>;
  /**
   * What is wrong with the source by now. If that state is another, it is the one problem, and Git is not asked in
   * the worktree: a filter that was planted would run, and could hide every edit.
   */
  problems(): Promise<Result<readonly string[], "GIT_FAILED">>;
}

export function watchSource({ repository, place }: Task, question: SourceQuestion): WatchedSource {
  let before: GitState | undefined;
  return {
    remember: async () => {
      const state = await gitState(repository, place);
      if (!state.ok) return { ...state, code: "GIT_FAILED" };
      before = state.value;
      return success(null);
    },
    problems: async () => {
      const drift = before === undefined ? [] : await stateDrift(repository, place, before);
      if (drift.length === 0) return sourceProblems(question);
      return success([`Git state is not what it was before them: ${drift.join(", ")}`]);
    },
  };
}
