/** The shipped adapter with short deadlines, through the seam that embedders have. */
import boundedEdit from "../../src/pi/edit.ts";
import type { Host } from "../../src/pi/host.ts";
import implement from "../../src/pi/implement.ts";
import { surroundings } from "../../src/pi/transport.ts";

export default function impatient(host: Host): void {
  const around = {
    ...surroundings,
    deadlines: { check: 500, replace: 500, test: 500, deliver: 500 },
    graces: { protocol: 500, deliver: 500 },
  };
  boundedEdit(host, around);
  implement(host, around);
}
