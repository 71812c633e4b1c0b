/**
 * The library: the operations as functions.
 *
 * An operation that runs programs for long takes an `Interruption`: `interruption()` gives one that the signals
 * to this process set off, and any object of that shape will do.
 */
export { type Accepted, type AcceptRequest, accept } from "./acceptance/accept.ts";
export type { Observer } from "./acceptance/derive.ts";
export type { Verification } from "./acceptance/verification-schema.ts";
export { type Blocked, type Checked, type VerifyRequest, verify } from "./acceptance/verify.ts";
export { type AttemptRequest, type AttemptResult, attempt, type Summary } from "./attempt/attempt.ts";
export { type CheckRequest, type CheckResult, check } from "./check.ts";
export type { Contract } from "./contract/load.ts";
export { type DeliverRequest, type Delivery, deliver } from "./delivery/deliver.ts";
export type { Receipt } from "./delivery/receipt-schema.ts";
export { type Replaced, type ReplaceRequest, type ReplaceResult, replace } from "./mutation/replace.ts";
export type { DeliveryCode, ExitStatus, Refusal, Result } from "./outcome.ts";
export { type Interruption, interruption } from "./process/interruption.ts";
export type { Sink } from "./process/sinks.ts";
export { handleProtocol, type Response } from "./protocol/handler.ts";
export { type Finding, type RecoverRequest, recover } from "./recovery/recover.ts";
export { runTestCommand, type TestCommandRequest, type TestRun } from "./test-command.ts";
export { type Version, version } from "./version.ts";
