/** Paths that a replacement may name, beside what Git refuses in a tree and what Python knows of Windows' devices. */
import { leadsIntoGit, pathProblem } from "../../src/mutation/path.ts";
import { below, oneOf, type Random } from "../support/random.ts";
import { startPython } from "./python.ts";
import { claim, type Target, workFolder } from "./target.ts";

const program = `
import pathlib
def answer(paths):
    return [any(pathlib.PureWindowsPath(part).is_reserved() for part in path.split("/")) for path in paths]
`;
const parts = [
  ...[
    ".git",
    "git~1",
    ".GIT",
    "GIT~1",
    ".g\u200cit",
    ".gi\u200dt",
    "\ufeff.git",
    ".git\u206f",
    ".gıt",
    ".ɢit",
    ".git ",
    "gi",
  ],
  ...[
    "con",
    "NUL",
    "aux",
    "com1",
    "com¹",
    "lpt9",
    "lpt0",
    "CONIN$",
    "conout$",
    "prn",
    ".txt",
    ".",
    "..",
    " ",
    "  .",
    "~1",
  ],
  ...[
    "a",
    "b",
    "/",
    "/",
    "//",
    "\\",
    ":",
    "é",
    "😀",
    "\u200c",
    "\u202e",
    "\u206a",
    "\ufeff",
    "\ud800",
    "\n",
    "\t",
    "\u0130",
  ],
];

/** A batch of a hundred paths is one case. */
export function paths(): Target {
  const oracle = startPython(program);
  const folder = workFolder();
  const git = (args: readonly string[], stdin = "") =>
    Bun.spawnSync(["git", ...args], { cwd: folder.path, stdin: Buffer.from(stdin), stderr: "pipe" });
  git(["init", "-q"]);
  return {
    make: (random) => {
      const given = Array.from({ length: 100 }, () => somePath(random));
      const check = async () => {
        const accepted = given.filter((path) => pathProblem(path) === undefined);
        for (const path of accepted) checkShape(path);
        const devices = (await oracle.ask(accepted)) as readonly boolean[];
        const device = accepted.find((_, n) => devices[n]);
        claim(device === undefined, `a device on Windows: ${JSON.stringify(device)}`);
        const open = accepted.filter((path) => !leadsIntoGit(path));
        const refused = refusedByGit(
          open.flatMap((path) => path.split("/")),
          git,
        );
        claim(refused.length === 0, `Git refuses ${JSON.stringify(refused)}`);
      };
      return { input: given, check };
    },
    close: () => {
      oracle.close();
      folder.remove();
    },
  };
}

function somePath(random: Random): string {
  return Array.from({ length: 1 + below(random, 7) }, () => oneOf(random, parts)).join("");
}

function checkShape(path: string): void {
  const segments = path.split("/");
  const isPlain = path.isWellFormed() && !/[\0\\:]/.test(path);
  const isInside = segments.every((segment) => segment !== "" && segment !== "." && segment !== "..");
  const isWhole = segments.every((segment) => !segment.endsWith(".") && !segment.endsWith(" "));
  claim(isPlain && isInside && isWhole, `accepted ${JSON.stringify(path)}`);
}

/** The names that stand for `.git` to `git fsck`, on any of its file systems. */
function refusedByGit(
  names: readonly string[],
  git: (args: readonly string[], stdin?: string) => Bun.SyncSubprocess<"pipe", "pipe">,
): readonly string[] {
  const once = [...new Set(names)];
  if (once.length === 0) return [];
  const blob = git(["hash-object", "-w", "--stdin"]).stdout.toString().trim();
  const lines = once.map((name) => `100644 blob ${blob}\t${name}\0`);
  const all = git(["mktree", "-z"], lines.join("")).stdout.toString().trim();
  const looked = git(["fsck", "--strict", "--no-dangling", all]);
  if (!/hasDotgit/.test(looked.stderr.toString())) return [];
  return once.filter((_, n) => {
    const tree = git(["mktree", "-z"], lines[n]).stdout.toString().trim();
    return /hasDotgit/.test(git(["fsck", "--strict", "--no-dangling", tree]).stderr.toString());
  });
}
