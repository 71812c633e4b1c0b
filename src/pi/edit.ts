/** The bounded `edit` tool: Pi's own shape, decided by the engine. */
import { join } from "node:path";
import { answer, refuse } from "./answers.ts";
import { type EditCall, understandEdit } from "./arguments.ts";
import { type MutationContext, readContext } from "./context.ts";
import { diffOf } from "./diff.ts";
import { readRegular } from "./file.ts";
import type { Host, Tool, ToolResult } from "./host.ts";
import { first } from "./once.ts";
import { type Ask, type Surroundings, surroundings, transport } from "./transport.ts";

/**
 * Registers `edit` in place of Pi's own, if the session has a mutation context and no other copy of the adapter
 * did so before. With a context that is not valid every edit is refused: falling back to Pi's unbounded tool is
 * the one thing that must not happen.
 */
export default function boundedEdit(host: Host, around: Surroundings = surroundings): void {
  const context = readContext(around.environment);
  if (context === undefined || !first(host, "edit")) return;
  if ("problem" in context) {
    const refusal = refuse("MUTATION_CONTEXT_INVALID", `no edit is possible: ${context.problem}`);
    host.registerTool(editTool(async () => refusal, { repo: "", revisions: new Map() }));
    host.on("session_start", () => {
      process.stderr.write(`satyrn-engine: MUTATION_CONTEXT_INVALID: ${context.problem}\n`);
    });
    return;
  }
  const edit = editor(context, transport(host, around));
  host.registerTool(editTool(edit, context));
}

type Worktree = Pick<MutationContext, "repo" | "revisions">;

function editTool(
  execute: (given: unknown, signal?: AbortSignal) => Promise<ToolResult>,
  worktree: Worktree,
): Tool {
  return {
    name: "edit",
    label: "edit",
    description:
      "Edit one existing file by exact text replacement. Each oldText must match exactly one place in the file, " +
      "including white space. Only the files named in the task are writable; no file can be created. " +
      "The result shows the changed region with line numbers.",
    promptSnippet: "Replace exact text in one writable file",
    promptGuidelines: [
      "Use edit for every change; only writable files are accepted, and edit cannot create files.",
      "Each oldText is matched exactly and must occur exactly once: copy it from read, with enough lines around it.",
      "Put several changes of one file into one edit call; they apply in order, all or none.",
      "When edit refuses, read its message: it names the cause. Change the call before trying again.",
    ],
    parameters,
    prepareArguments: (given) => {
      const call = understandEdit(given, worktree);
      return "problem" in call ? { given } : { path: call.path, edits: call.edits };
    },
    execute: (_callId, given, signal) => execute(unwrapped(given), signal),
  };
}

/**
 * Pi's own shape, nothing required and nothing limited: a call that fails the schema never reaches `execute`, and
 * the model would repeat it unseen. `prepareArguments` brings what it understands into this shape, and wraps the
 * rest so that it passes and is refused by name.
 */
const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "Path of the file to edit, relative to the working directory" },
    edits: {
      type: "array",
      description: "1 to 16 replacements, applied in order",
      items: {
        type: "object",
        properties: {
          oldText: { type: "string", description: "Exact text to replace; it must occur exactly once" },
          newText: { type: "string", description: "Text to put in its place" },
        },
      },
    },
  },
};

function unwrapped(given: unknown): unknown {
  return typeof given === "object" && given !== null && "given" in given ? given.given : given;
}

/** Gives the tool's `execute`: it answers every call and never rejects because of the engine. */
function editor(context: MutationContext, ask: Ask) {
  const revisions = new Map(context.revisions);
  const queues = new Map<string, Promise<ToolResult>>();
  let poison: string | undefined;

  async function replace({ path, edits }: EditCall, signal: AbortSignal | undefined): Promise<ToolResult> {
    if (poison !== undefined) return refuse("MUTATION_CONTEXT_POISONED", poison);
    const before = contentOf(context.repo, path);
    const answered = await ask(
      {
        operation: "replace",
        repo: context.repo,
        contract: context.contract,
        path,
        expected_sha256: revisions.get(path) ?? null,
        edits: edits.map(({ oldText, newText }) => ({ old_text: oldText, new_text: newText })),
      },
      signal,
    );
    if ("failed" in answered) {
      if (answered.failed !== "ENGINE_START_FAILED") {
        poison = `an earlier edit of '${path}' ended with ${answered.failed}, and whether it was made is not known; stop here`;
      }
      return refuse(answered.failed, answered.message);
    }
    if (!answered.ok) return refuse(answered.code, answered.message);
    const { sha256, region } = answered.result ?? {};
    revisions.set(path, String(sha256));
    const diff = before === undefined ? undefined : diffOf(before, edits);
    return answer(region === "" ? `${path} is empty now.` : String(region), { ...answered.result, ...diff });
  }

  return (given: unknown, signal?: AbortSignal): Promise<ToolResult> => {
    const call = understandEdit(given, context);
    if ("problem" in call) return Promise.resolve(refuse("INVALID_REQUEST", call.problem));
    const queued = (queues.get(call.path) ?? Promise.resolve()).then(() => replace(call, signal));
    queues.set(call.path, queued);
    return queued;
  };
}

/** The file before the edit, for the diff only; undefined if it cannot be read. */
function contentOf(repo: string, path: string): string | undefined {
  try {
    return readRegular(join(repo, path), 16 * 1024 * 1024).toString("utf8");
  } catch {
    return undefined;
  }
}
