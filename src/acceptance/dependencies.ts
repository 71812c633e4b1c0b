/** The dependencies that a package.json declares, read as npm reads it. */
import { isFields } from "../fields.ts";
import { type Result, refusal, success } from "../outcome.ts";

/**
 * The names under `dependencies` and `devDependencies`. A leading byte order mark is ignored, of a duplicate
 * key the last counts, a section that is null is empty. `UNREADABLE` says why nothing can be told.
 */
export function dependencyNames(bytes: Uint8Array): Result<ReadonlySet<string>, "UNREADABLE"> {
  let manifest: unknown;
  try {
    manifest = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return refusal("UNREADABLE", "it is not JSON");
  }
  if (!isFields(manifest) || Array.isArray(manifest)) return refusal("UNREADABLE", "it is not an object");
  const names = new Set<string>();
  for (const section of ["dependencies", "devDependencies"]) {
    const declared = Object.hasOwn(manifest, section) ? manifest[section] : undefined;
    if (declared === null || declared === undefined) continue;
    if (!isFields(declared) || Array.isArray(declared)) {
      return refusal("UNREADABLE", `its ${section} are not an object`);
    }
    for (const name of Object.keys(declared)) names.add(name);
  }
  return success(names);
}
