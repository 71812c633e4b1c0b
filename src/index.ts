/** The library: the operations as functions. */
export { type CheckRequest, type CheckResult, check } from "./check.ts";
export type { Contract } from "./contract/load.ts";
export { handleProtocol, type Response } from "./protocol/handler.ts";
