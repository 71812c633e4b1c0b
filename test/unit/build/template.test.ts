import { describe, expect, test } from "bun:test";
import { targets } from "../../../scripts/build/targets.ts";
import { mustBePinned, neutralised } from "../../../scripts/build/template.ts";

const names = {
  ...{ BUN_BE_BUN: 1, BUN_OPTIONS: 2, BUN_INSPECT: 11, BUN_BYTECODE_: 4 },
  ...{ JavaScriptCoreUseJIT: 1, WTF_numberOfProcessorCores: 1 },
};
const known = Object.entries(names).flatMap(([name, count]) => Array<string>(count).fill(`${name}\0`));

describe("a template's hostile variables", () => {
  test("are all made unmatchable, and nothing else moves", () => {
    const bytes = Buffer.from(["before\0", ...known, "after"].join(""));
    const length = bytes.length;
    const text = neutralised(bytes).toString("latin1");
    expect(text).toHaveLength(length);
    for (const name of Object.keys(names)) expect(text).not.toContain(name);
    // No variable can have a name with a NUL in it, and none is found by the empty name that C reads there.
    expect(text.match(/\0(UN_(BE_BUN|OPTIONS|INSPECT|BYTECODE_)|avaScriptCore|TF_)/g)).toHaveLength(20);
    expect(text).toStartWith("before\0\0UN_BE_BUN\0");
    expect(text).toEndWith("after");
  });

  test.each(Object.entries(names))("%s found more or less often stops the build", (name, count) => {
    const more = Buffer.from([...known, name].join(""));
    expect(() => neutralised(more)).toThrow(`${name} occurs ${count + 1} times`);
    const fewer = Buffer.from(known.toSpliced(known.indexOf(`${name}\0`), 1).join(""));
    expect(() => neutralised(fewer)).toThrow(`${name} occurs ${count - 1} times`);
  });

  test("bytes that are not the pinned executable stop the build", () => {
    expect(() => mustBePinned("linux-arm64", Buffer.from("tampered"))).toThrow(
      `@oven/bun-linux-aarch64: the executable has SHA-256 `,
    );
  });

  test("every target has a template of its own", () => {
    const all = Object.values(targets);
    expect(new Set(all.map((target) => target.sha256)).size).toBe(8);
    expect(new Set(all.map((target) => target.template)).size).toBe(8);
  });
});
