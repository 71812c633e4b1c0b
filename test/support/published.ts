/** The JSON Schemas that the executable prints, asked by a validator that is not the engine's. */
import Ajv from "ajv/dist/2020.js";
import { schemas } from "../../src/cli/schemas.generated.ts";

const published = new Ajv({ strict: true, strictTypes: false, allErrors: true });
for (const [name, schema] of Object.entries(schemas)) published.addSchema(schema, name);

/** What is wrong with `value` by a schema, such as `receipt` or `protocol#/$defs/CheckResponse`; empty if nothing is. */
export function problems(schema: string, value: unknown): readonly string[] {
  const validate = published.getSchema(schema);
  if (validate === undefined) throw new Error(`there is no schema ${schema}`);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(({ instancePath, message = "" }) => `${instancePath} ${message}`.trim());
}

/** What is wrong with a receipt, the order of its fields included, of which a JSON Schema has no word. */
export function receiptProblems(receipt: object): readonly string[] {
  const found = problems("receipt", receipt);
  const [order, written] = [Object.keys(propertiesOf("receipt")), Object.keys(receipt)];
  return found.length > 0 || order.join() === written.join() ? found : [`fields in the order ${written}`];
}

function propertiesOf(name: string): object {
  const schema = schemas[name];
  return schema !== undefined && "properties" in schema && schema.properties instanceof Object
    ? schema.properties
    : {};
}
