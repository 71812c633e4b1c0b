import { describe, expect, test } from "bun:test";
import { lifeOf, ownIdentity, type ProcessIdentity, parseIdentity } from "../../../src/process/identity.ts";

const here: ProcessIdentity = {
  pid: process.pid,
  started: ownIdentity()?.started ?? "",
  boot: "boot",
  namespace: "pid:[1]",
  host: "host",
  machine: "machine",
};

describe("a process is", () => {
  const rows: readonly [is: string, change: Partial<ProcessIdentity>, life: object | string][] = [
    ["alive: number and start are its own", {}, "alive"],
    ["gone: the number has passed on", { started: "1" }, "gone"],
    ["gone: nobody has the number", { pid: 2 ** 30 }, "gone"],
    ["gone: the machine was booted since", { boot: "earlier" }, "gone"],
    ["alive after the host got another name", { host: "renamed" }, "alive"],
    ["unknown: another host", { boot: "b", host: "other" }, { unknown: expect.stringContaining("other") }],
    ["unknown: another machine of that name", { boot: "b", machine: "m" }, { unknown: expect.any(String) }],
    ["unknown: another container", { namespace: "pid:[2]" }, { unknown: expect.any(String) }],
  ];
  for (const [is, change, life] of rows) {
    test.skipIf(process.platform !== "linux")(is, () => {
      const found: object | string = lifeOf({ ...here, ...change }, here);
      expect(found).toEqual(life);
    });
  }

  test("unknown where nothing is recorded, or the system does not tell", () => {
    expect(lifeOf(null, here)).toEqual({ unknown: "it does not say which engine made it" });
    expect(lifeOf(here, null)).toEqual({ unknown: "only Linux tells whether its engine still runs" });
  });
});

test("an identity is read back as it was written, and nothing else is one", () => {
  expect(parseIdentity(JSON.parse(JSON.stringify(here)))).toEqual(here);
  for (const change of [
    { pid: 0 },
    { pid: -5 },
    { pid: 1.5 },
    { pid: "7" },
    { started: 5 },
    { boot: null },
  ]) {
    expect(parseIdentity({ ...here, ...change })).toBeNull();
  }
  for (const value of [null, [], "x", {}]) expect(parseIdentity(value)).toBeNull();
});
