/**
 * What `schema` and `licenses` print, as modules.
 *
 * The JSON Schemas are ArkType's own rendering of the types that the validators are compiled from.
 */
import * as acceptance from "../src/acceptance/schema.ts";
import { Contract } from "../src/contract/schema.ts";
import { receiptOf } from "../src/delivery/receipt.ts";
import { Receipt } from "../src/delivery/receipt-schema.ts";
import { Expected } from "../src/expected/schema.ts";
import { deliveryCodes } from "../src/outcome.ts";
import * as responses from "../src/protocol/response-schema.ts";
import * as protocol from "../src/protocol/schema.ts";
import { licenses } from "./licenses.ts";

const dialect = "https://json-schema.org/draft/2020-12/schema";

/** Every JSON Schema by the name that `schema` takes. */
export function schemas(): Readonly<Record<string, object>> {
  return {
    contract: Contract.toJsonSchema(),
    expected: Expected.toJsonSchema(),
    packet: acceptance.Packet.toJsonSchema(),
    submission: acceptance.Submission.toJsonSchema(),
    review: acceptance.ReviewRecord.toJsonSchema(),
    receipt: receiptSchema(),
    protocol: protocolSchema(),
  };
}

/** With the fields in the order they are written, and the one outcome that follows from each code. */
function receiptSchema(): object {
  const { properties, ...schema } = definition(Receipt) as { readonly properties: Record<string, object> };
  const fields = Object.keys(receiptOf("OK", "", {}, { repository: "", engine_version: "", duration_ms: 0 }));
  const codes = Map.groupBy(Object.entries(deliveryCodes), ([, [outcome]]) => outcome);
  return {
    $schema: dialect,
    ...schema,
    properties: Object.fromEntries(fields.map((name) => [name, properties[name]])),
    required: fields,
    anyOf: [...codes].map(([outcome, entries]) => ({
      properties: { outcome: { const: outcome }, code: { enum: entries.map(([code]) => code) } },
    })),
  };
}

/** Any message; `$defs` has each kind of request and response under its name. */
function protocolSchema(): object {
  const requests = {
    CheckRequest: protocol.CheckRequest,
    ReplaceRequest: protocol.ReplaceRequest,
    SingleReplaceRequest: protocol.SingleReplaceRequest,
    TestRequest: protocol.TestRequest,
  };
  const either = (names: readonly string[]) => ({
    anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })),
  });
  return {
    $schema: dialect,
    ...either(["Request", "Response"]),
    $defs: {
      Request: either(Object.keys(requests)),
      Response: either(Object.keys(responses)),
      ...Object.fromEntries(
        Object.entries({ ...requests, ...responses }).map(([name, schema]) => [name, definition(schema)]),
      ),
    },
  };
}

/** A schema as a part of another one. */
function definition(schema: { toJsonSchema(): object }): object {
  return Object.fromEntries(Object.entries(schema.toJsonSchema()).filter(([key]) => key !== "$schema"));
}

/** The generated files, by their paths. The licences are long and seldom asked for. */
export function texts(): Readonly<Record<string, string>> {
  const made = "// Made by `bun run generate`. Do not edit.\n\n";
  const packed = Bun.gzipSync(licenses(), { library: "libdeflate", level: 12 });
  return {
    "src/cli/schemas.generated.ts": `${made}export const schemas: Readonly<Record<string, object>> = ${JSON.stringify(schemas(), undefined, 2)};\n`,
    "src/cli/licenses.generated.ts": `${made}/** Compressed by gzip, in Base64. */\nexport const licenses =\n  "${Buffer.from(packed).toString("base64")}";\n`,
  };
}
