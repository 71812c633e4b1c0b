import type { Operation } from "../operation.ts";
import { accept, verify } from "./acceptance.ts";
import { attempt } from "./attempt.ts";
import { deliver } from "./deliver.ts";
import { recoverBy } from "./recover.ts";
import { replace } from "./replace.ts";
import { testCommand } from "./test-command.ts";

/** Every operation that a matrix is run for. `faulty` is the executable with the seam. */
export function operations(faulty: string): readonly Operation[] {
  return [deliver, replace, testCommand, attempt, verify, accept, recoverBy(faulty)];
}
