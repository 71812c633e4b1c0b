/** Compiled by types.test.ts against the types that Pi publishes: what the adapter assumes must hold there. */
import type { ExtensionAPI, ExtensionFactory } from "@earendil-works/pi-coding-agent";
import satyrn from "../../../src/pi/index.ts";

export const factory: ExtensionFactory = (pi: ExtensionAPI) => satyrn(pi);
