import type { Offer } from "../command.ts";
import { type Flag, flagsOfProgram, type Surface, takingValues } from "./surface.ts";

/** A script for fish 3 and newer. */
export function fishScript(surfaces: readonly Surface[]): string {
  const valued = [...new Set(takingValues(surfaces).map((each) => each.split(" ")[1]))];
  const lines = [
    ...flagsOfProgram.map((flag) => flagLine("__satyrn_engine_at 0", flag)),
    ...surfaces.map(({ name, summary }) =>
      completeLine("__satyrn_engine_at 0", `-a ${name} -d ${quoted(summary)}`),
    ),
    ...surfaces.flatMap(linesOf),
  ];
  return `# Completion of satyrn-engine for fish: put it into ~/.config/fish/completions.

# Whether the word at the cursor belongs to a command ("check"), and stands at one of its places ("check 0"),
# or before any command ("0").
function __satyrn_engine_at
    set -l command
    set -l place 0
    set -l valued
    set -l ended
    for word in (commandline -opc)[2..-1]
        if set -q valued[1]
            set -e valued
        else if set -q ended[1]
            set place (math $place + 1)
        else
            switch $word
                case --
                    set ended yes
                case ${valued.join(" ")}
                    set valued $word
                case '-*'
                case '*'
                    if set -q command[1]
                        set place (math $place + 1)
                    else
                        set command $word
                    end
            end
        end
    end
    test "$argv" = "$command"; or test "$argv" = (string join ' ' $command $place)
end

# Whether the word at the cursor stands behind --, and so belongs to another program.
function __satyrn_engine_another
    set -l words (commandline -opc)
    set -q words[2]; and contains -- $words[2] ${surfaces
      .filter(({ runsAnother }) => runsAnother)
      .map(({ name }) => name)
      .join(" ")}; and contains -- -- $words
end

# Whether a flag was given before; if it is the last word, its value stands at the cursor.
function __satyrn_engine_given
    set -l words (commandline -opc)
    test "$words[-1]" = --$argv[1]; and set -e words[-1]
    string match -qr -- "^--$argv[1]"'(=|$)' $words
end

function __satyrn_engine_complete_another
    set -l words (commandline -opc)
    for at in (seq (contains -i -- -- $words))
        set -e words[1]
    end
    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end

complete -c satyrn-engine -f
complete -c satyrn-engine -n __satyrn_engine_another -x -a '(__satyrn_engine_complete_another)'
${lines.join("\n")}
`;
}

function linesOf({ name, flags, places, runsAnother }: Surface): readonly string[] {
  const own = runsAnother ? "; and not __satyrn_engine_another" : "";
  return [
    ...flags.map((flag) => flagLine(`__satyrn_engine_at ${name}${own}`, flag)),
    ...places.flatMap(({ offer }, at) =>
      offer === undefined ? [] : [completeLine(`__satyrn_engine_at ${name} ${at}${own}`, offered(offer))],
    ),
  ];
}

function flagLine(condition: string, { word, summary, value }: Flag): string {
  const long = word.slice(2);
  const short = word === "--help" ? "-s h " : "";
  const what = `${short}-l ${long} -d ${quoted(summary)}`;
  if (value === undefined) {
    return completeLine(`${condition}; and not __fish_contains_opt ${short}${long}`, what);
  }
  const taken = value.offer === undefined ? "-x" : `-r ${offered(value.offer)}`;
  return completeLine(`${condition}; and not __satyrn_engine_given ${long}`, `${what} ${taken}`);
}

function completeLine(condition: string, what: string): string {
  return `complete -c satyrn-engine -n ${quoted(condition)} ${what}`;
}

function offered(offer: Offer): string {
  if (offer === "file") return "-F";
  return offer === "folder"
    ? "-x -a '(__fish_complete_directories (commandline -ct))'"
    : `-x -a '${offer.join(" ")}'`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
