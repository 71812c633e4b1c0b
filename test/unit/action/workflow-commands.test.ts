import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { annotationLine, fence } from "../../../src/action/workflow-commands.ts";
import { known, readCommand } from "../../support/runner.ts";

const commands = new Set(known);

describe("an annotation", () => {
  test("names file, line and title, and escapes what separates them", () => {
    const annotation = { level: "error", title: "a: b, c", message: "50% of a::b, c" } as const;
    expect(annotationLine({ ...annotation, file: "x,y:z%.txt", line: 3 })).toBe(
      "::error file=x%2Cy%3Az%25.txt,line=3,title=a%3A b%2C c::50%25 of a::b, c\n",
    );
    expect(annotationLine({ ...annotation, level: "warning" })).toBe(
      "::warning title=a%3A b%2C c::50%25 of a::b, c\n",
    );
  });

  test("is one line, in which nothing is invisible", () => {
    const line = annotationLine({ level: "error", title: "t", message: "a\r\nb\u202ec\u0000\u2028" });
    expect(line).toBe("::error title=t::a\\r\\nb\\u202ec\\u0000\\u2028\n");
  });

  test("is cut where it is long, and never in a character", () => {
    const line = annotationLine({ level: "error", title: "t", message: "😀".repeat(5000) });
    expect(line).toBe(`::error title=t::${"😀".repeat(4000)}…\n`);
  });

  test("is read by the runner as it was meant, whatever it holds", () => {
    const text = fc.string({ unit: "binary", maxLength: 40 }).map((each) => each.toWellFormed());
    const special = fc.constantFrom(
      "::",
      ",",
      "=",
      "%",
      "\r",
      "\n",
      "%0A",
      "%25",
      "##[error]",
      "::error::",
      ":",
    );
    const mixed = fc.array(fc.oneof(text, special), { maxLength: 8 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(mixed, mixed, fc.nat(), (message, file, line) => {
        const written = annotationLine({ level: "error", title: "t", message, file: `x${file}`, line });
        expect(written.split(/\r\n|\r|\n/)).toHaveLength(2);
        const read = readCommand(written.trimEnd(), commands);
        expect(read).toMatchObject({ name: "error", properties: { title: "t", line: String(line) } });
        expect(read?.properties["file"]).toBe(`x${file}`);
      }),
    );
  });
});

test("a fence cannot be guessed", () => {
  const { begin, end } = fence();
  const token = /^::stop-commands::(satyrn-[0-9a-f]{32})\n$/.exec(begin)?.[1];
  expect(end).toBe(`::${token}::\n`);
  expect(fence().end).not.toBe(end);
});
