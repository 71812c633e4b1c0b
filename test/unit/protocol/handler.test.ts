import { describe, expect, test } from "bun:test";
import { handleProtocol } from "../../../src/protocol/handler.ts";
import { prepare, protocolFixtures } from "../../support/protocol.ts";

describe("the handler answers", () => {
  const quiet = protocolFixtures.filter((fixture) => !fixture.startsProcess);
  test.each(quiet.map((fixture) => [fixture.name, fixture] as const))("%s", async (_, fixture) => {
    const prepared = prepare(fixture);
    try {
      expect<unknown>(await handleProtocol(prepared.request)).toEqual({
        response: prepared.response,
        exitStatus: prepared.exitStatus,
      });
      expect(prepared.files()).toEqual(prepared.expectedFiles);
    } finally {
      prepared.remove();
    }
  });
});

describe("a request of 32 MiB", () => {
  const maxRequestBytes = 33_554_432;
  const request = Buffer.alloc(maxRequestBytes + 1, " ");
  request.write('{"version":1,"operation":"check","repo":"/nowhere","contract":"/nowhere"}');

  test("is understood", async () => {
    const { response } = await handleProtocol(request.subarray(0, maxRequestBytes));
    expect(response.code).toBe("CONTRACT_UNREADABLE");
  });

  test("and one byte is not", async () => {
    expect(await handleProtocol(request)).toEqual({
      response: {
        version: 1,
        ok: false,
        code: "INVALID_REQUEST",
        message: "the request is not strict JSON: larger than 33554432 bytes",
      },
      exitStatus: 7,
    });
  });
});
