import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundled, licenses } from "../../scripts/licenses.ts";
import { schemas } from "../../scripts/texts.ts";
import { engine } from "../support/engine.ts";

const kept = join(import.meta.dir, "../../licenses");

describe("schema", () => {
  test.each(["contract", "expected", "packet", "submission", "review", "receipt", "protocol"])(
    "%s prints the JSON Schema of the type that is validated",
    async (name) => {
      const run = await engine(["schema", name]);
      expect(run).toMatchObject({ status: 0, stderr: "" });
      expect(JSON.parse(run.stdout)).toEqual(schemas()[name]);
      expect(JSON.parse(run.stdout)).toMatchObject({
        $schema: "https://json-schema.org/draft/2020-12/schema",
      });
    },
  );

  test("contract requires an id and a task", async () => {
    const { stdout } = await engine(["schema", "contract"]);
    expect(JSON.parse(stdout).required).toEqual(["id", "task"]);
  });

  test("protocol defines each request and response", async () => {
    const { $defs } = JSON.parse((await engine(["schema", "protocol"])).stdout);
    const defined = Object.keys($defs).filter((name) => name !== "Request" && name !== "Response");
    const referred = [...$defs.Request.anyOf, ...$defs.Response.anyOf];
    expect(referred.map((each: { $ref: string }) => each.$ref)).toEqual(
      defined.map((name) => `#/$defs/${name}`),
    );
    for (const operation of ["Check", "Replace", "Test"])
      expect(defined).toEqual(expect.arrayContaining([`${operation}Request`, `${operation}Response`]));
    expect($defs.CheckRequest.required).toContain("contract");
  });

  test("receipt requires every field, in the order they are written", async () => {
    const { required, properties } = JSON.parse((await engine(["schema", "receipt"])).stdout);
    expect(required.slice(0, 4)).toEqual(["version", "outcome", "code", "message"]);
    expect(Object.keys(properties)).toEqual(required);
  });

  test.each(["bogus", "constructor", "__proto__"])("%s is refused, and what there is named", async (name) => {
    const run = await engine(["schema", name]);
    expect(run).toMatchObject({ status: 2, stdout: "" });
    expect(run.stderr).toContain(`there is no schema "${name}"; there are contract, expected, packet, `);
  });
});

test("licenses prints the licence of every bundled package, and those of what Bun links", async () => {
  const run = await engine(["licenses"]);
  expect(run).toEqual({ status: 0, signal: null, stdout: licenses(), stderr: "" });
  expect(run.stdout).toContain("yaml 2.9.1\n");
  expect(run.stdout).toContain("Copyright Eemeli Aro");
  for (const each of [
    "JavaScriptCore",
    "TinyCC",
    "Copyright (c) 1998-2011 The OpenSSL Project",
    "bun 1.4.5\n",
  ])
    expect(run.stdout).toContain(each);
  for (const name of readdirSync(kept))
    expect(run.stdout).toContain(readFileSync(join(kept, name), "utf8").trim());
  // The last words of each text, so that none is cut.
  for (const end of [
    "Ty Coon, President of Vice",
    "That's all there is to it!",
    "limitations under the License.",
  ])
    expect(run.stdout).toContain(end);
});

test("every package whose code is in the executable is among the licences", async () => {
  const folder = join(import.meta.dir, "../..");
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(folder, "src/main.ts")],
    target: "bun",
    metafile: true,
  });
  expect(outputs).toHaveLength(1);
  const inputs = Object.keys(metafile?.inputs ?? {}).map((path) => path.replaceAll("\\", "/"));
  // A module that was made of packages names what it was made of.
  const made = inputs.filter((path) => path.endsWith(".generated.js")).map((path) => resolve(path));
  const origins = made.flatMap((path) => readFileSync(path, "utf8").match(/^\/\/ node_modules\/.*$/gm) ?? []);
  const packages = [...inputs, ...origins].flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  expect([...new Set(packages)]).toEqual(bundled);
});
