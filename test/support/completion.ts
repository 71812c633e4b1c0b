/** What real shells offer at the end of a command line, with the engine's scripts loaded. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadAll } from "../../src/cli/commands.ts";
import { shells } from "../../src/cli/completion/shells.ts";

const support = join(import.meta.dir, "completion");

/** How each shell is asked; all lines at once, since a start costs more than an answer. */
const asking = {
  bash: ({ script, lines }: Question) => ["bash", "--norc", join(support, "capture.bash"), script, lines],
  fish: ({ script, lines }: Question) => [
    "fish",
    "--no-config",
    join(support, "capture.fish"),
    script,
    lines,
  ],
  powershell: ({ script, lines }: Question) => [
    "pwsh",
    "-NoProfile",
    "-File",
    join(support, "capture.ps1"),
    script,
    lines,
  ],
  zsh: () => ["script", "-qec", "zsh -d -i", "/dev/null"],
} as const;

export type Shell = keyof typeof asking;
export const askedShells = Object.keys(asking) as readonly Shell[];

/** Why `shell` cannot be asked on this machine, or undefined. */
export function absence(shell: Shell): string | undefined {
  const program = { bash: "bash", fish: "fish", powershell: "pwsh", zsh: "zsh" }[shell];
  if (Bun.which(program) === null) return `${program} is not installed`;
  // zsh is given its terminal by script(1), whose flags are util-linux's.
  return shell === "zsh" && process.platform !== "linux" ? "it needs Linux's script(1)" : undefined;
}

interface Question {
  readonly script: string;
  readonly lines: string;
}

/** The candidates for the last word of each line, sorted; of a value behind = and of a folder the bare name. */
export async function offered(
  shell: Shell,
  lines: readonly string[],
  cwd: string,
): Promise<readonly (readonly string[])[]> {
  const folder = mkdtempSync(join(tmpdir(), "satyrn-completion-"));
  try {
    mkdirSync(join(folder, "scripts"));
    const script = join(folder, "scripts", shells[shell]?.file ?? "");
    writeFileSync(script, shells[shell]?.script(await loadAll()) ?? "");
    const question = { script, lines: join(folder, "lines") };
    writeFileSync(question.lines, lines.map((line) => `${line}\n`).join(""));
    const answer = join(folder, "offered");
    const child = Bun.spawn([...asking[shell](question)], {
      cwd,
      env: {
        ...process.env,
        // In the locale C fish itself completes no file below a folder whose name is not ASCII.
        LC_ALL: "C.UTF-8",
        HOME: folder,
        ZDOTDIR: support,
        SCRIPTS: join(folder, "scripts"),
        LINES_FILE: question.lines,
        OFFERED: answer,
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    const text = shell === "zsh" ? readFileSync(answer, "utf8") : stdout;
    const blocks = text.split(/^\n/m).slice(0, -1);
    if (blocks.length !== lines.length) throw new Error(`${shell}: ${stdout}${stderr}`);
    return blocks.map((block) => {
      const candidates = block
        .split("\n")
        .filter(Boolean)
        .map((candidate) => candidate.replace(/^--\w+=|^\.[/\\]|\/$/g, ""));
      return [...new Set(candidates)].sort();
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
