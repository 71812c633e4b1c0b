/** Two receipts with every field. */
export const refusedReceipt = {
  version: 1,
  outcome: "discarded",
  code: "NO_CHANGES",
  message: "it did not",
  contract_id: "fix-1",
  repository: "/srv/repo",
  base_commit: "b".repeat(40),
  candidate_ref: "refs/satyrn/candidates/fix-1/head",
  candidate_commit: null,
  changed_paths: [],
  command_exit: 0,
  worktree_path: null,
  source_drift: [],
  verification: null,
  engine_version: "1.2.3",
  duration_ms: 1234,
};

export const createdReceipt = {
  ...refusedReceipt,
  outcome: "candidate-created",
  code: "OK",
  message: "",
  candidate_commit: "c".repeat(40),
  changed_paths: ["src/a.py", "src/b.py"],
  verification: { passed: true, commands: [], guards: [], reasons: [] },
};
