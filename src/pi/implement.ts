/** `/implement CONTRACT`: deliver one contract with one attempt of the session's model, and report. */
import { resolve } from "node:path";
import { runner } from "./child.ts";
import { type Delivered, type Delivery, deliver, type Order } from "./delivery.ts";
import { findEngine } from "./engine.ts";
import type { Context, Host } from "./host.ts";
import { first } from "./once.ts";
import { report } from "./report.ts";
import { completeContract, contractArgument, workingTreeRoot } from "./repository.ts";
import { oneLine, reasonOf } from "./text.ts";
import { type Surroundings, surroundings } from "./transport.ts";

/** Registers the command. Its deliveries end with the session, which waits for them and their reports. */
export default function implement(host: Host, around: Surroundings = surroundings): void {
  if (!first(host, "implement")) return;
  const open = new Map<Promise<void>, Delivery>();
  let folder = process.cwd();
  host.on("session_start", (_event, context) => {
    folder = context.cwd;
  });
  host.on("session_shutdown", async () => {
    for (const delivery of open.values()) delivery.cancel();
    await Promise.all(open.keys());
  });
  const run = runner(host, around.start);

  async function handle(argument: string, context: Context): Promise<void> {
    const model = modelOf(context, around);
    const order = orderOf(argument, model, context, around);
    if ("kind" in order) return report(host, context, model, order);
    const delivery = deliver(order, run, around);
    const reported = watch(delivery, order, context).then((delivered) =>
      report(host, context, model, delivered),
    );
    open.set(reported, delivery);
    await reported.finally(() => open.delete(reported));
  }

  host.registerCommand("implement", {
    description: "Deliver a contract: one attempt in a throw-away worktree, one candidate to review",
    getArgumentCompletions: (prefix) => completeContract(folder, prefix),
    handler: (argument, context) =>
      handle(argument, context).catch((error: unknown) => {
        process.exitCode = 1;
        process.stderr.write(`satyrn-engine: ${oneLine(reasonOf(error))}\n`);
      }),
  });
}

/** `SATYRN_MODEL`, else the session's own model; undefined if there is none that could run. */
function modelOf(context: Context, { environment }: Surroundings): string | undefined {
  if (environment["SATYRN_MODEL"]) return environment["SATYRN_MODEL"];
  const { model } = context;
  return model === undefined || model.provider === "unknown" ? undefined : `${model.provider}/${model.id}`;
}

function orderOf(
  argument: string,
  model: string | undefined,
  context: Context,
  { environment }: Surroundings,
): Order | Delivered {
  const contract = contractArgument(argument);
  if (contract === "") return refusal("USAGE", "give a contract: /implement CONTRACT", 2);
  if (model === undefined) return refusal("USAGE", "no model: choose one in Pi, or set SATYRN_MODEL", 2);
  const root = workingTreeRoot(context.cwd);
  if (root === undefined) return refusal("REPO_NOT_GIT", `'${context.cwd}' lies in no Git working tree`, 8);
  const engine = findEngine(environment);
  if ("problem" in engine) return refusal("ENGINE_START_FAILED", engine.problem, 1);
  return { engine: engine.path, root, contract: resolve(context.cwd, contract), model };
}

function refusal(code: string, message: string, status: number): Delivered {
  return { kind: "failure", code, message: oneLine(message), status };
}

const statusKey = "satyrn-engine";

/** Waits for the delivery with a status line, if there is a UI, and with the ways to cancel that the mode has. */
async function watch(delivery: Delivery, order: Order, context: Context): Promise<Delivered> {
  const { ui, mode, hasUI } = context;
  const started = performance.now();
  let cancelled = false;
  const cancel = (): void => {
    cancelled = true;
    delivery.cancel();
  };
  const show = (): void => {
    const hint = mode === "tui" ? "esc cancels" : undefined;
    quietly(() =>
      ui.setStatus(statusKey, statusLine(delivery, order, started, cancelled ? "cancelling" : hint)),
    );
  };
  const unlisten = mode === "tui" ? ui.onTerminalInput((data) => onKey(data, context, cancel)) : undefined;
  const timer = hasUI ? setInterval(show, 1000) : undefined;
  if (hasUI) show();
  // Without a UI an interrupt would end Pi at once, and leave the delivery to clean up unseen.
  else process.once("SIGINT", cancel);
  try {
    return await delivery.done;
  } finally {
    clearInterval(timer);
    process.off("SIGINT", cancel);
    quietly(() => unlisten?.());
    if (hasUI) quietly(() => ui.setStatus(statusKey, undefined));
  }
}

function statusLine({ progress }: Delivery, order: Order, started: number, hint: string | undefined): string {
  const seconds = Math.floor((performance.now() - started) / 1000);
  const elapsed = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const parts = [`implement: ${order.model}`, elapsed, `${progress.turns} turns`, progress.lastTool, hint];
  return oneLine(parts.filter((part) => part !== undefined).join(" · "));
}

/** Esc cancels, unless the agent is at work: then Esc is Pi's. Also in the kitty keyboard protocol, but its release. */
function onKey(data: string, context: Context, cancel: () => void): { consume: boolean } | undefined {
  if (!/^\u001b(\[27(;\d+(:[12])?)?u)?$/.test(data) || !context.isIdle()) return undefined;
  cancel();
  return { consume: true };
}

/** A session that was replaced meanwhile has no UI any more. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // Nothing is left to draw on.
  }
}
