/** Lets one of several loaded copies of the adapter provide a part, and the others step back. */
import type { Host } from "./host.ts";

/**
 * True for the first extension of a session that asks for `part`, false for every later one. Two copies
 * (the installed package and the file an attempt carries) would be a fatal conflict of tools, or make the
 * command disappear. Pi drops the subscription with the session, so a reload starts afresh.
 */
export function first(host: Host, part: string): boolean {
  const channel = `satyrn-engine:${part}`;
  const question = { taken: false };
  host.events.emit(channel, question);
  if (question.taken) return false;
  host.events.on(channel, (other) => {
    (other as { taken: boolean }).taken = true;
  });
  return true;
}
