/** What the protocol can be asked for: one entry an operation, which is loaded only when it is asked for. */
import type { Fields } from "../fields.ts";
import {
  type CheckRefusalCode,
  type MutationRefusalCode,
  type Result,
  success,
  type TestRefusalCode,
} from "../outcome.ts";
import { type Reading, readCheck, readReplace, readTest } from "./requests.ts";
import type { Envelope } from "./schema.ts";

/** What an operation came to. `INVALID_REQUEST` is for shapes that only the operation itself knows. */
export type Answer = Result<
  object,
  "INVALID_REQUEST" | CheckRefusalCode | MutationRefusalCode | TestRefusalCode
>;

export interface Operation {
  /** Whether responses bear `result`. */
  readonly hasResult: boolean;
  /** Validates the request and performs it. */
  readonly answer: (request: Fields) => Promise<Answer>;
}

export const operations: Readonly<Record<Envelope["operation"], Operation>> = {
  check: operation({
    hasResult: false,
    read: readCheck,
    async perform(request) {
      const { check } = await import("../check.ts");
      const { code, message } = check(request);
      return code === "OK" ? { ok: true, value: {} } : { ok: false, code, message };
    },
  }),
  replace: operation({
    hasResult: true,
    read: readReplace,
    async perform(request) {
      const { replace } = await import("../mutation/replace.ts");
      const answer = replace(request);
      return answer.ok ? success(answer.result) : answer;
    },
  }),
  test: operation({
    hasResult: true,
    read: readTest,
    async perform(request) {
      const { runTestCommand } = await import("../test-command.ts");
      return runTestCommand(request);
    },
  }),
};

function operation<Request>(entry: {
  readonly hasResult: boolean;
  readonly read: (request: Fields) => Reading<Request>;
  readonly perform: (request: Request) => Promise<Answer>;
}): Operation {
  return {
    hasResult: entry.hasResult,
    async answer(value) {
      const request = entry.read(value);
      return request.ok ? entry.perform(request.value) : request;
    },
  };
}
