/** The executable of the test build: the same program, whose processes start through their boundary. */
import { basename } from "node:path";
import { die, type Failure, failure, faultAt } from "./boundary.ts";

const spawn = Bun.spawn as unknown as (argv: readonly string[], options: object) => Bun.Subprocess;

Object.assign(Bun, {
  spawn(argv: readonly string[], options: object): Bun.Subprocess {
    const name = nameOf(argv);
    const fault = faultAt("spawn", name);
    switch (fault) {
      case undefined:
        return spawn(argv, options);
      case "kill before":
      case "kill midway":
        return die();
      case "kill after":
        spawn(argv, options);
        return die();
      case "pause":
        process.kill(process.pid, "SIGSTOP");
        return spawn(argv, options);
      case "git fails":
        return spawn(["/bin/sh", "-c", fails], options);
      case "git fails late":
        return spawn(["/bin/sh", "-c", `"$@" && ${fails}`, "sh", ...argv], options);
      case "git is killed":
        return spawn(["/bin/sh", "-c", "kill -9 $$"], options);
      default:
        throw failure(fault.split(" ")[0] as Failure, "spawn", name);
    }
  },
});

const fails = "echo 'fatal: unable to write: No space left on device' >&2; exit 128";

/** A Git process goes by its subcommand. */
function nameOf(argv: readonly string[]): string {
  const program = basename(argv[0] ?? "");
  if (program !== "git") return program;
  const words = argv.filter((word, at) => at > 0 && !word.startsWith("-") && argv[at - 1] !== "-c");
  return `git ${words[0] === "worktree" ? words.slice(0, 2).join(" ") : words[0]}`;
}

await import("../../../src/main.ts");
