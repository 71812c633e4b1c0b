import { type Flag, flagsOfProgram, type Place, type Surface } from "./surface.ts";

/** A script for zsh with its completion system (compinit), autoloaded from fpath or sourced. */
export function zshScript(surfaces: readonly Surface[]): string {
  return `#compdef satyrn-engine
# Completion of satyrn-engine for zsh: put it, as _satyrn-engine, into a folder of fpath.

_satyrn-engine() {
  local operations=(
${surfaces.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join("\n")}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command operations
    return
  fi
  local another=\${words[(i)--]}
  case $words[2] in
${surfaces.map(branch).join("\n")}
    *)
      _arguments -S ${flagsOfProgram.map(flagSpec).join(" ")}
      ;;
  esac
}

if [[ $funcstack[1] == _satyrn-engine ]]; then
  _satyrn-engine "$@"
else
  compdef _satyrn-engine satyrn-engine
fi
`;
}

function branch({ name, flags, places, runsAnother }: Surface): string {
  const specs = [...flags.map(flagSpec), ...places.map((place, at) => quoted(`${at + 1}${message(place)}`))];
  const another = `      if (( another < CURRENT )); then
        shift $another words
        (( CURRENT -= another ))
        _normal
        return
      fi
`;
  return `    ${name})
${runsAnother ? another : ""}      shift words
      (( CURRENT-- ))
      _arguments -S \\
        ${specs.join(" \\\n        ")}
      ;;`;
}

function flagSpec({ word, summary, value }: Flag): string {
  const text = summary.replace(/[[\]:\\]/g, "\\$&");
  return quoted(
    `${word}${value === undefined ? "" : "="}[${text}]${value === undefined ? "" : message(value)}`,
  );
}

/** `:MESSAGE:ACTION`; a blank action offers nothing and says what belongs there. */
function message({ hint, offer }: Place): string {
  if (offer === undefined) return `:${hint}: `;
  if (offer === "file") return `:${hint}:_files`;
  return offer === "folder" ? `:${hint}:_files -/` : `:${hint}:(${offer.join(" ")})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
