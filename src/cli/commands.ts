/** The subcommands, in the order help lists them. Each is loaded only when it is asked for. */
import type { Command } from "./command.ts";

interface Entry {
  readonly load: () => Promise<{ readonly command: Command }>;
}

export const commands: Readonly<Record<string, Entry>> = {
  check: { load: () => import("./check.ts") },
  deliver: { load: () => import("./deliver.ts") },
  attempt: { load: () => import("./attempt.ts") },
  verify: { load: () => import("./verify.ts") },
  accept: { load: () => import("./accept.ts") },
  recover: { load: () => import("./recover.ts") },
  action: { load: () => import("./action.ts") },
  protocol: { load: () => import("./protocol.ts") },
  schema: { load: () => import("./schemas.ts") },
  licenses: { load: () => import("./licenses.ts") },
  completions: {
    load: async () => ({ command: (await import("./completions.ts")).completionsOf(loadAll) }),
  },
};

/** Every subcommand, in that order. */
export function loadAll(): Promise<readonly Command[]> {
  return Promise.all(Object.values(commands).map(async ({ load }) => (await load()).command));
}
