/** The contract fixtures: each accepted one with its fields, each refused one with its one line. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dir, "../../fixtures/contracts");

export interface ContractFixture {
  readonly name: string;
  readonly path: string;
}

export const accepted = list("accepted", ".json").map((fixture) => ({
  ...fixture,
  fields: JSON.parse(fixture.expected) as unknown,
}));

/** `refusal` is the line without the program's name. */
export const refused = list("refused", ".txt").map((fixture) => ({
  ...fixture,
  refusal: fixture.expected.trimEnd().replace("CONTRACT ", `${fixture.path} `),
}));

function list(verdict: string, extension: string): (ContractFixture & { readonly expected: string })[] {
  const names = readdirSync(join(folder, verdict)).filter((name) => name.endsWith(".yaml"));
  return names.sort().map((file) => {
    const path = join(folder, verdict, file);
    return {
      name: file.replace(".yaml", ""),
      path,
      expected: readFileSync(path.replace(/\.yaml$/, extension), "utf8"),
    };
  });
}
