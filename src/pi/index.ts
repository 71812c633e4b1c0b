/** What Pi loads when the package is installed. */
import restrictedBash from "./bash.ts";
import boundedEdit from "./edit.ts";
import type { Host } from "./host.ts";
import implement from "./implement.ts";
import loopBreaker from "./loop-breaker.ts";

export default function satyrn(host: Host): void {
  loopBreaker(host);
  boundedEdit(host);
  restrictedBash(host);
  implement(host);
}
