/** The shells that can complete the engine's command lines. */
import type { Command } from "../command.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { powershellScript } from "./powershell.ts";
import { type Surface, surfaceOf } from "./surface.ts";
import { zshScript } from "./zsh.ts";

interface Shell {
  /** What the shell, or whoever packages for it, expects the file to be called. */
  readonly file: string;
  readonly script: (commands: readonly Command[]) => string;
}

export const shells: Readonly<Record<string, Shell>> = {
  bash: { file: "satyrn-engine.bash", script: over(bashScript) },
  zsh: { file: "_satyrn-engine", script: over(zshScript) },
  fish: { file: "satyrn-engine.fish", script: over(fishScript) },
  powershell: { file: "satyrn-engine.ps1", script: over(powershellScript) },
};

function over(script: (surfaces: readonly Surface[]) => string): Shell["script"] {
  return (commands) => script(commands.map(surfaceOf));
}
