/** The executable: argv in, exit status out. */
import { exitOnCrash } from "./cli/crash.ts";
import { start } from "./cli/start.ts";
import { pathAlone } from "./path-alone.ts";

exitOnCrash();
if (process.platform === "win32") process.env[pathAlone.name] ??= pathAlone.value;

process.exit(await start(process.argv.slice(2)));
