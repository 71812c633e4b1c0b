/** A small diff for Pi's renderer, from the edits themselves. */
import type { Edit } from "./arguments.ts";

export interface Diff {
  /** Lines as Pi shows them: `-12 old`, `+12 new`. */
  readonly diff: string;
  readonly firstChangedLine: number;
}

/** Lines shown for one edit; the rest is counted. */
const shown = 200;

/**
 * What `edits` did to `before`, one after the other; undefined if one of them is not found there (the file was
 * something else by then).
 */
export function diffOf(before: string, edits: readonly Edit[]): Diff | undefined {
  let text = lf(before);
  const lines: string[] = [];
  let firstChangedLine = Number.POSITIVE_INFINITY;
  for (const edit of edits) {
    const oldText = lf(edit.oldText);
    const newText = lf(edit.newText);
    const at = text.indexOf(oldText);
    if (at < 0) return undefined;
    const start = text.lastIndexOf("\n", at - 1) + 1;
    const end = lineEnd(text, at + oldText.length);
    const head = text.slice(start, at);
    const tail = text.slice(at + oldText.length, end);
    const number = text.slice(0, start).split("\n").length;
    const removed = wholeLines(text.slice(start, end));
    const added = wholeLines(head + newText + tail);
    const same = commonStart(removed, added);
    firstChangedLine = Math.min(firstChangedLine, number + same);
    lines.push(...cut(removed.slice(same).map((line, index) => `-${number + same + index} ${line}`)));
    lines.push(...cut(added.slice(same).map((line, index) => `+${number + same + index} ${line}`)));
    text = text.slice(0, at) + newText + text.slice(at + oldText.length);
  }
  return { diff: lines.join("\n"), firstChangedLine };
}

function lf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** Where the line ends that holds the last replaced character; that line's own end counts as part of it. */
function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", Math.max(from - 1, 0));
  return end < 0 ? text.length : end + 1;
}

function wholeLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

function cut(lines: readonly string[]): readonly string[] {
  if (lines.length <= shown) return lines;
  return [...lines.slice(0, shown), ` ... ${lines.length - shown} more lines`];
}
