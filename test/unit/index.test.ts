import { expect, test } from "bun:test";
import { commands } from "../../src/cli/commands.ts";
import * as library from "../../src/index.ts";
import { operations } from "../../src/protocol/operations.ts";

test("the library gives every operation as a function", () => {
  const operationNames = [
    "accept",
    "attempt",
    "check",
    "deliver",
    "handleProtocol",
    "recover",
    "replace",
    "runTestCommand",
    "verify",
  ];
  expect(Object.keys(library).sort()).toEqual([...operationNames, "interruption", "version"].sort());
  const named: Readonly<Record<string, string>> = { protocol: "handleProtocol", test: "runTestCommand" };
  // `action` performs others of them.
  const printing = ["schema", "licenses", "completions", "action"];
  for (const name of [...Object.keys(commands), ...Object.keys(operations)]) {
    if (printing.includes(name)) continue;
    expect(operationNames).toContain(named[name] ?? name);
  }
});

test("the library's functions answer a request that they refuse with its code", async () => {
  const contract = "/nonexistent/contract.yaml";
  expect(library.check({ repo: "/", contract }).code).toBe("CONTRACT_UNREADABLE");
  expect(await library.runTestCommand({ repo: "/", contract })).toMatchObject({
    ok: false,
    code: "CONTRACT_UNREADABLE",
  });
  const told = { signal: new AbortController().signal, name: () => null };
  const command = ["true"];
  const request = { repo: "/", contract, command, timeoutMs: 1000, env: {}, interruption: told };
  expect((await library.deliver(request)).receipt).toMatchObject({
    code: "CONTRACT_UNREADABLE",
    engine_version: library.version.version,
  });
  expect(await library.verify({ packet: contract })).toMatchObject({ status: "BLOCKED" });
  expect(await library.accept({ packet: contract, submission: contract })).toMatchObject({
    status: "BLOCKED",
  });
  const { response } = await library.handleProtocol(Buffer.from("{}"));
  expect(response.code).toBe("INVALID_REQUEST");
});
