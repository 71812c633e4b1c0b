/** The library: the operations as functions. */
export { type Accepted, type AcceptRequest, accept } from "./acceptance/accept.ts";
export { type Blocked, type Checked, type VerifyRequest, verify } from "./acceptance/verify.ts";
export { type AttemptRequest, type AttemptResult, attempt, type Summary } from "./attempt/attempt.ts";
export { type CheckRequest, type CheckResult, check } from "./check.ts";
export type { Contract } from "./contract/load.ts";
export { type Replaced, type ReplaceRequest, type ReplaceResult, replace } from "./mutation/replace.ts";
export { handleProtocol, type Response } from "./protocol/handler.ts";
export { runTestCommand, type TestCommandRequest, type TestRun } from "./test-command.ts";
