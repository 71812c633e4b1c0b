import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Request } from "../../../src/pi/protocol.ts";
import { transport } from "../../../src/pi/transport.ts";
import { fakeEngine, fakeHost, fakeSurroundings } from "./fakes.ts";

interface Pair {
  readonly request?: unknown;
  readonly response: {
    readonly ok: boolean;
    readonly code: string;
    readonly message: string;
    readonly result?: unknown;
  };
  readonly exit_status: number;
}

const folder = join(import.meta.dir, "../../../fixtures/protocol");
const pairs = readdirSync(folder).map(
  (file) =>
    [file.replace(".json", ""), JSON.parse(readFileSync(join(folder, file), "utf8")) as Pair] as const,
);

/** What a request that was not understood is taken for: any operation can be answered so. */
const some: Request = { operation: "check", repo: "/r", contract: "/c" };
const isRequest = (request: unknown): request is Request =>
  typeof request === "object" &&
  request !== null &&
  "operation" in request &&
  request.operation !== undefined;

for (const [name, { request, response, exit_status }] of pairs) {
  test(`the adapter takes the response of ${name} verbatim`, async () => {
    const asked = response.code !== "INVALID_REQUEST" && isRequest(request) ? request : some;
    const { start } = fakeEngine({ stdout: `${JSON.stringify(response)}\n`, code: exit_status });
    const { ok, code, message, result } = response;
    const expected = ok ? { ok, result: result ?? null } : { ok, code, message };
    expect<unknown>(await transport(fakeHost(), fakeSurroundings(start))(asked)).toEqual(expected);
  });
}

test("a request goes out as the fixtures write it", async () => {
  const requests = pairs.filter(([, { response }]) => response.ok).map(([, { request }]) => request);
  for (const request of requests.filter(isRequest)) {
    const { start, started } = fakeEngine({ stdout: "" });
    await transport(fakeHost(), fakeSurroundings(start))(request);
    expect(JSON.parse(started[0]?.request ?? "")).toEqual(request);
  }
});
