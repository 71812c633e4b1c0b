/** The restricted `bash` tool: it runs the contract's test command and nothing else. */
import { answer, refuse } from "./answers.ts";
import { type MutationContext, readContext } from "./context.ts";
import type { Host, Tool, ToolResult } from "./host.ts";
import { first } from "./once.ts";
import { type Ask, type Surroundings, surroundings, transport } from "./transport.ts";

/**
 * Registers `bash` in place of Pi's own, if the session's mutation context has a test command and no other copy
 * of the adapter did so before. With a context that is not valid every command is refused.
 */
export default function restrictedBash(host: Host, around: Surroundings = surroundings): void {
  const context = readContext(around.environment);
  if (context === undefined) return;
  if ("problem" in context) {
    const refusal = refuse("MUTATION_CONTEXT_INVALID", `no command is possible: ${context.problem}`);
    if (first(host, "bash")) host.registerTool(bashTool(undefined, async () => refusal));
    return;
  }
  if (context.testCommand === null || !first(host, "bash")) return;
  host.registerTool(bashTool(context.testCommand.join(" "), tester(context, transport(host, around))));
}

type Execute = (command: string, signal?: AbortSignal) => Promise<ToolResult>;

function bashTool(allowed: string | undefined, execute: Execute): Tool {
  const only = allowed === undefined ? "nothing" : `exactly this command: ${allowed}`;
  return {
    name: "bash",
    label: "bash",
    description: `Run the tests of this task. It runs ${only}`,
    promptSnippet: "Run the test command of this task",
    promptGuidelines: [`bash runs ${only}`],
    parameters: {
      type: "object",
      properties: { command: { type: "string", description: `Must be exactly: ${allowed ?? ""}` } },
    },
    // A test run must see the edits that the same message asks for before it.
    executionMode: "sequential",
    prepareArguments: (given) => ({ command: commandOf(given) }),
    execute: (_callId, given, signal) => execute(commandOf(given), signal),
  };
}

/** The command asked for; what is not a string is spelled out, for the engine to refuse. */
function commandOf(given: unknown): string {
  const command = typeof given === "object" && given !== null && "command" in given ? given.command : "";
  return typeof command === "string" ? command : (JSON.stringify(command) ?? "");
}

function tester({ repo, contract }: MutationContext, ask: Ask): Execute {
  return async (command, signal) => {
    const answered = await ask({ operation: "test", repo, contract, command }, signal);
    if ("failed" in answered) return refuse(answered.failed, answered.message);
    if (!answered.ok) return refuse(answered.code, answered.message);
    const { exit_code, output, timed_out } = answered.result ?? {};
    const end = timed_out === true ? "Command timed out" : `Command exited with code ${exit_code}`;
    return answer(`${String(output).trimEnd()}\n\n${end}`.trimStart(), { ...answered.result });
  };
}
