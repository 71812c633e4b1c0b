/** What this build is. */
import manifest from "../package.json" with { type: "json" };

// Set by the build; a run from source has no commit of its own.
declare const COMMIT: string;

export const version: string = manifest.version;
export const commit: string = typeof COMMIT === "string" ? COMMIT : "source";
export const bun: string = manifest.packageManager.slice("bun@".length);
export const protocol = 1;
