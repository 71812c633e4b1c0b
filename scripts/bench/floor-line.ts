/** The floor of every start-up: writes one line and ends. */
import { writeSync } from "node:fs";

writeSync(1, "satyrn-engine\n");
process.exit(0);
