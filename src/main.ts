/** The executable: argv in, exit status out. */
import { exitOnCrash } from "./cli/crash.ts";
import { start } from "./cli/start.ts";

exitOnCrash();
// Windows looks for programs in the working directory first, unless this is set.
if (process.platform === "win32") process.env["NoDefaultCurrentDirectoryInExePath"] = "1";

process.exit(await start(process.argv.slice(2)));
