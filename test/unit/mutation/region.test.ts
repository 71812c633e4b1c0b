import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Span } from "../../../src/mutation/edits.ts";
import { region } from "../../../src/mutation/region.ts";

const numbered = (count: number, line = (n: number) => `l${n}`) =>
  Array.from({ length: count }, (_, index) => `${line(index + 1)}\n`).join("");

const show = (text: string, ...spans: readonly (readonly [number, number])[]) =>
  region(
    Buffer.from(text),
    spans.map(([start, end]) => ({ start, end })),
  ).split("\n");

/** The span of `part` in `text`. */
const of = (text: string, part: string): [number, number] => [
  text.indexOf(part),
  text.indexOf(part) + part.length,
];

const ten = numbered(10);

describe("region", () => {
  test("shows the changed lines with three lines on each side", () => {
    expect(show(ten, of(ten, "l5"))).toEqual(["2: l2", "3: l3", "4: l4", "5: l5", "6: l6", "7: l7", "8: l8"]);
    expect(show(ten, of(ten, "l5\nl6\n"))).toEqual([2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${n}: l${n}`));
  });

  test("and fewer where the file begins or ends", () => {
    expect(show(ten, of(ten, "l1\n"))).toEqual(["1: l1", "2: l2", "3: l3", "4: l4"]);
    expect(show(ten, of(ten, "l10"))).toEqual(["7: l7", "8: l8", "9: l9", "10: l10"]);
    expect(show("only", [0, 4])).toEqual(["1: only"]);
  });

  test("a deletion of whole lines shows three lines on each side of the seam", () => {
    expect(show(ten, [of(ten, "l5")[0], of(ten, "l5")[0]])).toEqual(
      [2, 3, 4, 5, 6, 7].map((n) => `${n}: l${n}`),
    );
    expect(show(ten, [0, 0])).toEqual(["1: l1", "2: l2", "3: l3"]);
    expect(show(ten, [ten.length, ten.length])).toEqual(["8: l8", "9: l9", "10: l10"]);
    expect(show("", [0, 0])).toEqual([""]);
  });

  test("a deletion inside a line shows that line", () => {
    expect(show(ten, [of(ten, "l5")[0] + 1, of(ten, "l5")[0] + 1])).toHaveLength(7);
  });

  test("several places are separated, in the order of the file, unless they touch", () => {
    const text = numbered(30);
    expect(show(text, of(text, "l5\n"), of(text, "l20\n")).join(" ")).toBe(
      "2: l2 3: l3 4: l4 5: l5 6: l6 7: l7 8: l8 --- 17: l17 18: l18 19: l19 20: l20 21: l21 22: l22 23: l23",
    );
    expect(show(text, of(text, "l5\n"), of(text, "l13\n"))).toContain("---");
    expect(show(text, of(text, "l5\n"), of(text, "l12\n"))).toEqual(
      Array.from({ length: 14 }, (_, index) => `${index + 2}: l${index + 2}`),
    );
  });

  test("CRLF is a line ending, a CR elsewhere is text", () => {
    expect(show("a\r\nb\rc\r\n\r\n", [0, 1])).toEqual(["1: a", "2: b\rc", "3: "]);
  });

  test("what is more than 40 lines is cut in the middle, and the cut says how many lines", () => {
    const text = numbered(100);
    const shown = show(text, of(text, `${text.slice(text.indexOf("l11\n"), text.indexOf("l91\n"))}`));
    expect(shown).toHaveLength(40);
    expect(shown[0]).toBe("8: l8");
    expect(shown[39]).toBe("93: l93");
    expect(shown).toContain("[... 47 lines cut ...]");
    expect(show(text, of(text, `${text.slice(text.indexOf("l11\n"), text.indexOf("l45\n"))}`))).toHaveLength(
      40,
    );
    expect(show(text, of(text, `${text.slice(text.indexOf("l11\n"), text.indexOf("l45\n"))}`))).not.toContain(
      "cut",
    );
  });

  test("4,000 bytes are shown in full, one more is not", () => {
    const fit = "x".repeat(3_997);
    expect(show(fit, [0, 1])).toEqual([`1: ${fit}`]);
    expect(show(`${fit}x`, [0, 1])[0]).toBe(`1: ${"x".repeat(400)}[... 3598 bytes cut ...]`);
  });

  test("an over-long changed line is cut to what is around the change", () => {
    const line = `${"\u00e9".repeat(50_000)}HERE${"\u{1f600}".repeat(50_000)}`;
    const at = Buffer.from(line).indexOf("HERE");
    const [shown] = show(line, [at, at + 4]);
    expect(shown).toMatch(
      /^1: \[\.\.\. \d+ bytes cut \.\.\.\]\u00e9+HERE\u{1f600}+\[\.\.\. \d+ bytes cut \.\.\.\]$/u,
    );
  });

  test("a change of one line with its context is shown, however long all seven lines are", () => {
    const text = numbered(20, (n) => `l${n} ${"y".repeat(5_000)}`);
    const shown = show(text, of(text, "l9"));
    expect(shown.map((line) => line.slice(0, 7).trim())).toEqual([
      "6: l6 y",
      "7: l7 y",
      "8: l8 y",
      "9: l9 y",
      "10: l10",
      "11: l11",
      "12: l12",
    ]);
  });

  test("of any text and any changes: within the limits, in order, every shown line as it is, every cut counted", () => {
    const line = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom("", "a", "bb", "\u00e9\u{1f600}", "\r") },
      { weight: 1, arbitrary: fc.nat(3_000).map((length) => "\u00e9".repeat(length)) },
    );
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 120 }),
        fc.boolean(),
        fc.array(fc.nat(), { minLength: 2, maxLength: 8 }),
        (lines, ending, places) => {
          const text = lines.join("\n") + (ending ? "\n" : "");
          const bytes = Buffer.from(text);
          const sorted = places
            .map((place) => atCharacter(bytes, place % (bytes.length + 1)))
            .sort((a, b) => a - b);
          const spans: Span[] = [];
          for (let at = 0; at + 1 < sorted.length; at += 2) {
            const span = { start: sorted[at] as number, end: sorted[at + 1] as number };
            if (span.start > (spans.at(-1)?.end ?? -1)) spans.push(span);
          }
          const shown = region(bytes, spans);
          expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(4_000);
          expect(shown.split("\n").length).toBeLessThanOrEqual(40);
          checkRows(shown.split("\n"), text.split("\n"), naive(text, bytes, spans));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

function atCharacter(bytes: Buffer, at: number): number {
  let start = at;
  while (start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start--;
  return start;
}

/** The numbers of the lines that should be shown, worked out line by line. */
function naive(text: string, bytes: Buffer, spans: readonly Span[]): readonly number[] {
  const lines = text.split("\n");
  const total = lines.at(-1) === "" ? lines.length - 1 : lines.length;
  const wanted = new Set<number>();
  const number = (at: number) => bytes.toString("utf8", 0, at).split("\n").length;
  for (const { start, end } of spans) {
    const seam = start === end && (start === 0 || bytes[start - 1] === 0x0a);
    const first = number(start);
    const last = seam ? first - 1 : number(Math.max(start, end - 1));
    for (let line = Math.max(1, first - 3); line <= Math.min(total, last + 3); line++) wanted.add(line);
  }
  return [...wanted].sort((a, b) => a - b);
}

function checkRows(rows: readonly string[], lines: readonly string[], wanted: readonly number[]): void {
  const numbers: (number | "cut")[] = [];
  let cut = 0;
  for (const row of rows) {
    const gap = /^\[\.\.\. (\d+) lines? cut \.\.\.\]$/.exec(row);
    if (gap !== null) {
      cut += Number(gap[1]);
      numbers.push("cut");
      continue;
    }
    if (row === "---" || row === "") continue;
    const [, number, content] = /^(\d+): (.*)$/su.exec(row) as unknown as [string, string, string];
    numbers.push(Number(number));
    const parts = content.split(/\[\.\.\. \d+ bytes cut \.\.\.\]/);
    const full = lines[Number(number) - 1]?.replace(/\r$/, Number(number) < lines.length ? "" : "\r");
    if (parts.length === 1) expect(content).toBe(full as string);
    else for (const part of parts) expect(full).toContain(part);
  }
  const shown = numbers.filter((number) => number !== "cut");
  expect(shown.length + cut).toBe(wanted.length);
  const at = numbers.indexOf("cut");
  if (at < 0) expect(shown).toEqual([...wanted]);
  else {
    expect(shown.slice(0, at)).toEqual(wanted.slice(0, at));
    expect(shown.slice(at)).toEqual(wanted.slice(wanted.length - (shown.length - at)));
  }
}
