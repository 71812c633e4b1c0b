/** How a delivery is reported: by the mode that Pi runs in. */
import { writeSync } from "node:fs";
import type { Delivered } from "./delivery.ts";
import type { Context, Host } from "./host.ts";
import { oneLine } from "./text.ts";

/**
 * With a UI a notification; in print mode one line on the real stdout; in JSON and RPC mode a `satyrn_result`
 * entry. Without a UI a refusal also sets Pi's exit status to the engine's, and what the attempt said goes to stderr.
 */
export function report(host: Host, context: Context, model: string | undefined, delivered: Delivered): void {
  const { code, line } = summary(delivered);
  const accepted = code === "OK";
  const { mode, hasUI, ui } = context;
  if (mode === "json" || mode === "rpc") host.appendEntry("satyrn_result", entry(model, delivered));
  const more = delivered.kind === "receipt" ? details(delivered) : [];
  if (hasUI) {
    ui.notify([line, ...more].join("\n"), accepted ? "info" : "error");
    return;
  }
  if (mode === "print") writeLine(line);
  if (accepted) return;
  process.exitCode = delivered.status;
  for (const said of more) process.stderr.write(`satyrn-engine: ${said}\n`);
}

function entry(model: string | undefined, delivered: Delivered): Record<string, unknown> {
  if (delivered.kind === "receipt") return { model: model ?? null, receipt: delivered.raw };
  return { model: model ?? null, receipt: null, code: delivered.code, message: delivered.message };
}

function summary(delivered: Delivered): { code: string; line: string } {
  const { code, message } = delivered.kind === "receipt" ? delivered.receipt : delivered;
  const text =
    delivered.kind === "receipt" && "ref" in delivered.receipt
      ? `candidate ${delivered.receipt.commit.slice(0, 12)} at ${delivered.receipt.ref}, ` +
        `${delivered.receipt.changed} paths changed`
      : message;
  return { code, line: oneLine(`satyrn-engine: ${code}: ${text}`) };
}

/** What a person does next: with a candidate, look and bring it in; without one, know what the attempt said. */
function details({ receipt, attempt }: Delivered & { kind: "receipt" }): readonly string[] {
  if (!("ref" in receipt)) return attempt === undefined ? [] : [oneLine(attempt)];
  const ref = quoted(receipt.ref);
  return [`look at it:  git show ${ref}`, `bring it in: git merge --ff-only ${ref}`];
}

/** `ref` as one word of a POSIX shell. */
function quoted(ref: string): string {
  return /^[\w./-]+$/.test(ref) ? ref : `'${ref.replaceAll("'", "'\\''")}'`;
}

/** Pi redirects `process.stdout` to stderr in print mode; the descriptor is the real one. */
function writeLine(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  let written = 0;
  for (let tries = 0; written < bytes.length && tries < 1000; tries++) {
    try {
      written += writeSync(1, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
