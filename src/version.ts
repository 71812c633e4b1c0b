/** What this executable is. */

/** Set by the build; a run from source reads package.json instead. */
declare const VERSION: string | undefined;
declare const COMMIT: string | undefined;

export interface Version {
  readonly version: string;
  readonly commit: string;
  readonly bun: string;
}

export const version: Version = {
  version: typeof VERSION === "string" ? VERSION : (await import("../package.json")).version,
  commit: typeof COMMIT === "string" ? COMMIT : "unknown",
  bun: Bun.version,
};
