import { describe, expect, test } from "bun:test";
import { parseStat } from "../../../src/process/descendants.linux.ts";
import { parseBasicInformation } from "../../../src/process/descendants.macos.ts";

describe("a line of /proc/[pid]/stat", () => {
  const rest = "S 1 42 7 0 -1 4194560 92 0 0 0 0 0 0 0 20 0 1 0 98765 2543616 231 18446744073709551615";

  test.each(["sleep", "a b", "(a)", "a) S 1 2 3", ""])("of a program called %p", (name) => {
    expect(parseStat(`42 (${name}) ${rest}\n`)).toEqual({
      pid: 42,
      name,
      state: "S",
      parent: 1,
      group: 42,
      session: 7,
      started: "98765",
    });
  });

  test.each(["", "42", "42 (sleep) S 1 42", "no parentheses at all"])("that is cut short: %p", (line) => {
    expect(parseStat(line)).toBeNull();
  });
});

describe("what macOS tells of a process", () => {
  function information(status: number): Uint8Array {
    const bytes = new Uint8Array(136);
    const view = new DataView(bytes.buffer);
    view.setUint32(4, status, true);
    view.setUint32(12, 4711, true);
    view.setUint32(100, 4700, true);
    view.setBigUint64(120, 1_800_000_000n, true);
    view.setBigUint64(128, 250_000n, true);
    bytes.set(new TextEncoder().encode("sleep"), 48);
    return bytes;
  }

  test("names it, and when it started", () => {
    const running = { pid: 4711, group: 4700, started: "1800000000.250000", name: "sleep" };
    expect(parseBasicInformation(information(2))).toEqual(running);
  });

  test("that it is a zombie counts as gone", () => {
    expect(parseBasicInformation(information(5))).toBeNull();
  });
});
