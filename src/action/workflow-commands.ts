/**
 * What a runner takes from a step's output: lines that begin with `::`.
 *
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
import { shown } from "./shown.ts";

export interface Annotation {
  readonly level: "error" | "warning";
  readonly title: string;
  readonly message: string;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** The line that makes an annotation. More than 4,000 characters of a message are cut. */
export function annotationLine({ level, title, message, file, line }: Annotation): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${escapeProperty(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${escapeProperty(shown(title, 200))}`,
  ];
  return `::${level} ${properties.join(",")}::${escapeData(shown(message, 4000))}\n`;
}

/**
 * Between these two lines the runner obeys nothing that is printed, so that a program's output cannot give it
 * orders. Both must go where the output goes: the runner reads stdout and stderr without regard to their order.
 */
export function fence(): { readonly begin: string; readonly end: string } {
  const token = `satyrn-${Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex")}`;
  return { begin: `::stop-commands::${token}\n`, end: `::${token}::\n` };
}

export function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

export function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
