import { exitStatus, internalError, oneLine } from "../outcome.ts";
import { type Command, defineCommand } from "./command.ts";
import { shells } from "./completion/shells.ts";
import { writeResult } from "./streams.ts";

/** The command that prints what a shell needs to complete the command lines of `commands`, its own among them. */
export function completionsOf(commands: () => Promise<readonly Command[]>): Command {
  const names = Object.keys(shells);
  return defineCommand({
    name: "completions",
    summary: "Print the script by which a shell completes command lines",
    args: { shell: { type: "positional", description: names.join(", "), offer: names } },
    example: "completions zsh > ~/.zfunc/_satyrn-engine",
    statuses: [],
    async run({ values: { shell } }) {
      const known = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
      if (known === undefined) {
        return {
          usage: `there are completions for ${names.join(", ")}, not for ${oneLine(JSON.stringify(shell))}`,
        };
      }
      return writeResult(known.script(await commands())) ? exitStatus.OK : internalError;
    },
  });
}
