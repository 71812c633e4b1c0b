import { describe, expect, test } from "bun:test";
import { licenses, schemas } from "../../scripts/texts.ts";
import { engine } from "../support/engine.ts";

describe("schema", () => {
  test.each(["contract", "expected", "packet", "submission", "review", "protocol"])(
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

  test("protocol refers to every request it defines", async () => {
    const { anyOf, $defs } = JSON.parse((await engine(["schema", "protocol"])).stdout);
    expect(anyOf.map((each: { $ref: string }) => each.$ref)).toEqual(
      Object.keys($defs).map((name) => `#/$defs/${name}`),
    );
    expect($defs.CheckRequest.required).toContain("contract");
  });

  test.each(["bogus", "constructor", "__proto__"])("%s is refused, and what there is named", async (name) => {
    const run = await engine(["schema", name]);
    expect(run).toMatchObject({ status: 2, stdout: "" });
    expect(run.stderr).toContain(`there is no schema "${name}"; there are contract, expected, packet, `);
  });
});

test("licenses prints the licence of every bundled package, and names Bun's", async () => {
  const run = await engine(["licenses"]);
  expect(run).toEqual({ status: 0, signal: null, stdout: licenses(), stderr: "" });
  expect(run.stdout).toMatch(/^yaml 2\.9\.1\n\nCopyright Eemeli Aro/);
  expect(run.stdout).toContain("bun 1.4.5\n");
});
