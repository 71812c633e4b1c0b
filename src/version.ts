/** What this executable is. */
import { protocolVersion } from "./protocol/version.ts";

/** Set by the build; a run from source reads package.json instead. */
declare const VERSION: string | undefined;
declare const COMMIT: string | undefined;

export interface Version {
  readonly version: string;
  readonly commit: string;
  readonly bun: string;
  readonly protocol: number;
}

export const version: Version = {
  version: typeof VERSION === "string" ? VERSION : (await import("../package.json")).version,
  commit: typeof COMMIT === "string" ? COMMIT : "unknown",
  bun: Bun.version,
  protocol: protocolVersion,
};

/** `satyrn-engine 1.2.3 (0123456789ab, bun 1.4.5, protocol 1)` */
export function versionLine({ version: name, commit, bun, protocol }: Version): string {
  return `satyrn-engine ${name} (${commit}, bun ${bun}, protocol ${protocol})`;
}
