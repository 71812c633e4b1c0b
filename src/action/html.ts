/**
 * HTML for a page that is Markdown otherwise.
 *
 * Markdown leaves a block of HTML alone until its first blank line, so a text in it needs no escapes but those of
 * HTML, whatever it means in Markdown. That matters for secrets, too: the runner blots them out of the page where
 * it finds them as they are, or with these very escapes.
 */
import { shown } from "./shown.ts";

/**
 * A text from outside, cut after `limit` characters; quotes if there is nothing to see. As code, since GitHub makes links of what looks like a person,
 * an issue or an address anywhere else.
 */
export function code(value: string, limit = 500): string {
  return `<code>${value === "" ? "&apos;&apos;" : escaped(value, limit)}</code>`;
}

function escaped(value: string, limit: number): string {
  return shown(value, limit).replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** What of a list is shown: as many of its items, from the first, as fit into `budget` bytes of HTML. */
export interface Shown<Item> {
  readonly items: readonly Item[];
  readonly budget: number;
  /** Says what of those that do not fit. */
  readonly rest: (count: number) => string;
}

/** A table of cells that are HTML, a row an item, under a heading that spans it. */
export function table<Item>(
  heading: string,
  shown: Shown<Item>,
  cellsOf: (item: Item) => readonly string[],
): string {
  let width = 1;
  const { lines, more } = fitting(shown, (item) => {
    const cells = cellsOf(item);
    width = Math.max(width, cells.length);
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  const head = `<tr><th colspan="${width}" align="left">${heading}</th></tr>`;
  return ["<table>", head, ...lines, "</table>", ...more.map((words) => `<p>${words}</p>`)].join("\n");
}

/** A list, an item an item. */
export function list<Item>(shown: Shown<Item>, htmlOf: (item: Item) => string): string {
  const { lines, more } = fitting(shown, (item) => `<li>${htmlOf(item)}</li>`);
  return ["<ul>", ...lines, ...more.map((words) => `<li>${words}</li>`), "</ul>"].join("\n");
}

function fitting<Item>(
  { items, budget, rest }: Shown<Item>,
  lineOf: (item: Item) => string,
): { readonly lines: readonly string[]; readonly more: readonly string[] } {
  const lines: string[] = [];
  let left = budget;
  for (const [at, item] of items.entries()) {
    const line = lineOf(item);
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) return { lines, more: [rest(items.length - at)] };
    lines.push(line);
  }
  return { lines, more: [] };
}

/** Lines for a shell, to be copied. */
export function shell(lines: readonly string[]): string {
  return `<pre lang="sh"><code>${lines.map((line) => escaped(line, 2000)).join("\n")}</code></pre>`;
}

/** `word` as one word of a POSIX shell's command line. */
export function quoted(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
