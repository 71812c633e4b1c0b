#!/usr/bin/env bun
/**
 * Writes what `schema` and `licenses` print to `src/cli/texts.generated.ts`.
 *
 *     bun scripts/texts.ts           write
 *     bun scripts/texts.ts --check   exit 1 if the file is out of date
 *
 * The JSON Schemas are ArkType's own rendering of the types that the validators are compiled from.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as acceptance from "../src/acceptance/schema.ts";
import { Contract } from "../src/contract/schema.ts";
import { Expected } from "../src/expected/schema.ts";
import * as protocol from "../src/protocol/schema.ts";

const root = join(import.meta.dir, "..");
const target = join(root, "src/cli/texts.generated.ts");

/** The packages whose code the executable holds. */
const bundled = ["yaml"];

/** Every JSON Schema by the name that `schema` takes. */
export function schemas(): Readonly<Record<string, object>> {
  const requests = {
    CheckRequest: protocol.CheckRequest.toJsonSchema(),
    ReplaceRequest: protocol.ReplaceRequest.toJsonSchema(),
    SingleReplaceRequest: protocol.SingleReplaceRequest.toJsonSchema(),
    TestRequest: protocol.TestRequest.toJsonSchema(),
  };
  return {
    contract: Contract.toJsonSchema(),
    expected: Expected.toJsonSchema(),
    packet: acceptance.Packet.toJsonSchema(),
    submission: acceptance.Submission.toJsonSchema(),
    review: acceptance.ReviewRecord.toJsonSchema(),
    protocol: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      anyOf: Object.keys(requests).map((name) => ({ $ref: `#/$defs/${name}` })),
      $defs: Object.fromEntries(
        Object.entries(requests).map(([name, { $schema: _, ...schema }]) => [name, schema]),
      ),
    },
  };
}

/** The licences of what the executable is made of. */
export function licenses(): string {
  const texts = bundled.map((name) => {
    const folder = join(root, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return `${name} ${version}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
  });
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const bun = `${packageManager.replace("@", " ")}\n\nThe executable is Bun with this program inside. Bun is MIT licensed, and links libraries under\nlicences of their own, JavaScriptCore under LGPL-2 among them: https://bun.com/docs/project/licensing\n`;
  return [...texts, bun].join(`\n${"-".repeat(78)}\n\n`);
}

function text(): string {
  return `// Made by \`bun run validators\`. Do not edit.

export const schemas: Readonly<Record<string, object>> = ${JSON.stringify(schemas(), undefined, 2)};

export const licenses = ${JSON.stringify(licenses())};
`;
}

if (import.meta.main) {
  if (!process.argv.includes("--check")) writeFileSync(target, text());
  else if (readFileSync(target, "utf8") !== text()) {
    console.error(`${target} is out of date: run \`bun run validators\``);
    process.exitCode = 1;
  }
}
